// Reads the text of a symbolic dimension; use DimensionExpression::parse.
#pragma once

#include <string>
#include <string_view>

#include "golden/exported/dimension_expression.h"
#include "golden/exported/room.h"

namespace vintage::golden::exported {

class DimensionParser {
 public:
  explicit DimensionParser(std::string_view text) : text_(text) {}
  Result<DimensionExpression> parse();

 private:
  using Kind = DimensionExpression::Kind;

  // Each returns false once something is wrong; what is in problem_.
  bool sum(DimensionExpression& to);
  bool product(DimensionExpression& to);
  bool power(DimensionExpression& to);
  bool atom(DimensionExpression& to);
  bool operation(std::string_view name, DimensionExpression& to);
  bool integer(int64_t& to);

  static DimensionExpression number(int64_t value);
  static DimensionExpression combine(Kind kind, DimensionExpression a, DimensionExpression b);
  bool take(char expected);
  char peek();
  bool fail(std::string problem);

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  std::string problem_;
};

}  // namespace vintage::golden::exported
