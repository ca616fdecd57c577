// The extension's section in phpinfo() and `php --ri oxpool`.
#pragma once

namespace oxpool::php {

// Looks whether the daemon is there, for an instant; attaches to nothing. `elsewhere`: the server
// provides the classes itself.
void print_info(bool elsewhere);

}  // namespace oxpool::php
