// The way out: StableHLO to a portable (VHLO) module of a chosen release.
#pragma once

#include "golden/program/module_translation.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/version_conversion.h"

namespace vintage::golden {

// Operations of other dialects (sdy.mesh, …) are copied where the target may
// hold them.
class VhloFromStablehlo : public ModuleTranslation {
 public:
  VhloFromStablehlo(mlir::MLIRContext* context, StablehloVersion target, bool keepLocations)
      : types_(context),
        attributes_(context, types_),
        target_(target),
        keepLocations_(keepLocations) {}

  // Puts the uses of values into the order that upstream's passes leave behind.
  // Bytecode from version 3 on records that order, so equal bytes depend on it:
  // there, an operation that is downgraded is built anew after all others.
  void orderUsesAsUpstream(mlir::ModuleOp portable) const;

 protected:
  mlir::Type translateType(mlir::Type type) override { return types_.toPortable(type); }
  bool translateOperation(mlir::Operation& from, mlir::OperationState& to) override;
  bool isForeign(mlir::Operation& operation) override;
  bool keepsForeignTypes() const override { return true; }
  mlir::Location translateLocation(mlir::Location location) override;

 private:
  PortableTypes types_;
  PortableAttributes attributes_;
  StablehloVersion target_;
  bool keepLocations_;
};

// An operation of StableHLO or func in its current portable form. False:
// `problem` says why it has none.
bool portableForm(mlir::Operation& operation, PortableTypes& types, PortableAttributes& attributes,
                  PortableOperation& portable, std::string& problem);

// Whether an operation belongs to StableHLO's own dialects.
bool isOwnDialect(mlir::Operation& operation);

}  // namespace vintage::golden
