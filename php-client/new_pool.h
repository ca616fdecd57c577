// What `new Pool` does.
#pragma once

#include "pool_arguments.h"
#include "pool_core.h"
#include "sentence.h"

namespace oxpool::php {

// Checks, attaches, and makes the object's core. Null with an exception pending.
PoolCore* new_pool(const PoolArguments& asked, zend_object* object);

// Gives an automatically named pool without resources a name of its own. Null when it went well,
// else the class of the exception to throw with *message. Runs no PHP code.
zend_class_entry* give_name(PoolCore& core, const std::string& name, Sentence* message);

}  // namespace oxpool::php
