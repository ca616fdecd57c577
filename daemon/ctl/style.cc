#include "daemon/ctl/style.h"

#include <unistd.h>

#include <cstdlib>

namespace oxpool::ctl {

Style Style::for_output(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool able =
      terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
  return Style(isatty(fd) == 1 && able && !refused);
}

std::string Style::paint(Tone tone, std::string_view text) const {
  static constexpr const char* kCodes[] = {"", "1", "32", "33", "31", "2"};
  if (!coloured_ || tone == Tone::kPlain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(kCodes[static_cast<int>(tone)]) + "m" + std::string(text) +
         "\x1b[0m";
}

}  // namespace oxpool::ctl
