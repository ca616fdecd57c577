// The value of a mutex, as anybody may have left it: what is shown of it is text and short, and it
// is called damaged where it is.
#include <string>

#include "shm/utf8.h"
#include "shm/value_format.h"
#include "shm/value_text.h"
#include "tests/fuzz/fuzz.h"

using namespace oxpool;

// The first byte: how long the text may be; the rest: the value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string shown = shm::value_text(bytes, data[0]);
  FUZZ_CHECK(shown.size() <= data[0]);
  for (std::string_view rest = shown; !rest.empty();) {
    const size_t length = shm::utf8_length(rest);
    FUZZ_CHECK(length > 0);
    rest.remove_prefix(length);
  }
  // Shown whole, it says of itself what it is.
  const std::string all = shm::value_text(bytes, 32 * size + 4096);
  FUZZ_CHECK(all.ends_with("(damaged)") == !shm::value_is_whole(bytes));
  return 0;
}
