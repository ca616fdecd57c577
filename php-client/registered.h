// What this worker got from the Registry, and whose factories run.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "engine.h"

namespace oxpool::php {

// Holds a counted reference to each object, so that idle resources of a pool, and what a worker
// knows of a mutex, outlive the variables of those who asked for it. Thread safety: one thread, the
// worker's.
class Registered {
 public:
  // Keeps one for the name. What is returned here and below (may be null) is the caller's to
  // release, which may run PHP code and jump.
  zend_object* keep(const zend_string* name, zend_object* object);
  zend_object* take(const zend_string* name);
  zend_object* take_any();
  // The object that is kept for the name, not counted; null when there is none.
  zend_object* find(const zend_string* name) const;
  bool empty() const { return kept_.empty(); }
  // The request's objects are gone: pointers to them are only forgotten.
  void forget_all();

  // While a factory runs for the name. False: one does already.
  bool begin_making(const zend_string* name);
  void end_making(const zend_string* name);
  bool making() const { return !making_.empty(); }

 private:
  std::unordered_map<std::string, zend_object*> kept_;
  std::set<std::string> making_;
};

}  // namespace oxpool::php
