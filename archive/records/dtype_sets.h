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

// Each set's name with what it holds, for a document's legend: the sets that
// hold other sets name those.
std::vector<std::pair<std::string, std::vector<std::string>>> dtypeSetLegend();

// The members of the set "all".
const std::set<std::string>& allDtypes();

}  // namespace vintage::archive
