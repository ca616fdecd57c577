#include "tests/hostile/outsider.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "tests/hostile/mutations.h"
#include "tests/hostile/newcomer.h"
#include "tests/hostile/strangers.h"
#include "tests/hostile/victim.h"
#include "tests/unit/wait_until.h"

namespace oxpool::test {

namespace {

constexpr int kMutationsPerRound = 64;
constexpr useconds_t kRoundPauseUs = 40'000;
constexpr int64_t kUsableAgainSeconds = 60;
constexpr int kTimeoutMs = 10'000;
constexpr int kDescriptorsTried = 64;

bool become(uid_t uid) {
  return setgroups(0, nullptr) == 0 && setresgid(uid, uid, uid) == 0 &&
         setresuid(uid, uid, uid) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

class Attempts {
 public:
  Attempts(const Outsider& self, OutsiderReport& report) : self_(self), report_(report) {}

  void make_all(Victim& own, Random& random) {
    try_files();
    try_directory();
    try_daemon();
    try_hellos(random);
    try_descriptors(own);
  }

 private:
  void note(bool reached, const std::string& what) {
    ++report_.attempts;
    if (!reached) return;
    if (report_.reached.fetch_add(1) == 0) {
      std::strncpy(report_.first_reached, what.c_str(), sizeof report_.first_reached - 1);
    }
  }

  void try_files() {
    const std::string own = "uid-" + std::to_string(kOutsiderUid);
    for (const std::string& folder : {std::string("/segments"), std::string("/locks")}) {
      DIR* listing = opendir((self_.runtime_dir + folder).c_str());
      note(listing != nullptr, "list " + folder);
      if (listing != nullptr) closedir(listing);
      for (const std::string& name : {self_.others_namespace, own}) {
        try_open(folder + "/" + name, O_RDONLY);
        try_open(folder + "/" + name, O_RDWR);
      }
    }
    // Whoever can open it can lock it, and keep the next daemon out.
    try_open("/daemon.lock", O_RDONLY);
    try_open("/daemon.lock", O_RDWR);
  }

  void try_open(const std::string& file, int how) {
    const OwnedFd fd(open((self_.runtime_dir + file).c_str(), how | O_CLOEXEC));
    note(fd.valid(), "open " + file);
  }

  void try_directory() {
    const std::string& directory = self_.runtime_dir;
    const std::string socket = directory + "/client.sock";
    note(unlink(socket.c_str()) == 0, "unlink client.sock");
    note(rename(socket.c_str(), (directory + "/other").c_str()) == 0, "rename client.sock");
    note(chmod(socket.c_str(), 0600) == 0, "chmod client.sock");
    note(symlink("/tmp", (directory + "/segments/new").c_str()) == 0, "symlink in segments");
    note(mkdir((directory + "/new").c_str(), 0700) == 0, "mkdir in the directory");
    note(rename((directory + "/locks").c_str(), (directory + "/gone").c_str()) == 0,
         "rename locks");
  }

  void try_daemon() {
    note(kill(self_.daemon, 0) == 0, "signal the daemon");
    const std::string proc = "/proc/" + std::to_string(self_.daemon);
    const OwnedFd memory(open((proc + "/mem").c_str(), O_RDWR | O_CLOEXEC));
    note(memory.valid(), "open the daemon's memory");
    const OwnedFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, self_.daemon, 0)));
    for (int number = 0; number < kDescriptorsTried; ++number) {
      const OwnedFd opened(
          open((proc + "/fd/" + std::to_string(number)).c_str(), O_RDWR | O_CLOEXEC));
      note(opened.valid(), "open a descriptor of the daemon");
      const OwnedFd got(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), number, 0)));
      note(got.valid(), "get a descriptor of the daemon");
    }
    const bool traced = ptrace(PTRACE_SEIZE, self_.daemon, nullptr, nullptr) == 0;
    if (traced) ptrace(PTRACE_DETACH, self_.daemon, nullptr, nullptr);
    note(traced, "trace the daemon");
  }

  void try_hellos(Random& random) {
    proto::Hello hello{};
    std::strncpy(hello.namespace_name, self_.others_namespace.c_str(),
                 sizeof hello.namespace_name - 1);
    Handshake hands;
    hello.kind = proto::HelloKind::kAttach;
    note(!shake_hands(self_.runtime_dir, hello, kTimeoutMs, &hands), "attach to another's");
    hello.kind = proto::HelloKind::kResume;
    hello.process = static_cast<uint32_t>(random.below(8));
    hello.process_incarnation = random.below(64);
    note(!shake_hands(self_.runtime_dir, hello, kTimeoutMs, &hands), "resume another's life");
  }

  void try_descriptors(Victim& own) {
    for (const int fd : {own.segment_fd(), own.token_fd()}) {
      note(fchmod(fd, 0666) == 0, "fchmod what was passed");
      note(fchown(fd, kOutsiderUid, kOutsiderUid) == 0, "fchown what was passed");
      const std::string path =
          "/proc/self/fd/" + std::to_string(fd) + "/../" + self_.others_namespace;
      const OwnedFd beside(open(path.c_str(), O_RDWR | O_CLOEXEC));
      note(beside.valid(), "open beside what was passed");
    }
  }

  const Outsider& self_;
  OutsiderReport& report_;
};

// The lock file is his as well, through the token: bytes of it, its end and its contents.
void spoil_lock_file(const Victim& own, Random& random) {
  struct flock bytes {};
  bytes.l_type = random.one_in(4) ? F_UNLCK : F_WRLCK;
  bytes.l_whence = SEEK_SET;
  bytes.l_start = static_cast<off_t>(random.below(64));
  bytes.l_len = static_cast<off_t>(random.below(8));  // 0: all from there
  fcntl(own.token_fd(), F_OFD_SETLK, &bytes);
  if (random.one_in(2)) (void)!ftruncate(own.token_fd(), static_cast<off_t>(random.below(4096)));
  if (random.one_in(2)) (void)!pwrite(own.token_fd(), "nonsense", 8, 0);
}

}  // namespace

int be_outsider(const Outsider& self, OutsiderReport& report) {
  if (!become(kOutsiderUid)) return 1;
  Random random(self.seed);
  Victim own(self.runtime_dir, "");
  Strangers strangers(self.runtime_dir + "/client.sock", "uid-");
  Attempts attempts(self, report);
  for (uint64_t round = 0; report.mutations < self.mutations; ++round) {
    strangers.come(random);
    report.connections = strangers.connections();
    if (!own.attached() && !own.attach().empty()) {
      usleep(kRoundPauseUs);
      strangers.go_away();
      continue;
    }
    if (round % 4 == 0) attempts.make_all(own, random);
    if (random.one_in(6)) burden(own, static_cast<Burden>(random.below(kBurdenCount)), random);
    for (int i = 0; i < kMutationsPerRound; ++i) mutate(own, random);
    report.mutations += kMutationsPerRound;
    own.replace_some(random);
    spoil_lock_file(own, random);
    usleep(kRoundPauseUs);
    if (random.one_in(3)) own.restore();
    const bool ruined = random.one_in(40);
    if (ruined) destroy(own, random);
    if (ruined || random.one_in(30)) own.leave();
  }
  own.leave();
  strangers.go_away();
  std::string problem;
  const bool usable =
      wait_until([&] { return (problem = why_not_usable(self.runtime_dir, "")).empty(); },
                 kUsableAgainSeconds);
  if (!usable) std::strncpy(report.problem, problem.c_str(), sizeof report.problem - 1);
  return 0;
}

}  // namespace oxpool::test
