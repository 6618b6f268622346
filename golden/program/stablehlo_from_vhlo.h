// The way in: a portable (VHLO) module of any release to StableHLO.
#pragma once

#include "golden/program/module_translation.h"
#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"

namespace vintage::golden::program {

// Upgrades every operation to the current version and turns it into
// StableHLO, func or the operation of another dialect that it already is.
class StablehloFromVhlo : public ModuleTranslation {
 public:
  explicit StablehloFromVhlo(mlir::MLIRContext* context)
      : types_(context), attributes_(context, types_) {}

 protected:
  mlir::Type translateType(mlir::Type type) override { return types_.fromPortable(type); }
  bool translateOperation(mlir::Operation& from, mlir::OperationState& to) override;
  bool isForeign(mlir::Operation& operation) override;

 private:
  PortableTypes types_;
  PortableAttributes attributes_;
};

}  // namespace vintage::golden::program
