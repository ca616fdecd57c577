// Automatic names: the same `new Pool` expression in two workers is the same pool.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine.h"
#include "keyed_hash.h"

namespace oxpool::php {

// Which running numbers are taken by pools alive in this worker, by the name they share.
// Thread safety: one thread, the worker's.
class TwinNumbers {
 public:
  // The lowest free number of `base`, from 1.
  uint32_t take(const std::string& base);
  void give_back(const std::string& base, uint32_t number);

 private:
  std::unordered_map<std::string, std::vector<bool>> taken_;
};

// File and line of the expression that runs now, plus a fingerprint of the scalars and arrays that
// the factory captured by value. Keyed, so that nobody can guess a password in a captured DSN from
// a pool's name. Takes no PHP memory and runs no PHP code.
std::string automatic_base(const zval* factory, const HashKey& key);

// `base` with its running number; when that is longer than a name may be, its end is a hash.
std::string automatic_name(const std::string& base, uint32_t number, const HashKey& key);

// Whether the file's path is likely to be another one after the next deploy (phar, eval'd code, a
// release folder).
bool path_moves(const std::string& base);

}  // namespace oxpool::php
