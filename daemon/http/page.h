// The live page at "/".
#pragma once

#include "daemon/http/router.h"

namespace oxpool::daemon::http {

// Adds "/" and the files that it refers to.
void add_page(Router* router);

}  // namespace oxpool::daemon::http
