#include "daemon/ctl/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

#include "daemon/ctl/text.h"

namespace oxpool::ctl {

namespace {

std::string check_duration(const std::string& text) {
  return parse_duration(text) ? "" : text + " is no duration; it takes a number with ms, s, m or h";
}

std::string check_not_empty(const std::string& text) {
  return text.empty() ? "an empty value names nothing" : "";
}

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// CLI::App with every verb; what is typed goes into *result.
class CommandLine {
 public:
  explicit CommandLine(Arguments* result)
      : result_(*result), app_("Looks at the pools of an oxpoold, and steers them.", "oxpoolctl") {
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.option_defaults()->always_capture_default(false);
    add_common_options();
    add_looking_verbs();
    add_changing_verbs();
    add_other_verbs();
    app_.set_version_flag("--version", "oxpoolctl " OXPOOL_VERSION);
    app_.footer(
        "POOL is a name, or digits for an id; name:12 forces a name.\n"
        "Exit codes: 0 done, 1 refused or failed (doctor: something was found), 2 usage.");
  }

  CLI::App& app() { return app_; }

 private:
  void duration(CLI::App* app, const std::string& name, const std::string& help,
                std::function<void(milliseconds)> take) {
    app->add_option_function<std::string>(
           name, [take](const std::string& text) { take(*parse_duration(text)); }, help)
        ->type_name("DURATION")
        ->check(check_duration);
  }

  void add_common_options() {
    app_.add_option("--runtime-dir", result_.runtime_dir,
                    "the daemon's runtime directory (default: /run/oxpool; also from the "
                    "environment: OXPOOL_RUNTIME_DIR)")
        ->type_name("DIR")
        ->check(check_not_empty);
    app_.add_option("--admin", result_.admin,
                    "where the daemon serves its admin interface, instead of admin.sock in the "
                    "runtime directory")
        ->type_name("unix:PATH|HOST:PORT")
        ->check(check_not_empty);
    app_.add_option("--tls-ca", result_.tls.ca,
                    "for HOST:PORT: who signed the daemon's certificate")
        ->type_name("FILE");
    app_.add_option("--tls-cert", result_.tls.cert, "for HOST:PORT: the certificate to show")
        ->type_name("FILE");
    app_.add_option("--tls-key", result_.tls.key, "for HOST:PORT: its key")->type_name("FILE");
    app_.add_option("--tls-name", result_.tls.name,
                    "for HOST:PORT: the name in the daemon's certificate, if it is not HOST")
        ->type_name("NAME");
    app_.add_flag("--json", result_.json, "JSON for programs instead of a table");
    duration(&app_, "--timeout",
             "how long to wait for the daemon (default: 5s, with --wait 30s; 0 = for ever)",
             [this](milliseconds timeout) { result_.timeout = timeout; });
  }

  CLI::App* verb(const std::string& name, Verb verb, const std::string& help) {
    CLI::App* app = app_.add_subcommand(name, help);
    app->callback([this, verb] { result_.verb = verb; });
    app->fallthrough();
    return app;
  }
  CLI::Option* pool(CLI::App* app) {
    app->add_option("--namespace", result_.namespace_, "which namespace the pool's name is of")
        ->type_name("NAMESPACE");
    return app->add_option("POOL", result_.name, "a name, or digits for an id")
        ->type_name("")
        ->check(check_not_empty);
  }
  void pool_or_all(CLI::App* app) {
    CLI::Option* one = pool(app);
    CLI::Option* all = app->add_flag("--all", result_.all, "all pools of all namespaces");
    one->excludes(all);
    app->parse_complete_callback([this] {
      if (result_.name.empty() && !result_.all) {
        throw CLI::RequiredError("POOL or --all");
      }
    });
  }
  void wait_flag(CLI::App* app, const std::string& until) {
    app->add_flag("--wait", result_.wait, "wait until " + until + ", or for --timeout");
  }

  void add_looking_verbs() {
    CLI::App* list = verb("list", Verb::kList, "all pools");
    list->add_option("--namespace", result_.namespace_, "of this namespace only")
        ->type_name("NAMESPACE");
    pool(verb("stats", Verb::kStats, "a pool in numbers, or the counters of all"));
    CLI::App* top = verb("top", Verb::kTop, "pools as they change, sorted; q quits");
    duration(top, "--interval", "how often to look (default: 1s)",
             [this](milliseconds interval) { result_.interval = interval; });
    top->add_option("--sort", result_.sort, "by what (default: waiting)")
        ->check(CLI::IsMember({"waiting", "use", "rate", "name", "id"}));
    CLI::App* watch = verb("watch", Verb::kWatch, "a pool, or all, once an interval");
    pool(watch);
    duration(watch, "--interval", "how often to look (default: 1s)",
             [this](milliseconds interval) { result_.interval = interval; });
    watch->add_option("--count", result_.count, "end after so many (default: go on)")
        ->type_name("N");
    CLI::App* holders = verb("holders", Verb::kHolders, "who has a pool's slots, since when");
    pool(holders)->required();
    holders->add_flag("--in-use", result_.in_use_only, "only slots that are in use");
    pool(verb("waiters", Verb::kWaiters, "who waits for a pool, the next one first"))->required();
    CLI::App* processes = verb("processes", Verb::kProcesses, "worker processes that are attached");
    processes->add_option("--namespace", result_.namespace_, "of this namespace only")
        ->type_name("NAMESPACE");
    CLI::App* mutexes = verb("mutexes", Verb::kMutexes, "all mutexes");
    mutexes->add_option("--namespace", result_.namespace_, "of this namespace only")
        ->type_name("NAMESPACE");
  }

  void add_changing_verbs() {
    CLI::App* evict = verb("evict", Verb::kEvict, "have idle slots closed by their workers");
    pool_or_all(evict);
    wait_flag(evict, "they are closed");
    CLI::App* resize =
        verb("resize", Verb::kResize, "set a cap that stands above the one workers ask for");
    CLI::Option* one = pool(resize);
    one->required();
    CLI::Option* size =
        resize
            ->add_option_function<std::string>(
                "N", [this](const std::string& text) { result_.size = whole_number(text); },
                "the new cap")
            ->type_name("")
            ->check([](const std::string& text) {
              return whole_number(text) ? "" : text + " is no whole number";
            });
    CLI::Option* unset =
        resize->add_flag("--unset", result_.unset, "give the cap back to the workers");
    size->excludes(unset);
    resize->parse_complete_callback([this] {
      if (!result_.size && !result_.unset) throw CLI::RequiredError("N or --unset");
      if (result_.size && *result_.size < 1) {
        throw CLI::ValidationError("N", std::to_string(*result_.size) +
                                            " is no cap; it takes 1 or more (pause stops a pool)");
      }
    });
    CLI::App* pause = verb("pause", Verb::kPause, "admit no new acquires: they wait");
    pool(pause)->required();
    pause->add_flag("--fail", result_.fail, "they fail at once, and so do those that wait");
    duration(pause, "--for", "resume by itself after that (default: not)",
             [this](milliseconds time) { result_.pause_for = time; });
    wait_flag(pause, "nothing of the pool is in use");
    pool_or_all(verb("resume", Verb::kResume, "open a pool that is paused or drained"));
    CLI::App* drain =
        verb("drain", Verb::kDrain, "admit nobody and have everything closed, until resume");
    pool_or_all(drain);
    wait_flag(drain, "everything is closed");
    CLI::App* mutex = app_.add_subcommand("mutex", "a mutex");
    mutex->require_subcommand(1);
    mutex->fallthrough();
    CLI::App* reset = mutex->add_subcommand("reset", "make a corrupted mutex usable again");
    reset->callback([this] { result_.verb = Verb::kMutexReset; });
    reset->fallthrough();
    reset->add_option("NAME", result_.name, "a name, or digits for an id")
        ->type_name("")
        ->required()
        ->check(check_not_empty);
    reset->add_option("--namespace", result_.namespace_, "which namespace its name is of")
        ->type_name("NAMESPACE");
  }

  void add_other_verbs() {
    verb("wait", Verb::kWait, "until the daemon is ready (--timeout, default: 30s)");
    CLI::App* doctor = verb("doctor", Verb::kDoctor, "look for what is wrong, and say it");
    duration(doctor, "--interval", "between its two looks (default: 1s)",
             [this](milliseconds interval) { result_.interval = interval; });
    verb("completion", Verb::kCompletion, "a script for a shell to complete what is typed")
        ->add_option("SHELL", result_.shell, "bash, zsh or fish")
        ->type_name("")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb("version", Verb::kVersion, "of this program and of the daemon");
  }

  Arguments& result_;
  CLI::App app_;
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string Arguments::target() const {
  return admin.empty() ? "unix:" + runtime_dir + "/admin.sock" : admin;
}

std::optional<milliseconds> parse_duration(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"h", 3'600'000}};
  constexpr double kLongestMs = 366.0 * 86'400'000;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const auto unit = kUnits.find(std::string(stop, end));
  if (error != std::errc() || unit == kUnits.end()) return std::nullopt;
  const double ms = number * unit->second;
  if (!(ms >= 0 && ms <= kLongestMs)) return std::nullopt;
  return milliseconds(static_cast<int64_t>(ms));
}

std::optional<int> parse_arguments(int argc, const char* const* argv, Arguments* result) {
  if (const char* directory = std::getenv("OXPOOL_RUNTIME_DIR");
      directory != nullptr && *directory != '\0') {
    result->runtime_dir = directory;
  }
  CommandLine command_line(result);
  CLI::App& app = command_line.app();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    // CLI11 says that a subcommand is missing before it says what it did not understand.
    const std::vector<std::string> unknown = app.remaining();
    if (end.get_exit_code() != 0 && app.get_subcommands().empty() && !unknown.empty()) {
      std::fprintf(stderr, "oxpoolctl: %s is no verb or option; --help lists them\n",
                   ctl::quoted(unknown.front()).c_str());
      return kUsage;
    }
    return app.exit(end) == 0 ? kDone : kUsage;
  }
  return std::nullopt;
}

std::vector<VerbSummary> verb_summaries() {
  Arguments ignored;
  CommandLine command_line(&ignored);
  std::vector<VerbSummary> verbs;
  for (const CLI::App* app : command_line.app().get_subcommands([](CLI::App*) { return true; })) {
    const bool takes_pool = app->get_option_no_throw("POOL") != nullptr;
    std::vector<std::string> options = options_of(*app);
    for (const CLI::App* below : app->get_subcommands([](const CLI::App*) { return true; })) {
      for (std::string& name : options_of(*below)) {
        if (!contains(options, name)) options.push_back(std::move(name));
      }
    }
    verbs.push_back({app->get_name(), app->get_description(), std::move(options), takes_pool});
  }
  return verbs;
}

std::vector<std::string> common_options() {
  Arguments ignored;
  CommandLine command_line(&ignored);
  return options_of(command_line.app());
}

}  // namespace oxpool::ctl
