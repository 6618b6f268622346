#include "harness/engine/manual_sharding.h"

namespace vintage::harness::engine {

Result<std::vector<std::vector<Value>>> splitOperands(const ManualSharding& sharding,
                                                      std::span<const Value> operands) {
  std::vector<std::vector<Value>> split(sharding.devices);
  for (size_t i = 0; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(auto pieces, splitOver(sharding.operands[i], operands[i].tensor));
    for (size_t device = 0; device < split.size(); ++device)
      split[device].emplace_back().tensor = std::move(pieces[device]);
  }
  return split;
}

Result<std::vector<Value>> joinResults(const ManualSharding& sharding,
                                       std::span<const std::vector<Value>> results) {
  std::vector<Value> joined;
  for (size_t i = 0; i < sharding.results.size(); ++i) {
    std::vector<Tensor> pieces;
    for (const std::vector<Value>& device : results) pieces.push_back(device[i].tensor);
    auto whole = joinPieces(sharding.results[i], pieces, Copies::kFirstIsTaken);
    if (!whole) return tl::unexpected(whole.error());
    joined.emplace_back().tensor = std::move(*whole);
  }
  return joined;
}

}  // namespace vintage::harness::engine
