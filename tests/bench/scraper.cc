#include "tests/bench/scraper.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/bench_daemon.h"

namespace oxpool::bench {

namespace {
constexpr std::string_view kRequest = "GET /metrics HTTP/1.1\r\nHost: bench\r\n\r\n";
constexpr std::string_view kLength = "Content-Length: ";
constexpr size_t kReadBytes = size_t{256} << 10;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "oxpool_bench: %s\n", what);
  std::exit(1);
}
}  // namespace

Scraper::Scraper() { connect(); }

Scraper::~Scraper() { close(socket_); }

void Scraper::connect() {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(BenchDaemon::instance().http_port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail("no connection to /metrics");
  }
}

size_t Scraper::scrape() {
  if (send(socket_, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) fail("/metrics hung up");
  size_t used = 0;
  size_t whole = 0;  // header and body, once known
  size_t body = 0;
  while (whole == 0 || used < whole) {
    if (buffer_.size() < used + kReadBytes) buffer_.resize(used + kReadBytes);
    const ssize_t got = recv(socket_, buffer_.data() + used, kReadBytes, 0);
    if (got <= 0) fail("/metrics hung up");
    used += static_cast<size_t>(got);
    if (whole != 0) continue;
    const std::string_view text(buffer_.data(), used);
    const size_t end = text.find("\r\n\r\n");
    const size_t length = text.find(kLength);
    if (end == std::string_view::npos) continue;
    if (length == std::string_view::npos || text.substr(9, 3) != "200") fail("/metrics failed");
    body = std::strtoull(text.data() + length + kLength.size(), nullptr, 10);
    whole = end + 4 + body;
  }
  return body;
}

}  // namespace oxpool::bench
