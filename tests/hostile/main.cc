// A real daemon against clients that scribble on their segments, cut them, and send nonsense, while
// workers of another namespace must not notice.
//
//   hostile_test [--mutations N] [--seed S] [--oxpoold PATH]
//
// Run by root, another uid attacks as well: it must not even reach what is others'.
//
// Prints what was done and seen. Exit code 0 when every promise was kept, 1 otherwise, with the
// seed that repeats the attack (what the daemon is doing at each instant differs, though).

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/hostile/daemon_process.h"
#include "tests/hostile/health_probe.h"
#include "tests/hostile/mutations.h"
#include "tests/hostile/neighbours.h"
#include "tests/hostile/newcomer.h"
#include "tests/hostile/outsider.h"
#include "tests/hostile/strangers.h"
#include "tests/hostile/victim.h"
#include "tests/unit/child_process.h"
#include "tests/unit/shared_page.h"
#include "tests/unit/wait_until.h"

namespace {

using namespace oxpool;
using namespace oxpool::test;

constexpr int kVictims = 6;
constexpr int kMutationsPerRound = 64;
constexpr useconds_t kRoundPauseUs = 40'000;  // so that the daemon's chores meet the damage
constexpr int64_t kSlowestAnswerNs = 5 * shm::kNanosPerSecond;
// A broken segment goes after two looks, 5 s apart; this machine may be busy.
constexpr int64_t kUsableAgainNs = 60 * shm::kNanosPerSecond;
constexpr uint64_t kMaxGrowthBytes = uint64_t{48} << 20;
constexpr size_t kMaxMoreDescriptors = 16;
constexpr int kOutsiderSeconds = 600;  // a watchdog

struct Options {
  uint64_t mutations = 100'000;
  uint64_t seed = 0;
  std::string oxpoold = OXPOOL_DAEMON_BINARY;
};

constexpr const char* kSmallTables =
    "processes = 64\nlanes = 64\nextra_tickets = 16\npools = 16\nseats = 64\nchunks = 16\n"
    "places = 16\nmutexes = 16\nmutex_seats = 64\nvalue_bytes = 16384\n";

std::string config_with(const std::string& tables) {
  const std::string uid = std::to_string(geteuid());
  std::string text =
      "[access]\nusers = [" + uid + "]\n[namespaces.neighbours]\nusers = [" + uid + "]\n";
  for (int i = 0; i < kVictims; ++i) {
    text += "[namespaces.victim" + std::to_string(i) + "]\nusers = [" + uid + "]\n";
  }
  return text + "[limits]\n" + tables;
}

// The sanitizer's words, or else the last lines.
std::string tail_of(const std::string& log) {
  const size_t at = log.find("ERROR: AddressSanitizer");
  const size_t error = at != std::string::npos ? at : log.find("runtime error:");
  if (error != std::string::npos) return log.substr(error, 8000);
  return log.substr(log.size() - std::min<size_t>(log.size(), 4000));
}

class Attack {
 public:
  Attack(const Options& options, const std::string& tables, uint64_t mutations)
      : mutations_(mutations),
        random_(options.seed),
        daemon_(options.oxpoold, config_with(tables)),
        neighbours_(daemon_.runtime_dir(), "neighbours"),
        probe_(daemon_.http_port()),
        strangers_(daemon_.client_socket(), "victim") {
    for (int i = 0; i < kVictims; ++i) {
      victims_.push_back(
          {std::make_unique<Victim>(daemon_.runtime_dir(), "victim" + std::to_string(i)),
           shm::monotonic_ns()});
    }
  }

  // Empty, or which promise was not kept.
  std::string run() {
    for (size_t bytes = 0; bytes <= sizeof(proto::Hello); ++bytes) strangers_.drop_after(bytes);
    uint64_t own_bytes = 0;
    size_t descriptors = 0;
    for (uint64_t round = 0; done_ < mutations_; ++round) {
      play_round(victims_[round % kVictims]);
      if (!trouble().empty()) return trouble();
      if (own_bytes == 0 && done_ > mutations_ / 10) {
        strangers_.go_away();
        own_bytes = daemon_.own_bytes();
        descriptors = daemon_.open_descriptors();
      }
    }
    strangers_.go_away();
    for (Target& target : victims_) leave(target);
    for (Target& target : victims_) {
      if (!wait_until([&] { return usable(*target.victim) || !trouble().empty(); },
                      kUsableAgainNs / shm::kNanosPerSecond)) {
        return "namespace " + target.victim->name() +
               " could not be used again after everybody had left: " + last_problem_;
      }
    }
    growth_bytes_ = static_cast<int64_t>(daemon_.own_bytes()) - static_cast<int64_t>(own_bytes);
    if (growth_bytes_ > static_cast<int64_t>(kMaxGrowthBytes)) {
      return "the daemon grew by " + std::to_string(growth_bytes_ >> 20) + " MiB";
    }
    if (!wait_until(
            [&] { return daemon_.open_descriptors() <= descriptors + kMaxMoreDescriptors; })) {
      return "the daemon has " + std::to_string(daemon_.open_descriptors()) +
             " descriptors open, and had " + std::to_string(descriptors);
    }
    if (cut_ && !daemon_.log_has("segment broken")) return "no damage was reported in the log";
    if (!neighbours_.stop()) return "a neighbour did not end";
    if (!trouble().empty()) return trouble();
    if (const int code = daemon_.stop(); code != 0) {
      return "the daemon ended with " + std::to_string(code);
    }
    return "";
  }

  void print() const {
    std::printf("  mutations %lu, burdens %lu, processes killed %lu, segments ruined %lu\n", done_,
                burdens_, killed_, ruined_);
    std::printf("  connections of strangers %lu\n", strangers_.connections());
    std::printf("  neighbours: acquires %lu, attaches %lu, slowest acquire %ld ms, errors %lu\n",
                neighbours_.acquires(), neighbours_.attaches(),
                neighbours_.slowest_acquire_ns() / shm::kNanosPerMilli, neighbours_.errors());
    std::printf("  /healthz: answers %lu, slowest %ld ms\n", probe_.answers(),
                probe_.slowest_ns() / shm::kNanosPerMilli);
    std::printf("  the daemon's own memory grew by %ld KiB\n", growth_bytes_ / 1024);
    for (const auto& [what, count] : refusals_)
      std::printf("  refused %lu x: %s\n", count, what.c_str());
    std::fflush(stdout);
  }

  std::string log_tail() const { return tail_of(daemon_.log()); }

 private:
  struct Target {
    std::unique_ptr<Victim> victim;
    int64_t left_ns;
  };

  void play_round(Target& target) {
    Victim& victim = *target.victim;
    strangers_.come(random_);
    if (!victim.attached()) {
      attach(target);
      return;
    }
    if (random_.one_in(6)) {
      burden(victim, static_cast<Burden>(random_.below(kBurdenCount)), random_);
      ++burdens_;
      usleep(kRoundPauseUs);
    }
    for (int i = 0; i < kMutationsPerRound; ++i) {
      mutate(victim, random_);
      if (i == kMutationsPerRound / 2) {
        victim.replace_some(random_);
        ++killed_;
      }
    }
    done_ += kMutationsPerRound;
    usleep(kRoundPauseUs);
    if (random_.one_in(3)) victim.restore();
    if (random_.one_in(40)) {
      const std::string what = destroy(victim, random_);
      cut_ |= what.rfind("cut", 0) == 0;
      ++ruined_;
      leave(target);
    } else if (random_.one_in(30)) {
      leave(target);
    }
  }

  void attach(Target& target) {
    const std::string refusal = target.victim->attach();
    if (refusal.empty()) return;
    ++refusals_[refusal.substr(0, refusal.find(" can not be used"))];
    last_problem_ = refusal;
    usleep(10'000);
    strangers_.go_away();  // one of them may be attached to it
    if (shm::monotonic_ns() - target.left_ns > kUsableAgainNs) {
      problem_ = target.victim->name() + " was not to be had again: " + refusal;
    }
  }

  void leave(Target& target) {
    target.victim->leave();
    target.left_ns = shm::monotonic_ns();
  }

  bool usable(const Victim& victim) {
    last_problem_ = why_not_usable(daemon_.runtime_dir(), victim.name());
    return last_problem_.empty();
  }

  std::string trouble() {
    if (!problem_.empty()) return problem_;
    if (!daemon_.running()) return "the daemon ended";
    if (neighbours_.errors() != 0) return "a neighbour was disturbed: " + neighbours_.complaint();
    if (probe_.failures() != 0 || probe_.slowest_ns() > kSlowestAnswerNs) {
      return "/healthz took " + std::to_string(probe_.slowest_ns() / shm::kNanosPerMilli) + " ms";
    }
    return probe_.reading_failure();
  }

  const uint64_t mutations_;
  Random random_;
  DaemonProcess daemon_;
  Neighbours neighbours_;
  HealthProbe probe_;
  Strangers strangers_;
  std::vector<Target> victims_;
  std::map<std::string, uint64_t> refusals_;
  std::string problem_;
  std::string last_problem_;
  int64_t growth_bytes_ = 0;
  uint64_t done_ = 0;
  uint64_t burdens_ = 0;
  uint64_t killed_ = 0;
  uint64_t ruined_ = 0;
  bool cut_ = false;
};

bool attack(const Options& options, const char* title, const std::string& tables,
            uint64_t mutations) {
  const int64_t began_ns = shm::monotonic_ns();
  Attack attack(options, tables, mutations);
  const std::string broken_promise = attack.run();
  std::printf("%s, %ld s\n", title, (shm::monotonic_ns() - began_ns) / shm::kNanosPerSecond);
  attack.print();
  if (broken_promise.empty()) return true;
  std::printf("FAILED: %s\n  repeat with --seed %lu\n%s\n", broken_promise.c_str(), options.seed,
              attack.log_tail().c_str());
  return false;
}

// Another uid against everybody else, the daemon's files and the daemon itself.
bool attack_from_outside(const Options& options, uint64_t mutations) {
  const int64_t began_ns = shm::monotonic_ns();
  DaemonProcess daemon(options.oxpoold,
                       "[access]\nusers = [0, " + std::to_string(kOutsiderUid) +
                           "]\nsocket_mode = \"0666\"\n[namespaces.neighbours]\nusers = [0]\n"
                           "[limits]\n" +
                           kSmallTables);
  SharedPage<OutsiderReport> report;
  const Outsider outsider{daemon.runtime_dir(), "neighbours", daemon.pid(), mutations,
                          options.seed};
  ChildProcess child([&] { return be_outsider(outsider, *report); });
  Neighbours neighbours(daemon.runtime_dir(), outsider.others_namespace);
  HealthProbe probe(daemon.http_port());
  const int code = child.wait(kOutsiderSeconds);
  const bool stopped = neighbours.stop();

  std::string problem = report->problem;
  if (code != 0) problem = "the outsider ended with " + std::to_string(code);
  if (report->reached != 0) problem = std::string("the outsider could ") + report->first_reached;
  if (!stopped || neighbours.errors() != 0) {
    problem = "a neighbour was disturbed: " + neighbours.complaint();
  }
  if (probe.failures() != 0 || probe.slowest_ns() > kSlowestAnswerNs) problem = "/healthz was slow";
  if (!daemon.running()) problem = "the daemon ended";
  std::printf("another uid, %ld s\n", (shm::monotonic_ns() - began_ns) / shm::kNanosPerSecond);
  std::printf(
      "  mutations %lu, connections %lu, attempts to reach what is others' %lu, reached %lu\n",
      report->mutations.load(), report->connections.load(), report->attempts.load(),
      report->reached.load());
  std::printf("  neighbours: acquires %lu, slowest acquire %ld ms, errors %lu\n",
              neighbours.acquires(), neighbours.slowest_acquire_ns() / shm::kNanosPerMilli,
              neighbours.errors());
  if (problem.empty()) return true;
  std::printf("FAILED: %s\n  repeat with --seed %lu\n%s\n", problem.c_str(), options.seed,
              tail_of(daemon.log()).c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (getrandom(&options.seed, sizeof(uint32_t), 0) != sizeof(uint32_t)) options.seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--mutations") options.mutations = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seed") options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--oxpoold") options.oxpoold = argv[i + 1];
  }
  std::printf("seed %lu\n", options.seed);
  std::fflush(stdout);
  // Small tables are hit more often; of full size, everything takes longest.
  const uint64_t large = options.mutations / 10;
  bool kept = attack(options, "small tables", kSmallTables, options.mutations - large) &&
              attack(options, "tables of the default sizes", "", large);
  if (geteuid() != 0) {
    std::printf("another uid: skipped, only root can be one\n");
  } else {
    // Fewer: he waits for his segment most of the time.
    kept = kept && attack_from_outside(options, large / 4);
  }
  return kept ? 0 : 1;
}
