#include "settings.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "SAPI.h"
#include "client/sleep.h"
#include "php_ini.h"
#include "sentence.h"

namespace {

// clang-format off
PHP_INI_BEGIN()
  // No default: unset is told from empty, and the environment comes between.
  PHP_INI_ENTRY("oxpool.runtime_dir", nullptr, PHP_INI_SYSTEM, nullptr)
  PHP_INI_ENTRY("oxpool.namespace", "", PHP_INI_SYSTEM, nullptr)
  PHP_INI_ENTRY("oxpool.connect_timeout_ms", "1000", PHP_INI_ALL, nullptr)
  PHP_INI_ENTRY("oxpool.on_unavailable", "error", PHP_INI_SYSTEM, nullptr)
  // No default: it is a number that the C library decides.
  PHP_INI_ENTRY("oxpool.wake_signal", nullptr, PHP_INI_SYSTEM, nullptr)
PHP_INI_END()
// clang-format on

}  // namespace

namespace oxpool::php {

namespace {

constexpr const char* kDefaultRuntimeDirectory = "/run/oxpool";

const char* setting(const char* name) {
  return zend_ini_string_ex(const_cast<char*>(name), std::strlen(name), 0, nullptr);
}

// What people call the program that this PHP runs in.
std::string program_name() {
  const char* name = sapi_module.name != nullptr ? sapi_module.name : "";
  if (std::strcmp(name, "fpm-fcgi") == 0) return "php-fpm";
  return std::string("php-") + name;
}

Error read_policy(OnUnreachable* policy) {
  const char* text = setting("oxpool.on_unavailable");
  if (text == nullptr) text = "";
  if (std::strcmp(text, "error") == 0) {
    *policy = OnUnreachable::kFail;
  } else if (std::strcmp(text, "local") == 0) {
    *policy = OnUnreachable::kLocal;
  } else {
    return Error::make(Status::kUnavailable, "oxpool.on_unavailable is " + quoted(text) +
                                                 "; it takes 'error' or 'local'");
  }
  return Error::ok();
}

Error read_timeout(int* timeout_ms) {
  const char* text = setting("oxpool.connect_timeout_ms");
  char* end = nullptr;
  const long value = text != nullptr ? std::strtol(text, &end, 10) : 0;
  if (end == nullptr || *end != '\0' || value <= 0 || value > INT_MAX) {
    return Error::make(Status::kUnavailable, "oxpool.connect_timeout_ms is " +
                                                 quoted(text != nullptr ? text : "") +
                                                 "; it takes a positive number of milliseconds");
  }
  *timeout_ms = static_cast<int>(value);
  return Error::ok();
}

}  // namespace

void register_settings(int module_number) {
  [[maybe_unused]] const int type = MODULE_PERSISTENT;  // the macros of some versions read it
  REGISTER_INI_ENTRIES();
}

void unregister_settings(int module_number) {
  [[maybe_unused]] const int type = MODULE_PERSISTENT;
  UNREGISTER_INI_ENTRIES();
}

const char* runtime_directory() {
  const char* set = setting("oxpool.runtime_dir");
  if (set != nullptr) return set;
  const char* from_environment = std::getenv("OXPOOL_RUNTIME_DIR");
  return from_environment != nullptr ? from_environment : kDefaultRuntimeDirectory;
}

const char* namespace_setting() {
  const char* name = setting("oxpool.namespace");
  return name != nullptr ? name : "";
}

Error wake_signal(int* number) {
  const char* text = setting("oxpool.wake_signal");
  if (text == nullptr) {
    *number = Sleep::usual_signal();
    return Error::ok();
  }
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0 || value > INT_MAX ||
      !Sleep::is_signal(static_cast<int>(value))) {
    return Error::make(Status::kUnavailable,
                       "oxpool.wake_signal is " + quoted(text) +
                           "; it takes 0 (sleeping workers are not woken), or the number of a "
                           "real-time signal, SIGUSR1, SIGUSR2, SIGURG or SIGIO");
  }
  *number = static_cast<int>(value);
  return Error::ok();
}

Error process_options(ProcessOptions* options) {
  if (Error error = read_policy(&options->on_unreachable)) return error;
  options->runtime_dir = runtime_directory();
  if (options->runtime_dir.empty()) {
    return Error::make(Status::kUnavailable,
                       "oxpool.runtime_dir is empty; set it to the directory that oxpoold runs in, "
                       "or leave it unset for " +
                           std::string(kDefaultRuntimeDirectory));
  }
  options->namespace_name = namespace_setting();
  options->program = program_name();
  return read_timeout(&options->connect_timeout_ms);
}

}  // namespace oxpool::php
