#include "archive/records/dtype_sets.h"

#include <algorithm>

#include "golden/tensor/element_type.h"

namespace vintage::archive {
using namespace golden;

namespace {

struct DtypeSet {
  std::string name;
  std::vector<std::string> parts;  // Dtypes, or sets that stand before this one.
};

// As in JAX's jax_primitives_coverage.md; smaller sets first.
const std::vector<DtypeSet>& sets() {
  static const std::vector<DtypeSet> made{
      {"signed", {"int8", "int16", "int32", "int64"}},
      {"unsigned", {"uint8", "uint16", "uint32", "uint64"}},
      {"integer", {"signed", "unsigned"}},
      {"floating", {"bfloat16", "float16", "float32", "float64"}},
      {"complex", {"complex64", "complex128"}},
      {"inexact", {"floating", "complex"}},
      {"all", {"integer", "inexact", "bool"}},
  };
  return made;
}

void addExpanded(const std::string& name, std::set<std::string>& dtypes) {
  const auto found = std::find_if(sets().begin(), sets().end(),
                                  [&](const DtypeSet& set) { return set.name == name; });
  if (found == sets().end()) {
    dtypes.insert(jaxDtype(name));
    return;
  }
  for (const std::string& part : found->parts) addExpanded(part, dtypes);
}

}  // namespace

std::string jaxDtype(std::string_view name) {
  if (const auto type = parseStablehloName(name)) return std::string(dtypeName(*type));
  return std::string(name);
}

std::set<std::string> expandDtypes(std::span<const std::string> names) {
  std::set<std::string> dtypes;
  for (const std::string& name : names) addExpanded(name, dtypes);
  return dtypes;
}

std::vector<std::string> compressDtypes(std::set<std::string> dtypes) {
  std::vector<std::string> names;
  // A larger set includes whatever a smaller one could say, so the largest
  // first gives the fewest names.
  for (auto set = sets().rbegin(); set != sets().rend(); ++set) {
    const std::set<std::string> members = expandDtypes(std::span(&set->name, 1));
    if (!std::includes(dtypes.begin(), dtypes.end(), members.begin(), members.end())) continue;
    names.push_back(set->name);
    for (const std::string& member : members) dtypes.erase(member);
  }
  names.insert(names.end(), dtypes.begin(), dtypes.end());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::pair<std::string, std::vector<std::string>>> dtypeSetLegend() {
  std::vector<std::pair<std::string, std::vector<std::string>>> legend;
  for (const DtypeSet& set : sets()) legend.emplace_back(set.name, set.parts);
  return legend;
}

const std::set<std::string>& allDtypes() {
  static const std::string name = "all";
  static const std::set<std::string> dtypes = expandDtypes(std::span(&name, 1));
  return dtypes;
}

}  // namespace vintage::archive
