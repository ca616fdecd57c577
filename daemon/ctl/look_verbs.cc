#include <unistd.h>

#include <boost/json/object.hpp>

#include "daemon/ctl/json_output.h"
#include "daemon/ctl/pool_argument.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {

// JSON for programs, a table for people.
template <typename Answer, typename Table>
int show(const Arguments& arguments, const Answer& answer, Table table) {
  if (arguments.json) {
    print(json_of(answer));
  } else {
    print(table(answer, Style::for_output(STDOUT_FILENO)));
  }
  return kDone;
}

// Asks with a pool selected and shows the answer.
template <typename Request, typename Response>
int show_of_pool(const Arguments& arguments, Request request,
                 Lines (*table)(const Response&, const Style&)) {
  Client client(arguments, kTimeout);
  if (!select(arguments.name, arguments.namespace_, request.mutable_pool())) {
    return fail(arguments, no_such_id(arguments.name));
  }
  Response response;
  if (const Failure failure = client.call(request, &response)) return fail(arguments, failure);
  return show(arguments, response, table);
}

template <typename Request, typename Response>
int show_all(const Arguments& arguments, Lines (*table)(const Response&, const Style&)) {
  Client client(arguments, kTimeout);
  Request request;
  request.set_namespace_(arguments.namespace_);
  Response response;
  if (const Failure failure = client.call(request, &response)) return fail(arguments, failure);
  return show(arguments, response, table);
}

int show_pools(const Arguments& arguments,
               Lines (*table)(const google::protobuf::RepeatedPtrField<v1::Pool>&, const Style&)) {
  Client client(arguments, kTimeout);
  v1::ListPoolsResponse response;
  if (const Failure failure = client.list_all(arguments.namespace_, &response)) {
    return fail(arguments, failure);
  }
  if (arguments.json) {
    print(boost::json::object{{"pools", json_of(response.pools())}});
  } else {
    print(table(response.pools(), Style::for_output(STDOUT_FILENO)));
  }
  return kDone;
}

}  // namespace

Failure no_such_id(const std::string& text, const std::string& noun) {
  return {"INVALID_ARGUMENT", "no " + noun + " has an id of " + text +
                                  "; ids are below 2^53 (name:" + text + " is a name)"};
}

int look(const Arguments& arguments) {
  switch (arguments.verb) {
    case Verb::kStats:
      if (!arguments.name.empty()) {
        return show_of_pool<v1::GetPoolRequest, v1::GetPoolResponse>(arguments, {}, pool_page);
      }
      return show_pools(arguments, counters_table);
    case Verb::kHolders: {
      v1::ListHoldersRequest request;
      request.set_in_use_only(arguments.in_use_only);
      return show_of_pool<v1::ListHoldersRequest, v1::ListHoldersResponse>(arguments, request,
                                                                           holders_table);
    }
    case Verb::kWaiters:
      return show_of_pool<v1::ListWaitersRequest, v1::ListWaitersResponse>(arguments, {},
                                                                           waiters_table);
    case Verb::kProcesses:
      return show_all<v1::ListProcessesRequest, v1::ListProcessesResponse>(arguments,
                                                                           processes_table);
    case Verb::kMutexes:
      return show_all<v1::ListMutexesRequest, v1::ListMutexesResponse>(arguments, mutexes_table);
    default:
      return show_pools(arguments, pools_table);
  }
}

}  // namespace oxpool::ctl
