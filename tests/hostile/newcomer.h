// A worker that means well and comes after the attack.
#pragma once

#include <string>

namespace oxpool::test {

// Attaches to a namespace ("" = its own) and takes the two units of a pool. "" when all of it went
// well, else what did not.
std::string why_not_usable(const std::string& runtime_dir, const std::string& namespace_name);

}  // namespace oxpool::test
