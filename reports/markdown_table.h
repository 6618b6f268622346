// A table in GitHub's markdown.
#pragma once

#include <string>
#include <vector>

#include "reports/room.h"

namespace vintage::reports {

class MarkdownTable {
 public:
  explicit MarkdownTable(const std::vector<std::string>& heading);
  // As many cells as the heading. What would end a cell or begin markup is
  // escaped; line breaks become spaces.
  // Where `link` is given, the first cell leads there.
  void addRow(const std::vector<std::string>& cells, const std::string& link = {});
  bool empty() const { return rows_ == 0; }
  std::string text() const { return text_; }

 private:
  std::string text_;
  size_t rows_ = 0;
};

}  // namespace vintage::reports
