// The way out: StableHLO to a portable (VHLO) module of a chosen release.
#pragma once

#include "golden/program/module_translation.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/version_conversion.h"

namespace vintage {

// Operations of other dialects (sdy.mesh, …) are copied; from 1.11.0 on
// artifacts may hold them.
class VhloFromStablehlo : public ModuleTranslation {
 public:
  VhloFromStablehlo(mlir::MLIRContext* context, StablehloVersion target, bool keepLocations)
      : types_(context),
        attributes_(context, types_),
        target_(target),
        keepLocations_(keepLocations) {}

  // Set when the module could be written, but not at the target: the lowest
  // version among what was met, for the message.
  bool targetIsTooLow() const { return targetIsTooLow_; }

 protected:
  mlir::Type translateType(mlir::Type type) override { return types_.toPortable(type); }
  bool translateOperation(mlir::Operation& from, mlir::OperationState& to) override;
  bool isForeign(mlir::Operation& operation) override;
  mlir::Location translateLocation(mlir::Location location) override;

 private:
  PortableTypes types_;
  PortableAttributes attributes_;
  StablehloVersion target_;
  bool keepLocations_;
  bool targetIsTooLow_ = false;
};

// An operation of StableHLO or func in its current portable form. False:
// `problem` says why it has none.
bool portableForm(mlir::Operation& operation, PortableTypes& types, PortableAttributes& attributes,
                  PortableOperation& portable, std::string& problem);

// Programs with operations of other dialects need this version.
inline constexpr StablehloVersion kMixedDialects{1, 11, 0};

// Whether an operation belongs to StableHLO's own dialects.
bool isOwnDialect(mlir::Operation& operation);

}  // namespace vintage
