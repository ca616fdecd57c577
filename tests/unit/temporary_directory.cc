#include "tests/unit/temporary_directory.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace oxpool::test {

TemporaryDirectory::TemporaryDirectory() {
  char name[] = "/dev/shm/oxpool-test-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp in /dev/shm failed");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace oxpool::test
