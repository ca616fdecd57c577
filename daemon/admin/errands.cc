#include "daemon/admin/errands.h"

#include <boost/asio/post.hpp>
#include <string>
#include <utility>

#include "shm/clock.h"

namespace oxpool::daemon::admin {

using grpc::Status;
using grpc::StatusCode;

namespace {

Status stopping() {
  return Status(StatusCode::UNAVAILABLE, "oxpoold is stopping; ask again when it is back");
}

}  // namespace

void Errands::add(Errand errand) {
  Status refusal;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) {
      refusal = stopping();
    } else if (count_ >= kMost) {
      refusal = Status(StatusCode::RESOURCE_EXHAUSTED,
                       std::to_string(kMost) + " calls are being worked on; ask again later");
    } else {
      ++count_;
      incoming_.push_back(std::move(errand));
    }
  }
  if (!refusal.ok()) return errand.finish(refusal);
  boost::asio::post(io_, [this] { take_in(); });
}

void Errands::take_in() {
  std::vector<Errand> incoming;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    incoming.swap(incoming_);
  }
  for (Errand& errand : incoming) begin(std::move(errand));
}

void Errands::begin(Errand errand) {
  std::optional<Status> status;
  if (errand.abandoned()) {
    status = Status(StatusCode::CANCELLED, "the caller went away before anything was done");
  } else if (shm::monotonic_ns() >= errand.deadline_ns) {
    status = Status(StatusCode::DEADLINE_EXCEEDED,
                    "oxpoold did not get to it in time, and did nothing; ask again with more time");
  } else {
    status = errand.step(false);
  }
  if (!status) {
    waiting_.push_back(std::move(errand));
    return ask_again_later();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --count_;
  }
  errand.finish(*status);
}

void Errands::ask_again_later() {
  if (timer_runs_) return;
  timer_runs_ = true;
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const boost::system::error_code& error) {
    timer_runs_ = false;
    if (!error) ask_again();
  });
}

void Errands::ask_again() {
  const int64_t now_ns = shm::monotonic_ns();
  for (auto errand = waiting_.begin(); errand != waiting_.end();) {
    std::optional<Status> status;
    if (errand->abandoned()) {
      status = Status(StatusCode::CANCELLED, "the caller went away");
    } else {
      status = errand->step(now_ns >= errand->deadline_ns);
    }
    if (!status) {
      ++errand;
      continue;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      --count_;
    }
    errand->finish(*status);
    errand = waiting_.erase(errand);
  }
  if (!waiting_.empty()) ask_again_later();
}

void Errands::close() {
  std::vector<Errand> incoming;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    incoming.swap(incoming_);
    count_ = 0;
  }
  timer_.cancel();
  for (Errand& errand : incoming) errand.finish(stopping());
  for (Errand& errand : waiting_) errand.finish(stopping());
  waiting_.clear();
}

}  // namespace oxpool::daemon::admin
