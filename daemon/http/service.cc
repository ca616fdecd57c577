#include "daemon/http/service.h"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "daemon/event.h"
#include "shm/clock.h"

namespace oxpool::daemon::http {

namespace {
constexpr auto kLookInterval = std::chrono::milliseconds(10);
}

Service::Service(const Router& router, uint32_t max_connections)
    : io_(1), server_(io_, router, max_connections), timer_(io_) {}

Service::~Service() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void Service::listen(const ListenAddress& address) { server_.listen(address); }

void Service::start() {
  thread_ = std::thread([this] { run(); });
}

void Service::run() {
  pthread_setname_np(pthread_self(), "oxpoold-http");
  const auto work = boost::asio::make_work_guard(io_);
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception& error) {  // out of memory; one connection less
      log_event(Level::kError, "request failed", {{"reason", error.what()}});
    }
  }
}

void Service::set_max_connections(uint32_t max_connections) {
  boost::asio::post(io_, [this, max_connections] { server_.set_max_connections(max_connections); });
}

void Service::stop(int64_t deadline_ns, std::function<void()> done) {
  if (!thread_.joinable()) return done();
  boost::asio::post(io_, [this, deadline_ns, done = std::move(done)] {
    server_.stop();
    wait_for_answers(deadline_ns, done);
  });
}

void Service::wait_for_answers(int64_t deadline_ns, const std::function<void()>& done) {
  if (server_.connections() == 0 || shm::monotonic_ns() >= deadline_ns) return done();
  timer_.expires_after(kLookInterval);
  timer_.async_wait([this, deadline_ns, done](const boost::system::error_code& error) {
    if (!error) wait_for_answers(deadline_ns, done);
  });
}

}  // namespace oxpool::daemon::http
