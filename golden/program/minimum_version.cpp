#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/program.h"
#include "golden/program/program_module.h"
#include "golden/program/version_needs.h"
#include "golden/program/vhlo_from_stablehlo.h"

namespace vintage::golden::program {

Result<Program::MinimumVersion> Program::minimumVersion() const {
  mlir::ModuleOp module = *implementation_->module;
  PortableTypes types(module.getContext());
  PortableAttributes attributes(module.getContext(), types);
  MinimumVersion minimum{kOldestStablehloVersion, ""};
  std::string problem;
  auto raise = [&](mlir::Operation& operation, const VersionNeed& need) {
    if (need.version > minimum.version)
      minimum = {need.version, fmt::format("{} {}", placeOf(operation), need.reason)};
  };

  module.walk([&](mlir::Operation* operation) {
    if (operation == module.getOperation()) return mlir::WalkResult::advance();
    if (!isOwnDialect(*operation)) {
      raise(*operation, {kMixedDialects, "is of another dialect"});
      return mlir::WalkResult::advance();
    }
    PortableOperation portable;
    if (!portableForm(*operation, types, attributes, portable, problem)) {
      problem = fmt::format("{} {}", placeOf(*operation), problem);
      return mlir::WalkResult::interrupt();
    }
    raise(*operation, versionNeedOf(std::move(portable), attributes));
    for (mlir::Region& region : operation->getRegions())
      for (mlir::Block& block : region)
        for (mlir::Type type : block.getArgumentTypes())
          raise(*operation, typeNeed(types.toPortable(type)));
    return mlir::WalkResult::advance();
  });
  if (!problem.empty()) return unsupported("{}: {}", implementation_->name, problem);
  return minimum;
}

}  // namespace vintage::golden::program
