// Exports over 2 to 8 logical devices: a shard_map, whose body runs on each
// device's piece, or a whole program that only says where its values lie.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {

struct LogicalMesh {
  std::vector<std::string> names;
  std::vector<uint32_t> sizes;

  uint32_t count() const;
  std::string label() const;  // "mesh=2x2"
};

// They have 2, 4, 4 and 8 devices.
std::span<const LogicalMesh> logicalMeshes();

// The axes that split each dimension.
using Layout = std::vector<std::vector<std::string>>;

struct ShardMap {
  LogicalMesh mesh;
  std::vector<Layout> in, out;
  // Writes the body for local arguments; none for a whole program, which is the
  // specification's own and sees global ones.
  std::function<SsaValues(FunctionBuilder&, Arguments)> body = {};
};

// A shard_map where the map has a body; otherwise jit with in_shardings and out_shardings,
// which the consumer's partitioner splits.
CaseSpecification onMeshCase(CaseSpecification specification, ShardMap map);

}  // namespace vintage::primitives
