// Tables as text: for people at a terminal, and in markdown.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vintage::reports {

// A line of text for each of `lines`, which have as many cells as the first. Every column but the
// last is as wide as its longest cell, in bytes, with two spaces between columns.
std::string textTable(std::span<const std::vector<std::string>> lines);

// In GitHub's markdown.
class MarkdownTable {
 public:
  explicit MarkdownTable(const std::vector<std::string>& heading);
  // A row has as many cells as the heading. Escapes characters that would end a cell or begin
  // markup; line breaks become spaces. With `link`, the first cell links to it.
  void addRow(const std::vector<std::string>& cells, const std::string& link = {});
  bool empty() const { return rows_ == 0; }
  std::string text() const { return text_; }

 private:
  std::string text_;
  size_t rows_ = 0;
};

// Rows that are equal but for `column` become the first of them, whose cell there lists all.
std::vector<std::vector<std::string>> mergeRows(std::vector<std::vector<std::string>> rows,
                                                size_t column);

// "a, b, c and 4 more": the first `shown` of the names.
std::string someOf(std::span<const std::string> names, size_t shown);

}  // namespace vintage::reports
