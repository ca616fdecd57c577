// What is said when oxpoolctl is started.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oxpool::ctl {

using std::chrono::milliseconds;

enum class Verb {
  kList,
  kStats,
  kTop,
  kWatch,
  kHolders,
  kWaiters,
  kEvict,
  kResize,
  kPause,
  kResume,
  kDrain,
  kProcesses,
  kMutexes,
  kMutexReset,
  kWait,
  kDoctor,
  kCompletion,
  kVersion,
};

struct TlsFiles {
  std::string ca;    // who signed the daemon's certificate
  std::string cert;  // our own, and
  std::string key;   // its key
  std::string name;  // the name in the daemon's certificate, when it is not the target's
};

struct Arguments {
  Verb verb = Verb::kList;

  std::string runtime_dir = "/run/oxpool";
  std::string admin;  // empty = admin.sock of the runtime directory
  TlsFiles tls;
  bool json = false;
  std::optional<milliseconds> timeout;  // nothing = the verb's default; 0 = none

  std::string name;        // POOL, or the mutex's NAME; empty = none was given
  std::string namespace_;  // empty = any
  bool all = false;
  bool wait = false;
  bool unset = false;
  bool fail = false;
  bool in_use_only = false;
  std::optional<int64_t> size;
  milliseconds pause_for{0};
  milliseconds interval{1000};
  uint32_t count = 0;  // of snapshots; 0 = for ever
  std::string sort = "waiting";
  std::string shell;

  // Where the daemon is: "unix:PATH" or HOST:PORT.
  std::string target() const;
};

inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kUsage = 2;

// Returns an exit code when there is nothing more to do: after --help, or a usage error, which was
// written to standard error.
std::optional<int> parse_arguments(int argc, const char* const* argv, Arguments* result);

// A number with ms, s, m or h; without one it is seconds. Nothing when it is neither, negative, or
// above a year.
std::optional<milliseconds> parse_duration(const std::string& text);

// For completion: what can be typed.
struct VerbSummary {
  std::string name;
  std::string help;
  std::vector<std::string> options;  // with their dashes; those of verbs below it, too
  bool takes_pool = false;
};
std::vector<VerbSummary> verb_summaries();
std::vector<std::string> common_options();

}  // namespace oxpool::ctl
