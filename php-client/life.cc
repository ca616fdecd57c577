#include "life.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "closing.h"
#include "handle_class.h"
#include "ownership.h"

namespace oxpool::php {

namespace {

// Puts something else under the descriptor's number, so that neither a library's farewell nor a
// stray statement reaches the parent's connection. /dev/null and not a dead socket: send() on it
// fails without a signal.
void replace_socket(const NotedSocket& socket) {
  struct stat status;
  if (fstat(socket.fd, &status) != 0 || status.st_ino != socket.inode) return;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  const int flags = fcntl(socket.fd, F_GETFD);
  dup3(null, socket.fd, (flags & FD_CLOEXEC) ? O_CLOEXEC : 0);
  close(null);
}

void replace_sockets(const Holding& holding) {
  if (holding.slot == nullptr) return;
  for (const NotedSocket& socket : holding.slot->sockets) replace_socket(socket);
}

// The child's atfork handler: only system calls. fork() is called by PHP code, never amid a change
// to these lists.
void replace_all_sockets() {
  Worker* worker = Worker::existing();
  if (worker == nullptr) return;
  for (WorkerPool* pool = worker->first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      replace_sockets(*holding);
    }
  }
}

void abandon(Holding& holding) {
  replace_sockets(holding);
  // The reference is never given back: the memory goes with the process.
  if (holding.resource != nullptr) never_destroy(holding.resource);
  holding.resource = nullptr;
  for (const std::string& key : holding.entries) abandon_entry(key);
  if (holding.state == HoldingState::kParked) --holding.pool->parked;
  holding.slot = nullptr;
  holding.hang_up.reset();
  holding.state = HoldingState::kAbandoned;
  if (holding.handle != nullptr) detach_handle(holding);
}

// Loses every unit, keeps every resource.
void lose_units(Worker& worker) {
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      // A parked one has no object that could say goodbye; its entry goes at the request's end.
      if (holding->state == HoldingState::kParked && holding->slot != nullptr) {
        HangUp(holding->slot->sockets).shut_down(0);
      }
      holding->slot = nullptr;
    }
  }
  worker.detach();
}

Holding* lost_idle_one(const WorkerPool& pool) {
  for (Holding* holding = pool.holdings; holding != nullptr; holding = holding->older) {
    if (holding->state == HoldingState::kIdle && holding->slot == nullptr) return holding;
  }
  return nullptr;
}

void destroy_lost_idle_ones(Worker& worker) {
  const zend_object* pending = EG(exception);
  WorkerPool* pool = worker.first_pool();
  while (pool != nullptr) {
    ++pool->pins;
    while (EG(exception) == pending) {
      Holding* holding = lost_idle_one(*pool);
      if (holding == nullptr) break;
      holding->state = HoldingState::kClosing;
      close_resource(*holding);
    }
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
}

}  // namespace

void leave_sockets_to_parents() {
  static const int installed = pthread_atfork(nullptr, nullptr, replace_all_sockets);
  (void)installed;
}

void forget_parents_life(Worker& worker) {
  if (!worker.attached()) return;
  for (WorkerPool* pool = worker.first_pool(); pool != nullptr; pool = pool->next) {
    for (Holding* holding = pool->holdings; holding != nullptr; holding = holding->older) {
      abandon(*holding);
    }
  }
  worker.detach();
  WorkerPool* pool = worker.first_pool();
  while (pool != nullptr) {
    ++pool->pins;
    Holding* holding = pool->holdings;
    while (holding != nullptr) {
      Holding* older = holding->older;
      if (!holding->framed) remove_holding(*holding);
      holding = older;
    }
    WorkerPool* next = pool->next;
    --pool->pins;
    remove_if_unused(*pool);
    pool = next;
  }
}

void leave_lost_life(Worker& worker) {
  if (!worker.attached() || worker.usable()) return;
  if (worker.forked()) {
    forget_parents_life(worker);
    return;
  }
  lose_units(worker);
  destroy_lost_idle_ones(worker);
}

}  // namespace oxpool::php
