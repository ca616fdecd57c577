// What the daemon answers to a hello, as a record that is ready to be sent.
#pragma once

#include <string>

#include "daemon/namespace_segment.h"
#include "proto/handshake.h"

namespace oxpool::daemon {

// A refusal, or an answer that needs no more than its status. A message that is too long is cut.
proto::Reply make_reply(proto::ReplyStatus status, const std::string& message);

// The answer to a worker that is attached, or goes on, as `ref` of `segment`.
proto::Reply make_welcome(const NamespaceSegment& segment, const ProcessRef& ref);

// A word for logs.
const char* reply_status_text(proto::ReplyStatus status);

}  // namespace oxpool::daemon
