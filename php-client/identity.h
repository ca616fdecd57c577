// Automatic names: the same `new` expression in two workers is the same pool, or mutex.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine.h"
#include "keyed_hash.h"

namespace oxpool::php {

// Which running numbers are taken by what is alive in this worker, by the name they share.
// Thread safety: one thread, the worker's.
class TwinNumbers {
 public:
  // The lowest free number of `base`, from 1.
  uint32_t take(const std::string& base);
  void give_back(const std::string& base, uint32_t number);

 private:
  std::unordered_map<std::string, std::vector<bool>> taken_;
};

// Of a pool: file and line of the expression that runs now, plus a fingerprint of the scalars and
// arrays that the factory captured by value. Keyed, so that nobody can guess a password in a
// captured DSN from a pool's name. Takes no PHP memory and runs no PHP code.
std::string pool_base(const zval* factory, const HashKey& key);
// Of a mutex, likewise.
std::string mutex_base();

// What an automatic name was made of, to be given back when its object goes.
struct AutomaticName {
  std::string base;
  uint32_t number = 0;  // 0 = the name was given

  bool given() const { return number == 0; }
  // `base` with its lowest free number; when that is longer than a name may be, its end is a hash.
  std::string take(std::string from_base, TwinNumbers& names, const HashKey& key);
  // Idempotent.
  void give_back(TwinNumbers& names);
};

// Where the file's path is likely to be another one after the next deploy (phar, eval'd code, a
// release folder), says once a process that `what` should be given a name.
void advise_on_moving_paths(const char* what, const std::string& base);

}  // namespace oxpool::php
