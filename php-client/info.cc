#include "info.h"

#include <unistd.h>

#include "client/connection.h"
#include "client/local_host.h"
#include "engine.h"
#include "php_oxpool.h"
#include "printable.h"
#include "sentence.h"
#include "settings.h"
#include "shm/layout.h"
#include "worker.h"

namespace oxpool::php {

namespace {

// A page for people does not wait for long.
constexpr int kKnockMs = 100;

// Printing runs output callbacks, which may throw or jump: what is printed is plain memory by then.

void print_abi() {
  char text[32];
  snprintf(text, sizeof text, "%u.%u", shm::kAbiMajor, shm::kAbiMinor);
  php_info_print_table_row(2, "Segment layout", text);
}

void say_mode(const Worker* worker, Sentence* mode) {
  if (worker == nullptr || !worker->usable()) return mode->set("not attached");
  const LocalHost* host = worker->process().local_host().get();
  if (host == nullptr) return mode->set("attached to oxpoold");
  mode->set("local: pools and mutexes hold for this process and its forks only (" +
            printable(host->reason()) + ")");
}

void say_reachable(Sentence* reachable) {
  const Error error = knock(runtime_directory(), kKnockMs);
  reachable->set(error ? "no (" + printable(error.message) + ")" : "yes");
}

void say_namespace(const Worker* worker, Sentence* name) {
  const char* set = namespace_setting();
  if (worker != nullptr && worker->usable() && worker->process().local_host() == nullptr) {
    name->set(printable(worker->process().namespace_name()));
  } else if (*set != '\0') {
    name->set(printable(set));
  } else {
    name->set("the default of uid " + std::to_string(geteuid()));
  }
}

void print_sentence(const char* title, const Sentence& sentence) {
  php_info_print_table_row(2, title, sentence.text);
}

struct Counts {
  uint32_t in_use = 0;
  uint32_t idle = 0;
  uint32_t parked = 0;
};

Counts counts_here(const WorkerPool& pool) {
  Counts counts;
  for (const Holding* holding = pool.holdings; holding != nullptr; holding = holding->older) {
    if (holding->state == HoldingState::kInUse) ++counts.in_use;
    if (holding->state == HoldingState::kIdle) ++counts.idle;
    if (holding->state == HoldingState::kParked) ++counts.parked;
  }
  return counts;
}

void print_pool(const Worker& worker, const WorkerPool& pool) {
  const Counts counts = counts_here(pool);
  Sentence name;
  name.set(printable(pool.name));
  char id[24] = "-";
  char in_use[16];
  char idle[40];
  char max[16] = "-";
  snprintf(in_use, sizeof in_use, "%u", counts.in_use);
  snprintf(idle, sizeof idle, counts.parked > 0 ? "%u (%u parked)" : "%u",
           counts.idle + counts.parked, counts.parked);
  if (worker.usable() && pool.budget != nullptr) {
    snprintf(id, sizeof id, "%llu", static_cast<unsigned long long>(pool.budget->id()));
    snprintf(max, sizeof max, "%u", pool.budget->counts().max_size);
  }
  php_info_print_table_row(5, name.text, id, in_use, idle, max);
}

void print_pools(Worker* worker) {
  // What a forked child finds is its parent's until it attaches.
  if (worker == nullptr || worker->forked()) return;
  WorkerPool* pool = worker->first_pool();
  if (pool == nullptr) return;
  php_info_print_table_start();
  php_info_print_table_header(5, "Pool of this worker", "Id", "In use here", "Idle here", "Max");
  while (pool != nullptr) {
    ++pool->pins;
    print_pool(*worker, *pool);
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
  php_info_print_table_end();
}

}  // namespace

void print_info(bool elsewhere) {
  Worker* worker = Worker::existing();
  Sentence mode;
  Sentence reachable;
  Sentence name;
  say_mode(worker, &mode);
  say_reachable(&reachable);
  say_namespace(worker, &name);
  php_info_print_table_start();
  php_info_print_table_row(2, "oxpool", elsewhere ? "provided by the server" : "enabled");
  php_info_print_table_row(2, "Version", PHP_OXPOOL_VERSION);
  print_abi();
  php_info_print_table_row(2, "Runtime directory", runtime_directory());
  print_sentence("Namespace", name);
  print_sentence("Daemon reachable", reachable);
  print_sentence("This worker", mode);
  php_info_print_table_end();
  print_pools(worker);
}

}  // namespace oxpool::php
