// Boost.JSON is header-only here: the library itself, compiled once for oxpoolctl.
#include <boost/json/src.hpp>
