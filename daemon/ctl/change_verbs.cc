#include <unistd.h>

#include <boost/json/object.hpp>
#include <cstdio>

#include "daemon/ctl/json_output.h"
#include "daemon/ctl/pool_argument.h"
#include "daemon/ctl/text.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {

using boost::json::object;

// False: digits that are no id.
template <typename Request>
bool aim(const Arguments& arguments, Request* request) {
  if (arguments.all) {
    request->set_all(true);
    return true;
  }
  return select(arguments.name, arguments.namespace_, request->mutable_pool());
}

void say(const std::string& sentence) { std::printf("%s\n", sentence.c_str()); }

// A wait whose time was over: what is left, and exit code 1.
template <typename Response>
int end_of_wait(const Arguments& arguments, const Response& response, const std::string& until) {
  if (response.unfinished().empty()) return kDone;
  uint64_t slots = 0;
  for (const v1::Unfinished& one : response.unfinished()) {
    slots += one.in_use() + one.idle() + one.closing();
  }
  if (!arguments.json)
    print(unfinished_table(response.unfinished(), Style::for_output(STDOUT_FILENO)));
  std::fprintf(
      stderr,
      "oxpoolctl: waited in vain until %s: %s of %s left; a worker closes what is idle when "
      "it next runs, so wait longer with --timeout, or end the workers named\n",
      until.c_str(), counted(slots, "slot").c_str(),
      counted(static_cast<uint64_t>(response.unfinished().size()), "worker").c_str());
  return kRefused;
}

// Asks owners to close what is idle, of one pool or of all, and perhaps waits for it.
template <typename Request, typename Response>
int have_closed(const Arguments& arguments, Client* client,
                std::string (*sentence)(const Arguments&, const Response&), const char* until) {
  Request request;
  if (!aim(arguments, &request)) return fail(arguments, no_such_id(arguments.name));
  request.set_wait(arguments.wait);
  Response response;
  if (const Failure failure = client->call(request, &response)) return fail(arguments, failure);
  if (arguments.json) {
    print(object{{"pools", response.pools()},
                 {"flagged", response.flagged()},
                 {"unfinished", json_of(response.unfinished())}});
  } else {
    say(sentence(arguments, response));
  }
  return end_of_wait(arguments, response, until);
}

std::string evicted(const Arguments& arguments, const v1::EvictPoolResponse& response) {
  return counted(response.flagged(), "idle slot") + " of " + counted(response.pools(), "pool") +
         (arguments.wait && response.unfinished().empty() ? " closed" : " asked to be closed");
}

std::string drained(const Arguments&, const v1::DrainPoolResponse& response) {
  return counted(response.pools(), "pool") + " drained, " +
         counted(response.flagged(), "idle slot") + " asked to be closed; resume opens again";
}

int evict(const Arguments& arguments, Client* client) {
  return have_closed<v1::EvictPoolRequest>(arguments, client, evicted, "the idle slots are closed");
}

int drain(const Arguments& arguments, Client* client) {
  return have_closed<v1::DrainPoolRequest>(arguments, client, drained, "everything is closed");
}

int resize(const Arguments& arguments, Client* client) {
  v1::ResizePoolRequest request;
  if (!select(arguments.name, arguments.namespace_, request.mutable_pool())) {
    return fail(arguments, no_such_id(arguments.name));
  }
  if (arguments.size) {
    request.set_max_size(*arguments.size);
  } else {
    request.set_unset(true);
  }
  v1::ResizePoolResponse response;
  if (const Failure failure = client->call(request, &response)) return fail(arguments, failure);
  if (arguments.json) {
    print(object{{"pool", json_of(response.pool())},
                 {"previous_max_size", response.previous_max_size()},
                 {"above", response.above()}});
    return kDone;
  }
  std::string sentence = "pool " + pool_text(response.pool()) + ": " +
                         std::to_string(response.pool().max_size()) + " (was " +
                         std::to_string(response.previous_max_size()) + ")";
  if (response.above() != 0) {
    sentence +=
        "; " + counted(response.above(), "slot") + " above that, which go when they come back";
  }
  say(sentence);
  return kDone;
}

int pause(const Arguments& arguments, Client* client) {
  v1::PausePoolRequest request;
  if (!select(arguments.name, arguments.namespace_, request.mutable_pool())) {
    return fail(arguments, no_such_id(arguments.name));
  }
  request.set_mode(arguments.fail ? v1::PausePoolRequest::MODE_FAIL
                                  : v1::PausePoolRequest::MODE_WAIT);
  request.set_for_ms(arguments.pause_for.count());
  request.set_wait(arguments.wait);
  v1::PausePoolResponse response;
  if (const Failure failure = client->call(request, &response)) return fail(arguments, failure);
  if (arguments.json) {
    print(
        object{{"pool", json_of(response.pool())}, {"unfinished", json_of(response.unfinished())}});
  } else {
    say("pool " + pool_text(response.pool()) + ": " + state_text(response.pool()) + ", " +
        std::to_string(response.pool().in_use()) + " in use");
  }
  return end_of_wait(arguments, response, "nothing of the pool is in use");
}

int resume(const Arguments& arguments, Client* client) {
  v1::ResumePoolRequest request;
  if (!aim(arguments, &request)) return fail(arguments, no_such_id(arguments.name));
  v1::ResumePoolResponse response;
  if (const Failure failure = client->call(request, &response)) return fail(arguments, failure);
  if (arguments.json) {
    print(object{{"pools", response.pools()}, {"resumed", response.resumed()}});
  } else {
    say(counted(response.resumed(), "pool") + " resumed" +
        (response.resumed() < response.pools()
             ? ", " + std::to_string(response.pools() - response.resumed()) + " open already"
             : ""));
  }
  return kDone;
}

int reset_mutex(const Arguments& arguments, Client* client) {
  v1::ResetMutexRequest request;
  if (!select(arguments.name, arguments.namespace_, request.mutable_mutex())) {
    return fail(arguments, no_such_id(arguments.name, "mutex"));
  }
  v1::ResetMutexResponse response;
  if (const Failure failure = client->call(request, &response)) return fail(arguments, failure);
  if (arguments.json) {
    v1::ListMutexesResponse one;
    *one.add_mutexes() = response.mutex();
    object answer = json_of(one);
    answer["was_corrupted"] = response.was_corrupted();
    print(answer);
  } else {
    say("mutex " + quoted(response.mutex().name()) +
        (response.was_corrupted() ? " reset: it is usable, with its last committed value"
                                  : " is not corrupted; nothing was changed"));
  }
  return kDone;
}

}  // namespace

int change(const Arguments& arguments) {
  Client client(arguments, arguments.wait ? kTimeoutOfWaits : kTimeout);
  switch (arguments.verb) {
    case Verb::kEvict:
      return evict(arguments, &client);
    case Verb::kDrain:
      return drain(arguments, &client);
    case Verb::kResize:
      return resize(arguments, &client);
    case Verb::kPause:
      return pause(arguments, &client);
    case Verb::kResume:
      return resume(arguments, &client);
    default:
      return reset_mutex(arguments, &client);
  }
}

}  // namespace oxpool::ctl
