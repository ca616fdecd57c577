#include "daemon/http/mutex_metrics.h"

#include <string>

#include "daemon/http/family.h"
#include "daemon/utf8.h"

namespace oxpool::daemon::http {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

struct MutexValue {
  const char* name;
  MetricType type;
  const char* help;
  double (*value)(const MutexReport& mutex);
};

constexpr MutexValue kMutexValues[] = {
    {"oxphp_shared_mutex_waiters", kGauge, "Workers that wait for the lock.",
     [](const MutexReport& mutex) { return double(mutex.waiters); }},
    {"oxphp_shared_mutex_acquires_total", kCounter, "Times that somebody got the lock.",
     [](const MutexReport& mutex) { return double(mutex.sums.acquires); }},
    {"oxphp_shared_mutex_contended_total", kCounter,
     "Times that somebody got the lock and it was not free at once.",
     [](const MutexReport& mutex) { return double(mutex.sums.contended); }},
    {"oxphp_shared_mutex_corrupted", kGauge,
     "1 if nobody gets the lock any more because a holder died.",
     [](const MutexReport& mutex) { return double(mutex.corrupted); }},
    {"oxpool_mutex_workers", kGauge, "Workers that are attached to the mutex.",
     [](const MutexReport& mutex) { return double(mutex.sums.seats); }},
    {"oxpool_mutex_value_bytes", kGauge, "Length of the value as it is encoded.",
     [](const MutexReport& mutex) { return double(mutex.value_bytes); }},
};

void add_info(const HostReport& report, std::vector<MetricFamily>* families) {
  MetricFamily& names = add_family(families, kGauge, "oxphp_shared_mutex_info",
                                   "Always 1; the name of each mutex.", report.mutexes.size());
  for (const MutexReport& mutex : report.mutexes) {
    add_value(names, {{"mutex_id", std::to_string(mutex.id)}, {"name", as_utf8(mutex.name)}}, 1);
  }
  MetricFamily& namespaces =
      add_family(families, kGauge, "oxpool_mutex_info", "Always 1; where each mutex belongs.",
                 report.mutexes.size());
  for (const MutexReport& mutex : report.mutexes) {
    add_value(namespaces,
              {{"mutex_id", std::to_string(mutex.id)}, {"namespace", mutex.namespace_name}}, 1);
  }
}

}  // namespace

void add_mutex_metrics(const HostReport& report, std::vector<MetricFamily>* families) {
  add_info(report, families);
  for (const MutexValue& value : kMutexValues) {
    MetricFamily& family =
        add_family(families, value.type, value.name, value.help, report.mutexes.size());
    for (const MutexReport& mutex : report.mutexes) {
      add_value(family, {{"mutex_id", std::to_string(mutex.id)}}, value.value(mutex));
    }
  }
}

}  // namespace oxpool::daemon::http
