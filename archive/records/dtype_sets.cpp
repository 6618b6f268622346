#include "archive/records/dtype_sets.h"

#include <algorithm>
#include <ranges>

#include "golden/tensor/element_type.h"

namespace vintage::archive {
using namespace golden;

namespace {

void addExpanded(const std::string& name, std::set<std::string>& dtypes) {
  const auto found = std::ranges::find(dtypeSets(), name, &DtypeSet::name);
  if (found == dtypeSets().end())
    dtypes.insert(jaxDtype(name));
  else
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
  for (const DtypeSet& set : std::views::reverse(dtypeSets())) {
    const std::set<std::string> members = expandDtypes(std::span(&set.name, 1));
    if (!std::includes(dtypes.begin(), dtypes.end(), members.begin(), members.end())) continue;
    names.push_back(set.name);
    for (const std::string& member : members) dtypes.erase(member);
  }
  names.insert(names.end(), dtypes.begin(), dtypes.end());
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<DtypeSet>& dtypeSets() {
  static const std::vector<DtypeSet> sets{
      {"signed", {"int8", "int16", "int32", "int64"}},
      {"unsigned", {"uint8", "uint16", "uint32", "uint64"}},
      {"integer", {"signed", "unsigned"}},
      {"floating", {"bfloat16", "float16", "float32", "float64"}},
      {"complex", {"complex64", "complex128"}},
      {"inexact", {"floating", "complex"}},
      {"all", {"integer", "inexact", "bool"}},
  };
  return sets;
}

const std::set<std::string>& allDtypes() {
  static const std::string name = "all";
  static const std::set<std::string> dtypes = expandDtypes(std::span(&name, 1));
  return dtypes;
}

}  // namespace vintage::archive
