// Compares the names that a release's dialects know with those of this program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "golden/base/stablehlo_version.h"
#include "golden/program/program.h"

namespace vintage::golden {

struct DialectNames {
  StablehloVersion version;
  std::map<std::string, std::vector<std::string>> operations;  // "stablehlo.add": its attributes.
  std::vector<std::string> types, attributes;                  // "vhlo.f32_v1", "chlo.precision"
  // Cases of the attributes that are enumerations: "vhlo.precision_v1" to "HIGH", …
  std::map<std::string, std::vector<std::string>> cases;
};

struct UnknownName {
  std::string kind;    // "version", "operation", "attribute of an operation", "type", …
  std::string name;    // "stablehlo.add", "replica_groups of stablehlo.all_gather"
  std::string reason;  // Why no exported program holds it; empty: this program lacks it.
};

// Unknown names of `theirs`, in the order of DialectNames. A version is unknown where its
// minor version is later than the current one: then a rule may be new that has no name.
std::vector<UnknownName> unknownNames(ProgramContext& context, const DialectNames& theirs);

}  // namespace vintage::golden
