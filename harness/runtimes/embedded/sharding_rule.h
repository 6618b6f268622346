// How the dimensions of an operation go together by its sdy.sharding_rule, as custom calls have
// one: Shardy's factors, by which a placement passes from operands to results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/runtimes/embedded/propagated_placement.h"

namespace vintage::harness {

struct ShardingRule {
  struct Factor {
    int64_t size = 1;
    bool isWhole = false;  // No axis splits it.
  };
  // For each dimension its factors, major first, by their place in `factors`.
  using Dimensions = std::vector<std::vector<size_t>>;

  std::vector<Factor> factors;
  std::vector<Dimensions> operands, results;
};

// "#sdy.op_sharding_rule<([i, jk])->([i]) {i=2, j=3, k=4} reduction={j, k}, custom>". None where it
// is not understood.
std::optional<ShardingRule> parseShardingRule(std::string_view text);

// Where the results lie: each factor is split as in the first operand that splits it. None where no
// operand is placed.
std::vector<OpenPlacement> placedByRule(const ShardingRule& rule,
                                        std::span<const OpenPlacement> operands);

}  // namespace vintage::harness
