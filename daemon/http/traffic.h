// What all connections of a server share.
#pragma once

#include <cstddef>

#include "daemon/http/router.h"

namespace oxpool::daemon::http {

struct Traffic {
  // Clients that ask for much and read nothing must not fill the memory.
  static constexpr size_t kMostBytes = size_t{64} << 20;

  const Router* router = nullptr;  // nullptr: the server is gone
  size_t bytes_on_the_way = 0;     // of answers that are being sent
};

}  // namespace oxpool::daemon::http
