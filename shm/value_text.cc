#include "shm/value_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "shm/utf8.h"
#include "shm/value_format.h"

namespace oxpool::shm {

namespace {

constexpr std::string_view kEllipsis = "…";

// Thread safety: none; one thread prints one value.
class Printer {
 public:
  Printer(std::string_view bytes, size_t limit_bytes) : reader_(bytes), limit_bytes_(limit_bytes) {}

  std::string print() {
    const bool whole = value(0);
    if (!full() && !(whole && reader_.at_end())) add(whole ? " (damaged)" : "(damaged)");
    if (text_.size() > limit_bytes_) cut();
    return std::move(text_);
  }

 private:
  // False: the rest can not be read, or need not be.
  bool value(int depth) {
    ValueHead head;
    if (!reader_.head(&head)) return false;
    switch (head.tag) {
      case ValueTag::kNull:
        add("null");
        break;
      case ValueTag::kFalse:
        add("false");
        break;
      case ValueTag::kTrue:
        add("true");
        break;
      case ValueTag::kMutex:
        add("Mutex ");
        string(head.bytes);
        break;
      case ValueTag::kList:
      case ValueTag::kMap:
      case ValueTag::kMapAhead:
        return array(head, depth);
      default:
        scalar(head);
    }
    return !full();
  }

  // What may be a key, too.
  void scalar(const ValueHead& head) {
    if (head.tag == ValueTag::kInt) add(std::to_string(head.integer));
    if (head.tag == ValueTag::kFloat) real(head.real);
    if (head.tag == ValueTag::kString) string(head.bytes);
  }

  bool array(const ValueHead& head, int depth) {
    if (depth == kMaxValueDepth) return false;
    const bool is_map = head.tag != ValueTag::kList;
    add("[");
    for (uint32_t i = 0; i < head.count; ++i) {
      if (i == kShownElements) add(", … " + std::to_string(head.count - i) + " more");
      if (!element(is_map, i, depth)) return false;
    }
    add("]");
    int64_t next_index;
    return !full() && (head.tag != ValueTag::kMapAhead || reader_.integer(&next_index));
  }

  bool element(bool has_key, uint32_t index, int depth) {
    const bool silent = silent_;
    silent_ = silent_ || index >= kShownElements;
    if (index > 0) add(", ");
    ValueHead key;
    bool whole = !has_key || reader_.key(&key);
    if (whole && has_key) {
      scalar(key);
      add(" => ");
    }
    whole = whole && value(depth + 1);
    silent_ = silent && whole;  // damage is told of wherever it is
    return whole;
  }

  void real(double number) {
    if (std::isnan(number)) return add("NAN");
    if (std::isinf(number)) return add(number > 0 ? "INF" : "-INF");
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    const std::string_view shown(digits, static_cast<size_t>(end - digits));
    add(shown);
    if (shown.find_first_of(".e") == std::string_view::npos) add(".0");
  }

  void string(std::string_view bytes) {
    add("'");
    while (!bytes.empty() && !full() && !silent_) {
      const size_t length = utf8_length(bytes);
      const auto first = static_cast<unsigned char>(bytes[0]);
      if (length == 0 || first < 0x20 || first == 0x7f) {
        char escape[5];
        std::snprintf(escape, sizeof escape, "\\x%02x", first);
        add(escape);
      } else {
        if (first == '\'' || first == '\\') add("\\");
        add(bytes.substr(0, length));
      }
      bytes.remove_prefix(length == 0 ? 1 : length);
    }
    add("'");
  }

  void add(std::string_view piece) {
    if (!silent_ && !full()) text_ += piece;
  }
  bool full() const { return text_.size() > limit_bytes_; }

  // Everything in text_ is whole characters.
  void cut() {
    const std::string_view end = limit_bytes_ >= kEllipsis.size() ? kEllipsis : std::string_view();
    size_t length = limit_bytes_ - end.size();
    while (length > 0 && (static_cast<unsigned char>(text_[length]) & 0xc0) == 0x80) --length;
    text_.resize(length);
    text_ += end;
  }

  ValueReader reader_;
  const size_t limit_bytes_;
  std::string text_;
  bool silent_ = false;  // reads elements that are not shown
};

}  // namespace

std::string value_text(std::string_view bytes, size_t limit_bytes) {
  return Printer(bytes, limit_bytes).print();
}

}  // namespace oxpool::shm
