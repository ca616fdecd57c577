#include "shm/place.h"

#include <algorithm>
#include <cstring>

#include "shm/fnv.h"

namespace oxpool::shm {

namespace {

// How many records a text may lie in, from its home on. More would make a miss dearer than it is
// worth: what is lost is one line of a report.
constexpr uint32_t kProbes = 8;

struct Text {
  uint64_t words[kPlaceWords] = {};

  std::string_view bytes() const {
    const auto* begin = reinterpret_cast<const char*>(words);
    return {begin, strnlen(begin, kPlaceBytes)};
  }
};

uint64_t hash_of(std::string_view text) {
  const uint64_t hash = fnv1a(text);
  return hash != 0 ? hash : 1;
}

PlaceRecord& probe(const SegmentView& view, uint64_t hash, uint32_t turn) {
  return *view.place(static_cast<uint32_t>((hash + turn) % view.count(kPlaceTable)));
}

PlaceRecord* find(const SegmentView& view, uint64_t hash) {
  for (uint32_t turn = 0; turn < kProbes; ++turn) {
    PlaceRecord& record = probe(view, hash, turn);
    if (record.hash.load(std::memory_order_acquire) == hash) return &record;
  }
  return nullptr;
}

PlaceRecord& room_for(const SegmentView& view, uint64_t hash) {
  for (uint32_t turn = 0; turn < kProbes; ++turn) {
    PlaceRecord& record = probe(view, hash, turn);
    if (record.hash.load(std::memory_order_relaxed) == 0) return record;
  }
  return probe(view, hash, static_cast<uint32_t>(hash >> 32) % kProbes);
}

Text read(const PlaceRecord& record) {
  Text text;
  for (uint32_t i = 0; i < kPlaceWords; ++i) {
    text.words[i] = record.text[i].load(std::memory_order_relaxed);
  }
  return text;
}

}  // namespace

uint64_t note_place(const SegmentView& view, std::string_view text) {
  Text kept;
  text = text.substr(text.size() - std::min(text.size(), kPlaceBytes));
  // A NUL would end it early, and its hash would never match.
  std::transform(text.begin(), text.end(), reinterpret_cast<char*>(kept.words),
                 [](char c) { return c == '\0' ? '?' : c; });
  const uint64_t hash = hash_of(kept.bytes());
  if (place_text(view, hash) == kept.bytes()) return hash;
  PlaceRecord* found = find(view, hash);  // torn: written anew where it is
  PlaceRecord& record = found != nullptr ? *found : room_for(view, hash);
  record.hash.store(0, std::memory_order_relaxed);
  for (uint32_t i = 0; i < kPlaceWords; ++i) {
    record.text[i].store(kept.words[i], std::memory_order_relaxed);
  }
  record.hash.store(hash, std::memory_order_release);
  return hash;
}

bool place_is_noted(const SegmentView& view, uint64_t hash) { return find(view, hash) != nullptr; }

std::string place_text(const SegmentView& view, uint64_t hash) {
  if (hash == 0) return "";
  const PlaceRecord* record = find(view, hash);
  if (record == nullptr) return "";
  const Text text = read(*record);
  return hash_of(text.bytes()) == hash ? std::string(text.bytes()) : "";
}

}  // namespace oxpool::shm
