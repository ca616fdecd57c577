// What can not be shared, and where in a value it is.
#pragma once

#include <string>
#include <vector>

#include "engine.h"

namespace oxpool::php {

// Collected from the inside out, while the walk that met it goes back. No PHP memory, no PHP code.
class RefusedValue {
 public:
  void clear() {
    what_.clear();
    keys_.clear();
  }
  void begin(std::string what) {
    clear();
    what_ = std::move(what);
  }
  // "an object of class X", "a closure", …
  void begin(const zval* value);
  void add_key(const zend_string* key, zend_ulong index);

  // "an object of class X at ['a'][3]"
  std::string text() const;

 private:
  std::string what_;
  std::vector<std::string> keys_;  // innermost first
};

}  // namespace oxpool::php
