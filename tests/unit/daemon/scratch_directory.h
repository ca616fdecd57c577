// A directory for one test, on tmpfs unless asked otherwise; removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace oxpool::daemon {

class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& parent = "/dev/shm") {
    std::string path = parent + "/oxpoold-test-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no directory in " + parent);
    path_ = path;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::string path_;
};

}  // namespace oxpool::daemon
