// From a case to the artifact that a user would have archived.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/golden.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "primitives/catalogue/case.h"

namespace vintage::primitives {

// The choices of the exporting build: the form of a release of JAX, with parts replaced if wanted.
struct ProducerFacts {
  std::string jaxVersion = "";  // Kept from serialization version 12 on.
  const Profile* profile = &newestProfile();
  StablehloVersion stablehlo = profile->stablehlo;
  uint16_t callingConvention = profile->callingConvention;
  uint16_t serialization = profile->serialization;
};

// Modules that were already written, and their portable artifacts.
using WrittenModules = std::vector<std::pair<golden::ModuleTree, std::vector<std::byte>>>;

// Lowers for `platform`, verifies, and writes the portable artifact at the producer's target. The
// same arguments give the same bytes. Errors name the case; kUnsupported where it has no lowering
// for the platform, or where the target cannot carry it. When exporting a case for several
// platforms, pass the same `written` with one producer: most programs are the same on all
// platforms.
Result<golden::Exported> exportCase(golden::ProgramContext& context, const Case& entry,
                                    const std::string& platform, const ProducerFacts& producer,
                                    WrittenModules* written = nullptr);

// Inputs, expected outputs and comparators. They do not depend on the platform.
Result<golden::Golden> goldenFor(const Case& entry);

// An Exported's name of an element type: "f32", "bool", "c64".
std::string exportedDtype(golden::ElementType type);

}  // namespace vintage::primitives
