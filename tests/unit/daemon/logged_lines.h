// What the daemon logs while this lives.
#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

namespace oxpool::daemon {

class LoggedLines {
 public:
  LoggedLines() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(text_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
    spdlog::set_pattern("%v");
  }
  ~LoggedLines() { spdlog::set_default_logger(before_); }

  // Lines that have `part` in them.
  size_t count(const std::string& part) const {
    size_t found = 0;
    for_each([&](const std::string& line) { found += line.find(part) != std::string::npos; });
    return found;
  }
  // The first of them; empty when there is none.
  std::string line(const std::string& part) const {
    std::string result;
    for_each([&](const std::string& line) {
      if (result.empty() && line.find(part) != std::string::npos) result = line;
    });
    return result;
  }

 private:
  template <typename Visit>
  void for_each(Visit visit) const {
    std::istringstream lines(text_.str());
    for (std::string line; std::getline(lines, line);) visit(line);
  }

  std::shared_ptr<spdlog::logger> before_;
  std::ostringstream text_;
};

}  // namespace oxpool::daemon
