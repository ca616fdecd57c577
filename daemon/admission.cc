#include "daemon/admission.h"

#include <cstddef>
#include <cstring>

#include "daemon/access.h"
#include "daemon/log.h"

namespace oxpool::daemon {

using proto::Hello;
using proto::HelloKind;
using proto::ReplyStatus;

static_assert(offsetof(Hello, magic) == offsetof(HelloHead, magic));
static_assert(offsetof(Hello, bytes) == offsetof(HelloHead, bytes));
static_assert(offsetof(Hello, abi_major) == offsetof(HelloHead, abi_major));

namespace {

Answer refusal(ReplyStatus status, const std::string& message) {
  Answer answer;
  answer.reply = make_reply(status, message);
  return answer;
}

ReplyStatus status_of(shm::ErrorCode code) {
  return code == shm::ErrorCode::kNoRoom ? ReplyStatus::kFull : ReplyStatus::kUnavailable;
}

}  // namespace

std::optional<proto::Reply> Admission::refuse_head(const HelloHead& head) const {
  if (head.magic != proto::kHelloMagic) {
    return make_reply(ReplyStatus::kBadRequest,
                      "what was sent is no hello of an oxpool client; only such clients may "
                      "connect to client.sock");
  }
  if (head.abi_major != shm::kAbiMajor) {
    return make_reply(ReplyStatus::kAbi,
                      "the client has layout version " + std::to_string(head.abi_major) +
                          ", this oxpoold has " + std::to_string(shm::kAbiMajor) +
                          "; install the same version of both");
  }
  if (head.bytes != sizeof(Hello)) {
    return make_reply(ReplyStatus::kBadRequest,
                      "the hello has " + std::to_string(head.bytes) + " bytes instead of " +
                          std::to_string(sizeof(Hello)) + "; install the same version of both");
  }
  return std::nullopt;
}

Answer Admission::answer(const Hello& hello, const Peer& peer, uint32_t sessions_of_uid,
                         int64_t now_ns) {
  if (auto reason = refuse_peer(config_, peer, geteuid(), socket_gid_)) {
    return refusal(ReplyStatus::kRefused, *reason);
  }
  if (sessions_of_uid > config_.limits.sessions_per_uid) {
    return refusal(ReplyStatus::kFull, "uid " + std::to_string(peer.uid) + " has " +
                                           std::to_string(config_.limits.sessions_per_uid) +
                                           " sessions already; raise limits.sessions_per_uid in " +
                                           config_.file_for_people());
  }
  const size_t length = strnlen(hello.namespace_name, sizeof hello.namespace_name);
  const std::string name =
      length == 0 ? default_namespace(peer.uid) : std::string(hello.namespace_name, length);
  if (!is_namespace_name(name)) {
    return refusal(ReplyStatus::kBadRequest,
                   "oxpool.namespace is " + quote(name) +
                       "; it takes 1 to 63 letters, digits, '.', '_' or '-'");
  }
  if (auto reason = refuse_namespace(config_, peer, name)) {
    return refusal(ReplyStatus::kNamespace, *reason);
  }
  switch (hello.kind) {
    case HelloKind::kAttach:
      return attach(name, hello, peer, now_ns);
    case HelloKind::kResume:
      return resume(name, hello, peer);
  }
  return refusal(ReplyStatus::kBadRequest,
                 "a hello of kind " + std::to_string(static_cast<uint32_t>(hello.kind)) +
                     " is not known; install the same version of client and oxpoold");
}

Answer Admission::attach(const std::string& name, const Hello& hello, const Peer& peer,
                         int64_t now_ns) {
  NamespaceSegment* segment = nullptr;
  if (shm::Error error = segments_.find_or_make(name, &segment)) {
    return refusal(status_of(error.code), error.message);
  }
  const std::string_view program(hello.program, strnlen(hello.program, sizeof hello.program));
  Attachment attachment;
  if (shm::Error error = segment->attach(peer, program, now_ns, &attachment)) {
    return refusal(status_of(error.code), error.message);
  }
  Answer answer;
  answer.reply = make_welcome(*segment, attachment.ref);
  answer.process = attachment.ref;
  answer.token = std::move(attachment.token);
  answer.segment_fd = segment->fd();
  return answer;
}

Answer Admission::resume(const std::string& name, const Hello& hello, const Peer& peer) {
  NamespaceSegment* segment = segments_.find(name);
  const auto unknown = [] {
    return refusal(ReplyStatus::kReattach,
                   "this life of the worker is not known here; attach anew");
  };
  if (segment == nullptr) return unknown();
  const ProcessRef ref{segment->serial(), hello.process, hello.process_incarnation};
  const uint64_t* identity = segment->view().header().identity;
  if (std::memcmp(identity, hello.segment_identity, sizeof hello.segment_identity) != 0 ||
      hello.process == shm::kDaemonProcess || !segment->is_current(ref) ||
      !segment->token_held(hello.process)) {
    return unknown();
  }
  // As this daemon sees it: an earlier one may have lived in another PID namespace.
  segment->view()
      .process(hello.process)
      ->pid.store(static_cast<uint32_t>(peer.pid), std::memory_order_relaxed);
  Answer answer;
  answer.reply = make_welcome(*segment, ref);
  answer.process = ref;
  return answer;
}

std::string Admission::namespace_of(const ProcessRef& process) const {
  const NamespaceSegment* segment = segments_.find(process.segment);
  return segment != nullptr ? segment->name() : "";
}

}  // namespace oxpool::daemon
