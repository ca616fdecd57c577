// A mutex's value as people read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oxpool::shm {

inline constexpr uint32_t kShownElements = 20;  // of one array

// A value (shm/value_format.h) in PHP's notation, as UTF-8, at most `limit_bytes` long:
//
//   ['hits' => 3, 'by' => ['a', 'b', … 5 more], 'next' => Mutex 'other']
//
// What is longer is cut between two characters and ends in "…". A string's control characters and
// bytes that are no text are shown as "\x1b". Bytes that are no value, or not one alone, are shown
// up to the damage, with "(damaged)" there. Reads each byte at most once.
std::string value_text(std::string_view bytes, size_t limit_bytes);

}  // namespace oxpool::shm
