#include "place_cache.h"

#include <string>
#include <string_view>

#include "SAPI.h"
#include "shm/place.h"

namespace oxpool::php {

namespace {

// More lines than any program acquires from; code that is eval'd in a loop has no end of them.
constexpr size_t kMaxLines = 4096;

std::string_view text_of(const zend_string* string) { return {ZSTR_VAL(string), ZSTR_LEN(string)}; }

// The end of a path tells more than its beginning.
std::string shortened(std::string_view text, size_t at_most) {
  if (text.size() <= at_most) return std::string(text);
  return "..." + std::string(text.substr(text.size() - at_most + 3));
}

// What runs, for one who looks for it: the line, and the script that the request began with.
std::string describe(const zend_string* file, uint32_t line) {
  constexpr size_t kFileBytes = 150;
  std::string result = shortened(text_of(file), kFileBytes) + ":" + std::to_string(line);
  const char* script = SG(request_info).path_translated;
  if (script != nullptr && text_of(file) != script) {
    const size_t left = shm::kPlaceBytes - result.size() - 4;
    result += " in " + shortened(script, left);
  }
  return result;
}

}  // namespace

uint64_t PlaceCache::current(const shm::SegmentView& view) {
  zend_string* file = zend_get_executed_filename_ex();
  if (file == nullptr) return shm::note_place(view, "[no active file]");
  const uint32_t line = zend_get_executed_lineno();
  const uint64_t key = zend_string_hash_val(file) ^ (uint64_t{line} * 0x9e3779b97f4a7c15u);
  if (key == last_line_ && shm::place_is_noted(view, last_hash_)) return last_hash_;
  const auto known = hash_of_line_.find(key);
  if (known != hash_of_line_.end() && shm::place_is_noted(view, known->second)) {
    last_line_ = key;
    return last_hash_ = known->second;
  }
  if (hash_of_line_.size() >= kMaxLines) hash_of_line_.clear();
  const uint64_t hash = shm::note_place(view, describe(file, line));
  hash_of_line_[key] = hash;
  return hash;
}

}  // namespace oxpool::php
