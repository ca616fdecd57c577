#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdio>
#include <thread>

#include "daemon/ctl/doctor.h"
#include "daemon/ctl/text.h"
#include "daemon/ctl/verbs.h"

namespace oxpool::ctl {

namespace {

constexpr size_t kMostPoolsExplained = 100;

Failure look_once(Client* client, Look* look) {
  if (Failure failure = client->call(v1::GetServerInfoRequest(), &look->info)) return failure;
  v1::ListPoolsResponse pools;
  if (Failure failure = client->list_all("", &pools)) return failure;
  for (v1::Pool& pool : *pools.mutable_pools()) {
    if (wants_holders(pool) && look->holders.size() < kMostPoolsExplained) {
      v1::ListHoldersRequest request;
      request.mutable_pool()->set_id(pool.id());
      v1::ListHoldersResponse holders;
      // One that is gone by now has nothing to explain.
      if (!client->call(request, &holders)) look->holders[pool.id()] = std::move(holders);
    }
    look->pools.push_back(std::move(pool));
  }
  v1::ListMutexesResponse mutexes;
  if (Failure failure = client->call(v1::ListMutexesRequest(), &mutexes)) return failure;
  look->mutexes.assign(mutexes.mutexes().begin(), mutexes.mutexes().end());
  return {};
}

Finding not_reached(const Failure& failure) {
  const bool denied = failure.code == "PERMISSION_DENIED";
  const bool silent = failure.code == "DEADLINE_EXCEEDED";
  return {denied   ? "permission_denied"
          : silent ? "daemon_silent"
                   : "daemon_down",
          failure.sentence};
}

boost::json::value id_or_null(uint64_t id) {
  return id != 0 ? boost::json::value(id) : boost::json::value(nullptr);
}

int report(const Arguments& arguments, const std::vector<Finding>& findings) {
  if (arguments.json) {
    boost::json::array list;
    for (const Finding& finding : findings) {
      boost::json::object json{{"code", finding.code}, {"sentence", finding.sentence}};
      json["pool_id"] = id_or_null(finding.pool_id);
      json["mutex_id"] = id_or_null(finding.mutex_id);
      list.push_back(std::move(json));
    }
    print(boost::json::object{{"healthy", findings.empty()}, {"findings", std::move(list)}});
  } else if (findings.empty()) {
    std::printf("nothing is wrong\n");
  } else {
    const Style style = Style::for_output(STDOUT_FILENO);
    for (const Finding& finding : findings) {
      std::printf("%s %s\n", style.paint(Tone::kBad, finding.code + ":").c_str(),
                  finding.sentence.c_str());
    }
  }
  return findings.empty() ? kDone : kRefused;
}

}  // namespace

int run_doctor(const Arguments& arguments) {
  Client client(arguments, kTimeout);
  Evidence evidence;
  evidence.between_ms = static_cast<uint64_t>(arguments.interval.count());
  if (const Failure failure = look_once(&client, &evidence.first)) {
    return report(arguments, {not_reached(failure)});
  }
  std::this_thread::sleep_for(arguments.interval);
  if (const Failure failure = look_once(&client, &evidence.second)) {
    return report(arguments, {not_reached(failure)});
  }
  return report(arguments, findings(evidence));
}

}  // namespace oxpool::ctl
