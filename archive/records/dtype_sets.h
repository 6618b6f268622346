// Sets of dtypes by the names that JAX's documents use for them.
//
// signed = int8 … int64; unsigned = uint8 … uint64; integer = both; floating =
// bfloat16, float16, float32, float64; complex = complex64, complex128; inexact
// = floating, complex; all = integer, inexact, bool. Other dtypes (int4,
// float8_e4m3fn, …) belong to no set and stand by themselves.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vintage::archive {

// A dtype as StableHLO or as JAX spells it, in JAX's spelling; what is neither
// comes back as it is.
std::string jaxDtype(std::string_view name);

// Dtypes and names of sets, as dtypes in JAX's spelling.
std::set<std::string> expandDtypes(std::span<const std::string> names);

// The fewest names for exactly these dtypes, sorted.
std::vector<std::string> compressDtypes(std::set<std::string> dtypes);

struct DtypeSet {
  std::string name;
  std::vector<std::string> parts;  // Dtypes, or sets that stand before this one.
};
// As in JAX's jax_primitives_coverage.md; smaller sets first.
const std::vector<DtypeSet>& dtypeSets();

// The members of the set "all".
const std::set<std::string>& allDtypes();

}  // namespace vintage::archive
