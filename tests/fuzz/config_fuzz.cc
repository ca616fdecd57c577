// Any text as oxpoold.toml: it is taken, or refused in one sentence that names the file.
#include "daemon/config_file.h"
#include "daemon/refused.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace oxpool;
  const int fd = fuzz::file_of(data, size);
  const std::string path = fuzz::path_of(fd);
  try {
    const daemon::Config config = daemon::read_config(path);
    FUZZ_CHECK(config.file == path);
    FUZZ_CHECK(!config.runtime_dir.empty());
    FUZZ_CHECK(config.socket_mode <= 0777);
    FUZZ_CHECK(config.limits.tables.processes >= 2 && config.limits.tables.pools >= 1);
    FUZZ_CHECK(config.limits.tables.segment_bytes() > 0);
    for (const auto& [name, list] : config.namespaces) FUZZ_CHECK(daemon::is_namespace_name(name));
  } catch (const daemon::Refused& refused) {
    const std::string sentence = refused.what();
    FUZZ_CHECK(sentence.find(path) != std::string::npos);
    FUZZ_CHECK(sentence.find('\n') == std::string::npos);
  }
  close(fd);
  return 0;
}
