#include "tests/hostile/health_probe.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "client/connection.h"
#include "shm/clock.h"

namespace oxpool::test {

namespace {
constexpr int kGiveUpSeconds = 10;
constexpr useconds_t kPauseUs = 100'000;
constexpr const char* kPaths[] = {"/metrics",
                                  "/__ox_shared/summary",
                                  "/__ox_shared/entries?limit=500",
                                  "/__ox_shared/entry?id=1",
                                  "/api/v1/pools",
                                  "/api/v1/pool?id=1",
                                  "/api/v1/server",
                                  "/api/v1/events"};
}  // namespace

std::string http_get(uint16_t port, const std::string& path, int timeout_s) {
  const OwnedFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval timeout{timeout_s, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "";
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  char part[4096];
  for (ssize_t got; (got = recv(fd.get(), part, sizeof part, 0)) > 0;) {
    answer.append(part, static_cast<size_t>(got));
  }
  return answer;
}

HealthProbe::HealthProbe(uint16_t port) : port_(port) {
  thread_ = std::thread([this] {
    while (!done_) {
      ask();
      read();
      usleep(kPauseUs);
    }
  });
}

HealthProbe::~HealthProbe() {
  done_ = true;
  thread_.join();
}

void HealthProbe::ask() {
  const int64_t began_ns = shm::monotonic_ns();
  const std::string answer = http_get(port_, "/healthz", kGiveUpSeconds);
  slowest_ns_ = std::max<int64_t>(slowest_ns_, shm::monotonic_ns() - began_ns);
  ++(answer.rfind("HTTP/1.1 200", 0) == 0 ? answers_ : failures_);
}

// What is in a segment is not known, but an answer is whole, and what is not there is told so.
void HealthProbe::read() {
  const char* path = kPaths[next_path_++ % std::size(kPaths)];
  const std::string answer = http_get(port_, path, kGiveUpSeconds);
  const bool told = answer.rfind("HTTP/1.1 200", 0) == 0 || answer.rfind("HTTP/1.1 404", 0) == 0;
  if (told && answer.back() == '\n') return;
  const std::lock_guard<std::mutex> lock(lock_);
  reading_failure_ = std::string(path) + ": " + answer.substr(0, answer.find('\r'));
}

std::string HealthProbe::reading_failure() const {
  const std::lock_guard<std::mutex> lock(lock_);
  return reading_failure_;
}

}  // namespace oxpool::test
