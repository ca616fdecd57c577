// oxpoold: see README.md in this folder.

#include <cstdio>
#include <exception>

#include "daemon/command_line.h"
#include "daemon/config_file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/refused.h"
#include "daemon/signals.h"

int main(int argc, char** argv) {
  using namespace oxpool::daemon;
  block_signals();
  CommandLine command_line;
  if (const auto exit_code = parse_command_line(argc, argv, &command_line)) return *exit_code;
  try {
    Config config = read_config_or_defaults(command_line.config_file);
    command_line.apply_to(&config);
    if (command_line.check_config) {
      std::printf("configuration %s: ok\n",
                  config.file.empty() ? "none, so the defaults" : config.file.c_str());
      return 0;
    }
    start_log(config.log_level, config.log_format);
    Daemon daemon(std::move(command_line), std::move(config));
    daemon.run();
    return 0;
  } catch (const Refused& refused) {
    log_refusal(refused.what());
  } catch (const std::exception& error) {
    log_refusal(std::string("ended by an error that nothing here foresaw: ") + error.what());
  }
  return 1;
}
