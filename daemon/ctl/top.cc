#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "daemon/ctl/terminal.h"
#include "daemon/ctl/text.h"
#include "daemon/ctl/top_screen.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {

constexpr milliseconds kPauseBeforeNextTry{1000};

// Snapshots as they come, on a thread of its own; a daemon that is gone is asked again.
class Feed {
 public:
  Feed(const Arguments& arguments, Client* client)
      : client_(*client), news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    request_.set_interval_ms(static_cast<uint32_t>(arguments.interval.count()));
    thread_ = std::thread([this] { run(); });
  }
  ~Feed() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    end_.notify_all();
    client_.stop_watching();
    thread_.join();
    close(news_);
  }

  int news_fd() const { return news_; }

  // What came since; false: nothing.
  bool take(v1::PoolsSnapshot* snapshot, std::string* notice) {
    uint64_t ignored = 0;
    if (read(news_, &ignored, sizeof ignored) < 0) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    *snapshot = latest_;
    *notice = notice_;
    return true;
  }

 private:
  void tell() {
    const uint64_t one = 1;
    if (write(news_, &one, sizeof one) < 0) {
      // As many news as that have been told already.
    }
  }

  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ended_) {
      lock.unlock();
      const Failure failure = client_.watch(request_, [this](const v1::PoolsSnapshot& snapshot) {
        const std::lock_guard<std::mutex> guard(mutex_);
        latest_ = snapshot;
        notice_.clear();
        tell();
        return !ended_;
      });
      lock.lock();
      if (ended_) return;
      notice_ = failure ? failure.sentence : "oxpoold ended the stream";
      tell();
      end_.wait_for(lock, kPauseBeforeNextTry, [this] { return ended_; });
    }
  }

  Client& client_;
  v1::WatchPoolsRequest request_;
  const int news_;
  std::thread thread_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable end_;
  v1::PoolsSnapshot latest_;
  std::string notice_;
  bool ended_ = false;
};

// Returns true for q.
bool take_keys(TopState* state) {
  char keys[64];
  for (ssize_t got; (got = read(STDIN_FILENO, keys, sizeof keys)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (keys[i] == 'q' || keys[i] == 'Q' || keys[i] == 3) return true;
      if (keys[i] == 's') state->sort = next_sort(state->sort);
      if (keys[i] == ' ') state->frozen = !state->frozen;
    }
  }
  return false;
}

void take_news(Feed* feed, TopState* state) {
  v1::PoolsSnapshot snapshot;
  if (!feed->take(&snapshot, &state->notice) || state->frozen) return;
  if (snapshot.taken_us() == state->now.taken_us()) return;
  state->before = std::move(state->now);
  state->now = std::move(snapshot);
}

}  // namespace

int run_top(const Arguments& arguments) {
  if (!Terminal::there()) {
    return fail(arguments, {"FAILED_PRECONDITION",
                            "top needs a terminal on standard input and output; watch writes "
                            "anywhere, and list once"});
  }
  Client client(arguments, kTimeout);
  // What will not work is told where it stays to be read.
  v1::GetServerInfoResponse info;
  if (const Failure failure = client.call(v1::GetServerInfoRequest(), &info)) {
    return fail(arguments, failure);
  }
  TopState state;
  state.sort = arguments.sort;
  state.source = printable(arguments.target());
  const Style style = Style::for_output(STDOUT_FILENO);
  Terminal terminal;
  Feed feed(arguments, &client);
  for (;;) {
    const Terminal::Size size = terminal.size();
    if (state.now.taken_us() != 0 || !state.notice.empty()) {
      terminal.show(top_screen(state, size.columns, size.lines, style));
    }
    pollfd fds[] = {
        {STDIN_FILENO, POLLIN, 0}, {terminal.signal_fd(), POLLIN, 0}, {feed.news_fd(), POLLIN, 0}};
    if (poll(fds, std::size(fds), -1) < 0) continue;  // by a signal, which the next turn takes
    if (terminal.take_signals()) return kDone;
    if ((fds[0].revents & (POLLHUP | POLLERR)) != 0) return kDone;  // the terminal is gone
    if (take_keys(&state)) return kDone;
    take_news(&feed, &state);
  }
}

}  // namespace oxpool::ctl
