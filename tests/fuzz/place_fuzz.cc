// Lines of source code in a table that somebody else writes to as well: a text is what was noted,
// or nothing.
#include <memory>
#include <string>

#include "shm/place.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace oxpool;

const shm::SegmentView& segment() {
  static shm::MappedSegment mapped;
  if (!mapped.view().valid()) {
    const shm::SegmentSizes sizes{.processes = 2,
                                  .lanes = 2,
                                  .extra_tickets = 0,
                                  .pools = 1,
                                  .seats = 1,
                                  .chunks = 1,
                                  .places = 3,
                                  .mutexes = 1,
                                  .mutex_seats = 1,
                                  .value_bytes = 4096};
    FUZZ_CHECK(!shm::MappedSegment::create_without_file("fuzz", sizes, &mapped));
  }
  return mapped.view();
}

std::string as_kept(std::string text) {
  if (text.size() > shm::kPlaceBytes) text.erase(0, text.size() - shm::kPlaceBytes);
  for (char& c : text) c = c == '\0' ? '?' : c;
  return text;
}

}  // namespace

// The first two bytes: where to write into the table; the next eight: what; the rest: the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 11) return 0;  // nothing is what a text that is not there reads as
  const shm::SegmentView& view = segment();
  const std::string text(reinterpret_cast<const char*>(data + 10), size - 10);
  const uint64_t hash = shm::note_place(view, text);
  FUZZ_CHECK(hash != 0);
  FUZZ_CHECK(shm::place_is_noted(view, hash));
  FUZZ_CHECK(shm::place_text(view, hash) == as_kept(text));

  uint64_t word;
  std::memcpy(&word, data + 2, sizeof word);
  auto* words = reinterpret_cast<shm::Word64*>(view.place(0));
  const size_t count = view.count(shm::kPlaceTable) * sizeof(shm::PlaceRecord) / sizeof(uint64_t);
  words[(data[0] | data[1] << 8) % count] = word;
  const std::string after = shm::place_text(view, hash);
  FUZZ_CHECK(after.empty() || after == as_kept(text));
  FUZZ_CHECK(shm::place_text(view, word).size() <= shm::kPlaceBytes);
  return 0;
}
