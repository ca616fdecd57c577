#include "client/process.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "client/local_host.h"
#include "shm/lane.h"

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
  const bool may_be_local = options.on_unreachable == OnUnreachable::kLocal;
  if (may_be_local) {
    std::shared_ptr<LocalHost> host = LocalHost::existing();
    if (host != nullptr) return attach_locally(options, std::move(host), result);
  }
  Handshake shake;
  if (Error error =
          shake_hands(options.runtime_dir, hello_of(options), options.connect_timeout_ms, &shake)) {
    if (!may_be_local || error.status != Status::kUnreachable) return error;
    std::shared_ptr<LocalHost> host;
    if (Error failed = LocalHost::find_or_make(error.message, &host)) {
      failed.message += "; " + error.message;
      return failed;
    }
    return attach_locally(options, std::move(host), result);
  }
  std::unique_ptr<Process> process(new Process(options));
  // The segment's descriptor is closed when `shake` goes: nothing here can truncate it afterwards.
  if (shm::Error error = shm::MappedSegment::map(
          shake.segment.get(), "the segment that oxpoold sent", &process->segment_)) {
    return from_segment_error(std::move(error));
  }
  process->namespace_name_.assign(
      shake.reply.namespace_name,
      strnlen(shake.reply.namespace_name, sizeof shake.reply.namespace_name));
  const uint32_t index = shake.reply.process;
  const uint64_t incarnation = shake.reply.process_incarnation;
  const shm::ProcessRecord* record = process->segment_.view().process(index);
  if (record == nullptr || !incarnation ||
      record->incarnation.load(std::memory_order_acquire) != incarnation) {
    return Error::make(Status::kProtocol, "oxpoold answered with process record " +
                                              std::to_string(index) +
                                              ", which is not this process's");
  }
  process->clock_offset_ns_ = shake.clock_offset_ns;
  process->session_ = std::move(shake.session);
  process->note_session();
  close_in_forked_child(process->session_.get());
  process->set_place(process->segment_.view(), std::move(shake.token), index, incarnation);
  *result = std::move(process);
  return Error::ok();
}

Error Process::attach_locally(const ProcessOptions& options, std::shared_ptr<LocalHost> host,
                              std::unique_ptr<Process>* result) {
  LocalPlace place;
  if (Error error = host->attach(options.program, &place)) return error;
  std::unique_ptr<Process> process(new Process(options));
  process->session_open_ = false;
  process->set_place(host->view(), std::move(place.token), place.process, place.incarnation);
  process->local_host_ = std::move(host);
  *result = std::move(process);
  return Error::ok();
}

void Process::set_place(const shm::SegmentView& view, OwnedFd token, uint32_t index,
                        uint64_t incarnation) {
  view_ = view;
  token_ = std::move(token);
  index_ = index;
  incarnation_ = incarnation;
  liveness_ = shm::Liveness(view_, token_.get(), index_, incarnation_);
  close_in_forked_child(token_.get());
}

Process::~Process() {
  if (forked()) {  // the atfork handler has closed them; their numbers may be others' by now
    token_.release();
    session_.release();
    return;
  }
  // A daemon buries whoever leaves it; here the record is cleared first and the token goes last.
  if (local_host_ != nullptr) shm::clear_process(view_, index_);
  forget_in_forked_child(session_.get());
  forget_in_forked_child(token_.get());
}

std::string Process::way_to_more(const char* limit) const {
  if (local_host_ != nullptr) return "a process without oxpoold can have no more: run oxpoold";
  return "raise limits." + std::string(limit) + " in oxpoold.toml";
}

bool Process::daemon_lives() const {
  const uint64_t incarnation =
      view().process(shm::kDaemonProcess)->incarnation.load(std::memory_order_acquire);
  return incarnation != 0 && !liveness_.process_dead(shm::kDaemonProcess, incarnation);
}

bool Process::session_ended() const {
  return !session_.valid() || session_has_ended(session_.get());
}

void Process::ask_for_wakes() {
  if (forked() || lost() || local_host_ != nullptr) return;
  const std::unique_lock lock(session_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !session_.valid()) return;
  // No room: the daemon has not read the last ones yet, and looks when it does.
  send(session_.get(), &proto::kAskForWakes, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Process::note_session() {
  static std::atomic<uint64_t> serials{0};
  session_serial_ = serials.fetch_add(1, std::memory_order_relaxed) + 1;
  for (const int epoll : epolls_) put_session_into(epoll);
}

void Process::put_session_into(int epoll) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  epoll_ctl(epoll, EPOLL_CTL_ADD, session_.get(), &event);
}

void Process::put_sessions_into(int epoll) {
  const std::lock_guard lock(session_mutex_);
  epolls_.push_back(epoll);
  if (session_.valid()) put_session_into(epoll);
}

void Process::put_no_sessions_into(int epoll) {
  const std::lock_guard lock(session_mutex_);
  std::erase(epolls_, epoll);
}

void Process::tend_session() {
  if (forked() || lost() || local_host_ != nullptr) return;
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
  note_session();
  close_in_forked_child(session_.get());
  session_open_.store(true, std::memory_order_relaxed);
  backoff_ns_ = 0;
}

}  // namespace oxpool
