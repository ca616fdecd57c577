// The real oxpoold, in a directory of its own on tmpfs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tests/unit/temporary_directory.h"

namespace oxpool::test {

// Started by the constructor, which returns once it is ready; ended at the end of the scope.
class DaemonProcess {
 public:
  // `config` is what oxpoold.toml says beside the runtime directory. Throws when it does not start.
  DaemonProcess(const std::string& binary, const std::string& config);
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  std::string runtime_dir() const { return directory_.file("run"); }
  std::string client_socket() const { return runtime_dir() + "/client.sock"; }
  uint16_t http_port() const { return http_port_; }
  pid_t pid() const { return pid_; }

  bool running();
  // SIGTERM. The exit code, 128 + signal, or -1 when it does not end.
  int stop();

  // Memory that is its own: segments are not counted.
  uint64_t own_bytes() const;
  size_t open_descriptors() const;
  std::string log() const;
  bool log_has(const std::string& text) const { return log().find(text) != std::string::npos; }

 private:
  bool read_port();

  TemporaryDirectory directory_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  uint16_t http_port_ = 0;
};

}  // namespace oxpool::test
