// For the programs that make archives for the tests: an error ends them with status 3.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "golden/base/result.h"

namespace vintage::tests {

inline void must(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(3);
}
template <typename Value>
Value must(Result<Value> result) {
  if (!result) must(Status(tl::unexpected(std::move(result.error()))));
  return std::move(*result);
}

}  // namespace vintage::tests
