// Budget moves, resources don't: which idle slot is to be closed so that its unit can be used
// elsewhere, and how many may be idle at all.
#pragma once

#include <cstdint>

#include "shm/segment.h"
#include "shm/slot_word.h"

namespace oxpool::shm {

// Whether idle slots stay with their owners though others wait: what the pool asks for, else what
// the daemon is configured to.
bool is_strict(const SegmentView& view, const PoolRecord& pool);

// The pool's patience, else the configured one; kPatienceAuto = derived from the factory's time.
uint32_t patience_setting_ms(const SegmentView& view, const PoolRecord& pool);

// When the owner of an idle slot is expected to need it next, in time that only compares: it came
// back plus its owner's mean gap until the next acquire; one that has long been overdue is taken to
// stay away for as long again.
int64_t needed_at_ns(const SlotRecord& slot, int64_t now_ns);

enum class Owners {
  kAny,
  kAsleep,  // those that can be told by their session
};

// Flags the idle slot that will be needed last, of those that came back before `idle_before_ns` and
// are not `except`'s. Does nothing while `limit` slots are flagged or being closed already. Returns
// whose it is; nobody when none was flagged.
//
// Not the one that has been idle longest: php-fpm gives a request to the child that has waited
// longest, so that is the one that is needed next.
OwnerId flag_needed_last(const SegmentView& view, PoolRecord& pool, OwnerId except,
                         CloseReason reason, int64_t idle_before_ns, int64_t now_ns, uint32_t limit,
                         Owners owners = Owners::kAny);

// Whether one more slot may be idle beside those that are: idle < cap − reserve. At the end of a
// request, where the owner goes away; not asked by hot releases. `counted` of the idle ones are
// those that it is asked about.
bool has_room_for_idle(const SegmentView& view, const PoolRecord& pool, uint32_t counted = 0);

// How the lane is to be told that its attention word was set; kAwake also when it is gone.
LaneSleep sleep_of(const SegmentView& view, OwnerId owner);

}  // namespace oxpool::shm
