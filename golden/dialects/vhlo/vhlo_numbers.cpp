#include "golden/dialects/vhlo/vhlo_numbers.h"

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::vhlo {

const llvm::fltSemantics* floatFormat(Type type) {
  using llvm::APFloat;
  if (!type) return nullptr;
  static const llvm::DenseMap<TypeID, const llvm::fltSemantics*> formats = {
      {TypeID::get<FloatBF16V1Type>(), &APFloat::BFloat()},
      {TypeID::get<FloatF16V1Type>(), &APFloat::IEEEhalf()},
      {TypeID::get<FloatF32V1Type>(), &APFloat::IEEEsingle()},
      {TypeID::get<FloatF64V1Type>(), &APFloat::IEEEdouble()},
      {TypeID::get<FloatTF32V1Type>(), &APFloat::FloatTF32()},
      {TypeID::get<FloatF4E2M1FNV1Type>(), &APFloat::Float4E2M1FN()},
      {TypeID::get<FloatF6E2M3FNV1Type>(), &APFloat::Float6E2M3FN()},
      {TypeID::get<FloatF6E3M2FNV1Type>(), &APFloat::Float6E3M2FN()},
      {TypeID::get<FloatF8E3M4V1Type>(), &APFloat::Float8E3M4()},
      {TypeID::get<FloatF8E4M3V1Type>(), &APFloat::Float8E4M3()},
      {TypeID::get<FloatF8E4M3FNV1Type>(), &APFloat::Float8E4M3FN()},
      {TypeID::get<FloatF8E4M3FNUZV1Type>(), &APFloat::Float8E4M3FNUZ()},
      {TypeID::get<FloatF8E4M3B11FNUZV1Type>(), &APFloat::Float8E4M3B11FNUZ()},
      {TypeID::get<FloatF8E5M2V1Type>(), &APFloat::Float8E5M2()},
      {TypeID::get<FloatF8E5M2FNUZV1Type>(), &APFloat::Float8E5M2FNUZ()},
      {TypeID::get<FloatF8E8M0FNUV1Type>(), &APFloat::Float8E8M0FNU()},
  };
  auto found = formats.find(type.getTypeID());
  return found == formats.end() ? nullptr : found->second;
}

std::optional<unsigned> integerWidth(Type type) {
  if (!type) return std::nullopt;
  static const llvm::DenseMap<TypeID, unsigned> widths = {
      {TypeID::get<IndexV1Type>(), 64},      {TypeID::get<IntegerSI2V1Type>(), 2},
      {TypeID::get<IntegerUI2V1Type>(), 2},  {TypeID::get<IntegerSI4V1Type>(), 4},
      {TypeID::get<IntegerUI4V1Type>(), 4},  {TypeID::get<IntegerSI8V1Type>(), 8},
      {TypeID::get<IntegerUI8V1Type>(), 8},  {TypeID::get<IntegerSI16V1Type>(), 16},
      {TypeID::get<IntegerUI16V1Type>(), 16}, {TypeID::get<IntegerSI32V1Type>(), 32},
      {TypeID::get<IntegerUI32V1Type>(), 32}, {TypeID::get<IntegerSI64V1Type>(), 64},
      {TypeID::get<IntegerUI64V1Type>(), 64},
  };
  auto found = widths.find(type.getTypeID());
  if (found == widths.end()) return std::nullopt;
  return found->second;
}

}  // namespace mlir::vhlo
