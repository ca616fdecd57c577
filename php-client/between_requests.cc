#include "between_requests.h"

#include <array>
#include <cstring>
#include <span>

#include "client/accept_gate.h"
#include "client/sleep.h"
#include "error_log.h"
#include "persistent_slots.h"
#include "settings.h"
#include "userland_call.h"

#include "SAPI.h"

namespace oxpool::php {

namespace {

int (*deactivate_of_sapi)() = nullptr;
int result_of_sapi = SUCCESS;
bool hooked = false;

bool serves_one_after_the_other() {
#ifdef ZTS
  return false;
#else
  const char* name = sapi_module.name != nullptr ? sapi_module.name : "";
  return std::strcmp(name, "fpm-fcgi") == 0 || std::strcmp(name, "cgi-fcgi") == 0;
#endif
}

// Looked for once, when the first gate is come to, and again if it was closed: that is the end of
// this process, or of what looked like its socket.
const ListenSocket& listen_socket() {
  static ListenSocket found;
  if (!found.open()) found = ListenSocket::find();
  return found;
}

// Also in the handler of the signal that closes a sleeper's slots: who has none any more waits
// where it is, rather than take a request that it could not serve.
const ListenSocket* gate_socket = nullptr;
void wait_at_its_gate(Pool& pool) {
  if (gate_socket != nullptr) wait_at_gate(pool, *gate_socket);
}

void fall_asleep(Worker& worker) {
  if (!worker.usable() || worker.process().local_host() != nullptr) return;
  std::array<Pool*, Sleep::kMostPools> pools;
  size_t count = 0;
  bool gates = false;
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    if (pool->budget == nullptr || count == Sleep::kMostPools) continue;
    pools[count++] = pool->budget.get();
    gates = gates || pool->gates;
  }
  const std::span<Pool* const> here(pools.data(), count);

  gate_socket = gates ? &listen_socket() : nullptr;
  Sleep::begin(worker.lane(), here, gates ? wait_at_its_gate : nullptr);
  if (!gates) return;
  for (Pool* pool : here) wait_at_its_gate(*pool);
}

void call_deactivate_of_sapi(void*) { result_of_sapi = deactivate_of_sapi(); }

int deactivate() {
  result_of_sapi = SUCCESS;
  // It jumps when the visitor is gone.
  const CallEnd end = deactivate_of_sapi != nullptr ? catch_jump(call_deactivate_of_sapi, nullptr)
                                                    : CallEnd::kReturned;
  if (Worker* worker = Worker::existing()) fall_asleep(*worker);
  if (end == CallEnd::kJumped) jump_on();
  return result_of_sapi;
}

}  // namespace

void hook_ends_of_responses() {
  if (!serves_one_after_the_other()) return;
  deactivate_of_sapi = sapi_module.deactivate;
  sapi_module.deactivate = deactivate;
  hooked = true;
}

void unhook_ends_of_responses() {
  if (hooked && sapi_module.deactivate == deactivate) sapi_module.deactivate = deactivate_of_sapi;
  hooked = false;
}

void wake_up(Worker& worker) {
  Sleep::end();
  if (!worker.usable()) return;
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr;) {
    ++pool->pins;
    while (LocalSlot* slot = pool->budget != nullptr ? pool->budget->take_reaped() : nullptr) {
      forget_parked(holding_of(*slot));
    }
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
}

void read_wake_signal() {
  static bool read = false;
  if (read || !hooked) return;
  read = true;
  int number = Sleep::kOff;
  if (Error error = wake_signal(&number)) log_line(error.message);
  Sleep::use_signal(number);
}

}  // namespace oxpool::php
