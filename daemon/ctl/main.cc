// oxpoolctl: see README.md in this folder.

#include <signal.h>

#include <boost/json/object.hpp>
#include <cstdio>
#include <exception>

#include "daemon/ctl/arguments.h"
#include "daemon/ctl/completion.h"
#include "daemon/ctl/json_output.h"
#include "daemon/ctl/verbs.h"
#include "shm/layout.h"

namespace oxpool::ctl {

int fail(const Arguments& arguments, const Failure& failure) {
  std::fprintf(stderr, "oxpoolctl: %s\n", failure.sentence.c_str());
  if (arguments.json) {
    print(boost::json::object{{"error", {{"code", failure.code}, {"message", failure.sentence}}}});
  }
  return kRefused;
}

void print(const Lines& lines) {
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

void print(const boost::json::value& value) { std::fputs(line_of(value).c_str(), stdout); }

namespace {

// The daemon's version only if it is there: a version is asked for when something is wrong.
int version(const Arguments& arguments) {
  v1::GetServerInfoResponse info;
  Client client(arguments, milliseconds(1000));
  const Failure failure = client.call(v1::GetServerInfoRequest(), &info);
  if (arguments.json) {
    boost::json::object json{{"oxpoolctl", OXPOOL_VERSION}};
    json["oxpoold"] = failure ? boost::json::value(nullptr) : boost::json::value(json_of(info));
    print(json);
    return kDone;
  }
  std::printf("oxpoolctl %s\n", OXPOOL_VERSION);
  if (failure) {
    std::printf("oxpoold unknown: %s\n", failure.sentence.c_str());
  } else {
    std::printf("oxpoold %s (segment layout %s)\n", info.version().c_str(),
                info.segment_layout().c_str());
  }
  return kDone;
}

int run(const Arguments& arguments) {
  switch (arguments.verb) {
    case Verb::kTop:
      return run_top(arguments);
    case Verb::kWatch:
      return run_watch(arguments);
    case Verb::kEvict:
    case Verb::kResize:
    case Verb::kPause:
    case Verb::kResume:
    case Verb::kDrain:
    case Verb::kMutexReset:
      return change(arguments);
    case Verb::kWait:
      return run_wait(arguments);
    case Verb::kDoctor:
      return run_doctor(arguments);
    case Verb::kCompletion:
      std::fputs(completion_script(arguments.shell).c_str(), stdout);
      return kDone;
    case Verb::kVersion:
      return version(arguments);
    default:
      return look(arguments);
  }
}

}  // namespace

}  // namespace oxpool::ctl

int main(int argc, char** argv) {
  using namespace oxpool::ctl;
  signal(SIGPIPE, SIG_IGN);  // a pager that was left is noticed at the write
  Arguments arguments;
  if (const auto exit_code = parse_arguments(argc, argv, &arguments)) return *exit_code;
  int exit_code = kRefused;
  try {
    exit_code = run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oxpoolctl: ended by an error that nothing here foresaw: %s\n",
                 error.what());
  }
  if (std::fflush(stdout) != 0 && exit_code == kDone) exit_code = kRefused;
  return exit_code;
}
