// The kinds of shared objects there are.
#pragma once

namespace oxpool::daemon::http {

struct ObjectType {
  int tag;
  const char* name;
  const char* php_class;
};
inline constexpr ObjectType kMutexType = {30, "Mutex", "OxPHP\\Shared\\Mutex"};
inline constexpr ObjectType kPoolType = {50, "Pool", "OxPHP\\Shared\\Pool"};
inline constexpr ObjectType kObjectTypes[] = {kMutexType, kPoolType};

}  // namespace oxpool::daemon::http
