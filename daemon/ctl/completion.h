// Scripts that let a shell complete what is typed.
#pragma once

#include <string>

namespace oxpool::ctl {

// `shell` is bash, zsh or fish. Ids of pools and mutexes are asked for
// while completing.
std::string completion_script(const std::string& shell);

}  // namespace oxpool::ctl
