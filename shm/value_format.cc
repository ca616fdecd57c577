#include "shm/value_format.h"

namespace oxpool::shm {

namespace {

bool skip_value(ValueReader* reader, int depth) {
  ValueHead head;
  if (!reader->head(&head)) return false;
  const bool is_map = head.tag == ValueTag::kMap || head.tag == ValueTag::kMapAhead;
  if (!is_map && head.tag != ValueTag::kList) return true;
  if (depth == kMaxValueDepth) return false;
  for (uint32_t i = 0; i < head.count; ++i) {
    ValueHead key;
    if (is_map && !reader->key(&key)) return false;
    if (!skip_value(reader, depth + 1)) return false;
  }
  int64_t next_index;
  return head.tag != ValueTag::kMapAhead || reader->integer(&next_index);
}

}  // namespace

bool value_is_whole(std::string_view bytes) {
  ValueReader reader(bytes);
  return skip_value(&reader, 0) && reader.at_end();
}

}  // namespace oxpool::shm
