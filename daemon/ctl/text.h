// Values as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oxpool::ctl {

// Of a whole UTF-8 character.
uint32_t utf8_code_point(std::string_view character);

// A name of any bytes: control characters and what is no UTF-8 as \xNN, so that no name can steer a
// terminal or break a line.
std::string printable(std::string_view bytes);
// The same in quotes, for sentences.
std::string quoted(std::string_view bytes);
std::string base64(std::string_view bytes);

std::string duration_text(uint64_t ms);     // 350ms, 4.2s, 3m10s, 2h05m, 3d04h
std::string duration_us_text(uint64_t us);  // 90us, or as above
std::string bytes_text(uint64_t bytes);     // 512 B, 11.1 MiB
std::string number_text(uint64_t number);   // 1,234,567
std::string rate_text(double per_second);   // 0, 0.4, 12, 3.4k
std::string percent_text(double share);     // 0.5 → 50%

// "1 slot", "2 slots"
std::string counted(uint64_t number, const std::string& what);

}  // namespace oxpool::ctl
