// Scripts that let a shell complete what is typed.
#pragma once

#include <string>

namespace oxpool::ctl {

// `shell` is bash, zsh or fish. Names of pools are asked for while completing.
std::string completion_script(const std::string& shell);

}  // namespace oxpool::ctl
