#include "new_mutex.h"

#include "exception_classes.h"
#include "life.h"
#include "request_end.h"
#include "taking.h"

namespace oxpool::php {

namespace {

constexpr std::string_view kCorrupt = "corrupt";
constexpr std::string_view kRecover = "recover";

std::string_view text_of(const zend_string* string) { return {ZSTR_VAL(string), ZSTR_LEN(string)}; }

zend_class_entry* refuse(const char* argument, const char* must, const std::string& given,
                         Sentence* message) {
  message->set("OxPHP\\Shared\\Mutex::__construct(): " + std::string(argument) + " must be " +
               must + ", " + given + " given");
  return type_exception;
}

zend_class_entry* check(const MutexArguments& asked, Sentence* message) {
  if (asked.name != nullptr &&
      (ZSTR_LEN(asked.name) == 0 || ZSTR_LEN(asked.name) > shm::kNameBytes)) {
    return refuse("Argument #2 ($name)", "1 to 255 bytes",
                  std::to_string(ZSTR_LEN(asked.name)) + " bytes", message);
  }
  if (asked.on_owner_death != nullptr && text_of(asked.on_owner_death) != kCorrupt &&
      text_of(asked.on_owner_death) != kRecover) {
    return refuse("Argument #3 ($onOwnerDeath)", "Mutex::CORRUPT or Mutex::RECOVER",
                  quoted(text_of(asked.on_owner_death)), message);
  }
  return nullptr;
}

shm::MutexRequest request_of(const MutexCore& core, std::string_view initial) {
  shm::MutexRequest request;
  request.given_name = core.automatic_name.given();
  request.on_owner_death =
      core.recovers ? shm::OnOwnerDeath::kRecover : shm::OnOwnerDeath::kCorrupt;
  request.initial = initial;
  return request;
}

zend_class_entry* encode_initial(Worker& worker, const zval* initial, Sentence* message) {
  zval null;
  ZVAL_NULL(&null);
  ValueEncoder& encoder = worker.mutexes.encoder;
  const size_t limit_bytes = shm::value_limit_bytes(worker.lane().view());
  switch (encoder.encode(initial != nullptr ? initial : &null, limit_bytes)) {
    case Encoded::kOk:
      return nullptr;
    case Encoded::kNonSerialisable:
      message->set(
          "OxPHP\\Shared\\Mutex::__construct(): Argument #1 ($initial) is non-serialisable: " +
          encoder.refused().text());
      return type_exception;
    case Encoded::kTooLarge:
      break;
  }
  message->set("OxPHP\\Shared\\Mutex::__construct(): Argument #1 ($initial) takes more than the " +
               std::to_string(limit_bytes) + " bytes that a value may have; " +
               worker.process().way_to_more("value_limit"));
  return value_too_large_exception;
}

// Makes the core, or says in *message why not. Runs no PHP code.
MutexCore* join(Worker& worker, const MutexArguments& asked, zend_class_entry** failure,
                Sentence* message) {
  if ((*failure = check(asked, message)) != nullptr) return nullptr;
  if ((*failure = attach(worker, message)) != nullptr) return nullptr;
  if ((*failure = encode_initial(worker, asked.initial, message)) != nullptr) return nullptr;
  const std::string_view initial = worker.mutexes.encoder.bytes();
  auto core = std::make_unique<MutexCore>();
  core->recovers = asked.on_owner_death != nullptr && text_of(asked.on_owner_death) == kRecover;
  if (worker.registered.making()) core->initial = initial;
  std::string name;
  if (asked.name != nullptr) {
    name.assign(ZSTR_VAL(asked.name), ZSTR_LEN(asked.name));
  } else {
    const std::string base = mutex_base();
    // What a factory of the Registry makes is about to be named.
    if (!worker.registered.making()) advise_on_moving_paths("mutex", base);
    name = core->automatic_name.take(base, worker.names, worker.name_key());
  }
  WorkerMutex& mutex = worker.mutexes.join(name);
  core->mutex = &mutex;
  *failure = attempt(worker.mutexes.attach(mutex, request_of(*core, initial)), message);
  if (*failure == nullptr) return core.release();
  core->automatic_name.give_back(worker.names);
  worker.mutexes.remove_if_unused(mutex);
  return nullptr;
}

void make_object(zval* result, WorkerMutex& mutex) {
  object_init_ex(result, mutex_class);
  auto* core = new MutexCore;
  core->mutex = &mutex;
  give_core(Z_OBJ_P(result), core);
}

}  // namespace

MutexCore* new_mutex(const MutexArguments& asked) {
  Worker& worker = Worker::here();
  leave_lost_life(worker);
  if (EG(exception) != nullptr) return nullptr;
  zend_class_entry* failure = nullptr;
  Sentence message;
  MutexCore* core = join(worker, asked, &failure, &message);
  if (core == nullptr) zend_throw_exception(failure, message.text, 0);
  return core;
}

void make_named_mutex(zval* result, Worker& worker, std::string_view name) {
  make_object(result, worker.mutexes.join(name));
}

zend_class_entry* join_named_mutex(zval* result, Worker& worker, std::string_view name, bool* found,
                                   Sentence* message) {
  *found = false;
  WorkerMutex& mutex = worker.mutexes.join(name);
  const Error error = worker.mutexes.attach_again(mutex);
  if (error) {
    worker.mutexes.remove_if_unused(mutex);
    return error.status == Status::kRemoved ? nullptr : attempt(error, message);
  }
  *found = true;
  make_object(result, mutex);
  return nullptr;
}

zend_class_entry* give_name(MutexCore& core, std::string_view name, Sentence* message) {
  WorkerMutex& automatic = *core.mutex;
  Worker& worker = automatic.worker;
  std::string initial = core.initial;
  if (initial.empty() && automatic.lock != nullptr && !automatic.lock->copy_value(&initial)) {
    message->set("mutex " + quoted(automatic.name) + ": its value can not be read");
    return shared_exception;
  }
  WorkerMutex& named = worker.mutexes.join(name);
  shm::MutexRequest request = request_of(core, initial);
  request.given_name = true;
  if (Error error = worker.mutexes.attach(named, request)) {
    worker.mutexes.remove_if_unused(named);
    return attempt(error, message);
  }
  core.automatic_name.give_back(worker.names);
  core.initial.clear();
  core.mutex = &named;
  ++named.objects;
  --automatic.objects;
  worker.mutexes.remove_if_unused(automatic);
  return nullptr;
}

}  // namespace oxpool::php
