// The pools that this worker got from the Registry, and those whose factories run.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine.h"

namespace oxpool::php {

// Holds a counted reference to each Pool object, so that its idle resources outlive the variables
// of those who asked for it. Thread safety: one thread, the worker's.
class RegisteredPools {
 public:
  // Keeps one for the name. What is returned here and below (may be null) is the caller's to
  // release, which may run PHP code and jump.
  zend_object* keep(const zend_string* name, zend_object* pool);
  zend_object* take(const zend_string* name);
  zend_object* take_any();
  bool empty() const { return kept_.empty(); }
  // The request's objects are gone: pointers to them are only forgotten.
  void forget_all();

  // While a factory runs for the name. False: one does already.
  bool begin_making(const zend_string* name);
  void end_making(const zend_string* name);

 private:
  std::unordered_map<std::string, zend_object*> kept_;
  std::set<std::string> making_;
};

}  // namespace oxpool::php
