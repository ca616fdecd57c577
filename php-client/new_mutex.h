// Where Mutex objects come from: `new Mutex`, the Registry, and values that name a mutex.
#pragma once

#include <string_view>

#include "mutex_class.h"
#include "sentence.h"
#include "worker.h"

namespace oxpool::php {

// The arguments of `new Mutex`. Parsed and not yet checked.
struct MutexArguments {
  const zval* initial = nullptr;                // null = null
  const zend_string* name = nullptr;            // null = an automatic one
  const zend_string* on_owner_death = nullptr;  // null = Mutex::CORRUPT
};

// Checks, attaches, and makes the object's core. Null with an exception pending.
MutexCore* new_mutex(const MutexArguments& asked);

// An object for a mutex that has this name, or will turn out not to be there when it is used.
// Runs no PHP code.
void make_named_mutex(zval* result, Worker& worker, std::string_view name);

// The same if the host has a mutex of that name now; *found says so. Null when it went well, else
// the class of the exception to throw with *message: the name is a pool's, or there is no room.
// Runs no PHP code.
zend_class_entry* join_named_mutex(zval* result, Worker& worker, std::string_view name, bool* found,
                                   Sentence* message);

// Gives an automatically named mutex a name of its own: makes the mutex of that name, with its
// initial value, or joins the one that another worker made meanwhile. Result as above.
zend_class_entry* give_name(MutexCore& core, std::string_view name, Sentence* message);

}  // namespace oxpool::php
