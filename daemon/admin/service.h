// The calls of admin.proto, each handed to what does it.
#pragma once

#include <grpcpp/impl/codegen/service_type.h>

#include <functional>
#include <memory>

#include "daemon/admin/errands.h"
#include "daemon/admin/facts.h"
#include "daemon/segment_store.h"

namespace oxpool::daemon::admin {

class Watchers;

// All must outlive the service; `facts` is asked on the main thread.
std::unique_ptr<grpc::Service> make_service(SegmentStore& segments, Errands& errands,
                                            Watchers& watchers, std::function<Facts()> facts);

}  // namespace oxpool::daemon::admin
