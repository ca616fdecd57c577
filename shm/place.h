// Which line of source code acquired a slot, for people who look for a leak.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shm/segment.h"

namespace oxpool::shm {

// A longer text is cut at its beginning: a path's end tells more.
inline constexpr size_t kPlaceBytes = kPlaceWords * 8;

// Keeps the text and returns its hash, never 0, which SlotRecord::place takes. Lock-free and
// bounded; any thread. A caller that notes the same line often keeps the hash and asks
// place_is_noted().
uint64_t note_place(const SegmentView& view, std::string_view text);

// Whether the text is (still) there. One or a few loads; it does not look at the text itself.
bool place_is_noted(const SegmentView& view, uint64_t hash);

// The text with that hash, any bytes; empty when it was overwritten, torn by two writers, or never
// noted. Safe on a segment that was scribbled on.
std::string place_text(const SegmentView& view, uint64_t hash);

}  // namespace oxpool::shm
