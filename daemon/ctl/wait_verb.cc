#include <chrono>
#include <cstdio>
#include <thread>

#include "daemon/ctl/text.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {
constexpr milliseconds kPause{100};
constexpr milliseconds kOneAnswer{2000};
}  // namespace

int run_wait(const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const milliseconds timeout = arguments.timeout.value_or(kTimeoutOfWaits);
  const auto deadline = Clock::now() + timeout;
  Arguments one_try = arguments;
  one_try.timeout = kOneAnswer;
  Client client(one_try, kOneAnswer);
  if (const Failure failure = client.trouble()) return fail(arguments, failure);
  for (;;) {
    v1::GetServerInfoResponse info;
    Failure failure = client.call(v1::GetServerInfoRequest(), &info);
    if (!failure && info.ready()) return kDone;
    // Asking again gives no permission.
    if (failure.code == "PERMISSION_DENIED") return fail(arguments, failure);
    if (!failure) {
      failure = {"UNAVAILABLE",
                 info.troubles().empty() ? "oxpoold is not ready" : printable(info.troubles(0))};
    }
    if (timeout.count() != 0 && Clock::now() + kPause >= deadline) {
      failure.sentence = "waited " + duration_text(static_cast<uint64_t>(timeout.count())) +
                         " for oxpoold in vain: " + failure.sentence;
      return fail(arguments, failure);
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace oxpool::ctl
