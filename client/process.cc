#include "client/process.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace oxpool {

namespace {

constexpr int64_t kTendEveryNs = shm::kNanosPerSecond;
constexpr int64_t kMaxBackoffNs = 10 * shm::kNanosPerSecond;
constexpr int kResumeTimeoutMs = 100;

Error check_options(const ProcessOptions& options) {
  if (options.namespace_name.size() >= proto::kNamespaceBytes) {
    return Error::make(Status::kRefused,
                       "namespace '" + options.namespace_name + "' has " +
                           std::to_string(options.namespace_name.size()) + " bytes; at most " +
                           std::to_string(proto::kNamespaceBytes - 1) + " are allowed");
  }
  return Error::ok();
}

proto::Hello hello_of(const ProcessOptions& options) {
  proto::Hello hello{};
  hello.kind = proto::HelloKind::kAttach;
  std::memcpy(hello.namespace_name, options.namespace_name.data(), options.namespace_name.size());
  std::memcpy(hello.program, options.program.data(),
              std::min<size_t>(options.program.size(), proto::kProgramBytes - 1));
  return hello;
}

Error from_segment_error(shm::Error error) {
  return Error::make(error.code == shm::ErrorCode::kAbi ? Status::kAbi : Status::kProtocol,
                     std::move(error.message));
}

}  // namespace

Error Process::attach(const ProcessOptions& options, std::unique_ptr<Process>* result) {
  if (Error error = check_options(options)) return error;
  Handshake shake;
  if (Error error =
          shake_hands(options.runtime_dir, hello_of(options), options.connect_timeout_ms, &shake)) {
    return error;
  }
  std::unique_ptr<Process> process(new Process);
  process->options_ = options;
  // The segment's descriptor is closed when `shake` goes: nothing here can truncate it afterwards.
  if (shm::Error error = shm::MappedSegment::map(
          shake.segment.get(), "the segment that oxpoold sent", &process->segment_)) {
    return from_segment_error(std::move(error));
  }
  process->namespace_name_.assign(
      shake.reply.namespace_name,
      strnlen(shake.reply.namespace_name, sizeof shake.reply.namespace_name));
  process->index_ = shake.reply.process;
  process->incarnation_ = shake.reply.process_incarnation;
  const shm::ProcessRecord* record = process->view().process(process->index_);
  if (record == nullptr || !process->incarnation_ ||
      record->incarnation.load(std::memory_order_acquire) != process->incarnation_) {
    return Error::make(Status::kProtocol, "oxpoold answered with process record " +
                                              std::to_string(process->index_) +
                                              ", which is not this process's");
  }
  process->clock_offset_ns_ = shake.clock_offset_ns;
  process->token_ = std::move(shake.token);
  process->session_ = std::move(shake.session);
  process->liveness_ = shm::Liveness(process->segment_.view(), process->token_.get(),
                                     process->index_, process->incarnation_);
  close_in_forked_child(process->token_.get());
  close_in_forked_child(process->session_.get());
  *result = std::move(process);
  return Error::ok();
}

Process::~Process() {
  if (forked()) {  // the atfork handler has closed them; their numbers may be others' by now
    token_.release();
    session_.release();
    return;
  }
  forget_in_forked_child(session_.get());
  forget_in_forked_child(token_.get());
}

bool Process::daemon_lives() const {
  const uint64_t incarnation =
      view().process(shm::kDaemonProcess)->incarnation.load(std::memory_order_acquire);
  return incarnation != 0 && !liveness_.process_dead(shm::kDaemonProcess, incarnation);
}

bool Process::session_ended() const {
  if (!session_.valid()) return true;
  char byte;
  const ssize_t got = recv(session_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void Process::tend_session() {
  if (forked() || lost()) return;
  const int64_t now_ns = shm::coarse_ns();
  if (now_ns < next_tend_ns_.load(std::memory_order_relaxed)) return;
  std::unique_lock lock(session_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is at it
  if (session_ended()) {
    resume_session();
  }
  next_tend_ns_.store(now_ns + std::max(kTendEveryNs, backoff_ns_), std::memory_order_relaxed);
}

void Process::resume_session() {
  session_open_.store(false, std::memory_order_relaxed);
  if (session_.valid()) {
    forget_in_forked_child(session_.get());
    session_.reset();
  }
  proto::Hello hello = hello_of(options_);
  hello.kind = proto::HelloKind::kResume;
  hello.process = index_;
  hello.process_incarnation = incarnation_;
  std::memcpy(hello.segment_identity, view().header().identity, sizeof hello.segment_identity);
  Handshake shake;
  if (Error error = shake_hands(options_.runtime_dir, hello, kResumeTimeoutMs, &shake)) {
    if (error.status == Status::kFenced) lost_.store(true, std::memory_order_relaxed);
    backoff_ns_ = std::clamp(backoff_ns_ * 2, kTendEveryNs, kMaxBackoffNs);
    return;
  }
  session_ = std::move(shake.session);
  close_in_forked_child(session_.get());
  session_open_.store(true, std::memory_order_relaxed);
  backoff_ns_ = 0;
}

}  // namespace oxpool
