#include "daemon/ctl/table.h"

#include <algorithm>

#include "daemon/ctl/display_width.h"

namespace oxpool::ctl {

std::string Table::line(const std::vector<Cell>& cells, const std::vector<size_t>& widths,
                        const Style& style) const {
  std::string text;
  size_t gap = 0;  // spaces that are due before the next word
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string words = cut_to_width(cells[i].text, columns_[i].most);
    const size_t padding = widths[i] - display_width(words);
    if (columns_[i].side == Side::kRight) gap += padding;
    if (!words.empty()) {
      text += std::string(gap, ' ') + style.paint(cells[i].tone, words);
      gap = 0;
    }
    if (columns_[i].side == Side::kLeft) gap += padding;
    gap += 2;
  }
  return text;
}

std::vector<std::string> Table::lines(const Style& style) const {
  std::vector<Cell> header;
  std::vector<size_t> widths;
  for (const Column& column : columns_) {
    header.emplace_back(column.title, Tone::kHeader);
    widths.push_back(display_width(column.title));
  }
  for (const auto& row : rows_) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const size_t width = std::min(display_width(row[i].text), columns_[i].most);
      widths[i] = std::max(widths[i], width);
    }
  }
  std::vector<std::string> result = {line(header, widths, style)};
  for (const auto& row : rows_) result.push_back(line(row, widths, style));
  return result;
}

}  // namespace oxpool::ctl
