// What a call waits for: slots that are not as they should become.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "oxpool/admin/v1/admin.pb.h"
#include "shm/segment.h"
#include "shm/slot_word.h"

namespace oxpool::daemon::admin {

namespace v1 = oxpool::admin::v1;

using IsUnfinished = std::function<bool(shm::SlotWord)>;

// Slots of everybody who was asked to close them.
bool evicted_but_there(shm::SlotWord word);
// Slots that somebody uses, or is about to use.
bool in_use(shm::SlotWord word);
// Slots that exist.
bool there(shm::SlotWord word);

bool any_unfinished(const shm::SegmentView& view, const shm::PoolRecord& pool,
                    const IsUnfinished& is_unfinished);

// The same, by worker.
std::vector<v1::Unfinished> list_unfinished(const std::string& namespace_name,
                                            const shm::SegmentView& view,
                                            const shm::PoolRecord& pool,
                                            const IsUnfinished& is_unfinished);

}  // namespace oxpool::daemon::admin
