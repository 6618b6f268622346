#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_text.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"

namespace mlir::vhlo {
namespace {

struct PlainType {
  TypeID id;
  Type (*portable)(MLIRContext*);
  Type (*working)(MLIRContext*);
};

template <typename T>
void addPlain(SmallVector<PlainType>& types) {
  if constexpr (requires { &T::twin; })
    types.push_back({TypeID::get<T>(),
                     [](MLIRContext* context) -> Type { return T::get(context); }, &T::twin});
}

template <typename... T>
SmallVector<PlainType> plainTypesOf(ClassList<T...>) {
  SmallVector<PlainType> types;
  (addPlain<T>(types), ...);
  return types;
}

ArrayRef<PlainType> plainTypes() {
  static const SmallVector<PlainType> kTypes = plainTypesOf(TypeClasses());
  return kTypes;
}

}  // namespace

Type workingTwin(Type type) {
  if (!type) return {};
  for (const PlainType& each : plainTypes())
    if (each.id == type.getTypeID()) return each.working(type.getContext());
  return {};
}

Type portableTwin(Type type) {
  for (const PlainType& each : plainTypes())
    if (each.working(type.getContext()) == type) return each.portable(type.getContext());
  return {};
}

const llvm::fltSemantics* floatFormat(Type type) {
  auto twin = dyn_cast_or_null<FloatType>(workingTwin(type));
  return twin ? &twin.getFloatSemantics() : nullptr;
}

std::optional<unsigned> integerWidth(Type type) {
  Type twin = workingTwin(type);
  if (isa_and_nonnull<IndexType>(twin)) return 64;
  auto integer = dyn_cast_or_null<IntegerType>(twin);
  if (!integer || integer.getWidth() == 1) return std::nullopt;  // Booleans are no integers.
  return integer.getWidth();
}

void VhloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"
      >();
}

}  // namespace mlir::vhlo
