#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "daemon/ctl/json_output.h"
#include "daemon/ctl/pool_argument.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {

std::string time_text(uint64_t unix_ms) {
  const auto seconds = static_cast<time_t>(unix_ms / 1000);
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

}  // namespace

int run_watch(const Arguments& arguments) {
  Client client(arguments, kTimeout);
  v1::WatchPoolsRequest request;
  request.set_interval_ms(static_cast<uint32_t>(arguments.interval.count()));
  if (!arguments.name.empty() &&
      !select(arguments.name, arguments.namespace_, request.mutable_pool())) {
    return fail(arguments, no_such_id(arguments.name));
  }
  const Style style = Style::for_output(STDOUT_FILENO);
  uint32_t seen = 0;
  const Failure failure = client.watch(request, [&](const v1::PoolsSnapshot& snapshot) {
    if (arguments.json) {
      print(json_of(snapshot));
    } else {
      std::printf("%s\n", style.paint(Tone::kFaint, time_text(snapshot.taken_unix_ms())).c_str());
      print(pools_table(snapshot.pools(), style));
    }
    const bool written = std::fflush(stdout) == 0;  // whoever reads may be gone
    return written && ++seen != arguments.count;
  });
  return failure ? fail(arguments, failure) : kDone;
}

}  // namespace oxpool::ctl
