// A table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/ctl/style.h"

namespace oxpool::ctl {

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;

  Cell(std::string words, Tone how = Tone::kPlain) : text(std::move(words)), tone(how) {}
  Cell(const char* words) : text(words) {}
};

enum class Side { kLeft, kRight };

struct Column {
  std::string title;
  Side side = Side::kLeft;
  size_t most = 60;  // wider texts are cut
};

// Columns are as wide as what is in them, two spaces apart; lines do not end in spaces.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  size_t rows() const { return rows_.size(); }

  // The header and the rows, without line ends.
  std::vector<std::string> lines(const Style& style) const;

 private:
  std::string line(const std::vector<Cell>& cells, const std::vector<size_t>& widths,
                   const Style& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace oxpool::ctl
