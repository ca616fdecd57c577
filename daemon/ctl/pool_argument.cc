#include "daemon/ctl/pool_argument.h"

#include <charconv>

namespace oxpool::ctl {

template <typename Selector>
bool select(const std::string& text, const std::string& namespace_name, Selector* selector) {
  static const std::string kName = "name:";
  selector->set_namespace_(namespace_name);
  if (text.compare(0, kName.size(), kName) == 0) {
    selector->set_name(text.substr(kName.size()));
    return true;
  }
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) {
    selector->set_name(text);
    return true;
  }
  uint64_t id = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  selector->set_id(id);
  return error == std::errc();
}

template bool select(const std::string&, const std::string&, v1::PoolSelector*);
template bool select(const std::string&, const std::string&, v1::MutexSelector*);

}  // namespace oxpool::ctl
