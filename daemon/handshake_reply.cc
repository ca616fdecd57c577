#include "daemon/handshake_reply.h"

#include <algorithm>
#include <cstring>

#include "shm/clock.h"
#include "shm/layout.h"

namespace oxpool::daemon {

namespace {
// Fits `text` and its NUL into a zeroed field.
template <size_t kBytes>
void put(const std::string& text, char (&field)[kBytes]) {
  std::memcpy(field, text.data(), std::min(text.size(), kBytes - 1));
}
}  // namespace

proto::Reply make_reply(proto::ReplyStatus status, const std::string& message) {
  proto::Reply reply{};
  reply.magic = proto::kReplyMagic;
  reply.bytes = sizeof reply;
  reply.abi_major = shm::kAbiMajor;
  reply.abi_minor = shm::kAbiMinor;
  reply.status = status;
  reply.monotonic_ns = shm::monotonic_ns();
  put(message, reply.message);
  return reply;
}

proto::Reply make_welcome(const NamespaceSegment& segment, const ProcessRef& ref) {
  proto::Reply reply = make_reply(proto::ReplyStatus::kOk, "");
  reply.process = ref.process;
  reply.process_incarnation = ref.incarnation;
  std::copy_n(segment.view().header().identity, 2, reply.segment_identity);
  put(segment.name(), reply.namespace_name);
  return reply;
}

const char* reply_status_text(proto::ReplyStatus status) {
  switch (status) {
    case proto::ReplyStatus::kOk:
      return "ok";
    case proto::ReplyStatus::kRefused:
      return "refused";
    case proto::ReplyStatus::kAbi:
      return "abi";
    case proto::ReplyStatus::kBadRequest:
      return "bad_request";
    case proto::ReplyStatus::kNamespace:
      return "namespace";
    case proto::ReplyStatus::kFull:
      return "full";
    case proto::ReplyStatus::kReattach:
      return "reattach";
    case proto::ReplyStatus::kUnavailable:
      return "unavailable";
  }
  return "unknown";
}

}  // namespace oxpool::daemon
