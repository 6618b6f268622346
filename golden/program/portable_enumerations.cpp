#include "golden/program/portable_attributes.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"

namespace vintage::golden {
namespace {

namespace vhlo = mlir::vhlo;
namespace stablehlo = mlir::stablehlo;
using mlir::Attribute;

template <typename EnumAttribute>
using CaseOf = decltype(std::declval<EnumAttribute>().getValue());
template <typename EnumAttribute>
using Symbolize = std::optional<CaseOf<EnumAttribute>> (*)(uint32_t);

// Null where `attribute` is not a From, and where To has no case of its number.
template <typename From, typename To, Symbolize<To> symbolize>
Attribute sameCase(Attribute attribute) {
  const auto from = mlir::dyn_cast<From>(attribute);
  if (!from) return {};
  const auto value = symbolize(static_cast<uint32_t>(from.getValue()));
  return value ? To::get(attribute.getContext(), *value) : To();
}

struct Twins {
  Attribute (*fromPortable)(Attribute);
  Attribute (*toPortable)(Attribute);
};

template <typename Portable, Symbolize<Portable> portable, typename Working,
          Symbolize<Working> working>
constexpr Twins twins() {
  return {sameCase<Portable, Working, working>, sameCase<Working, Portable, portable>};
}

constexpr Twins kTwins[] = {
    twins<vhlo::ComparisonDirectionV1Attr, vhlo::symbolizeComparisonDirectionV1,
          stablehlo::ComparisonDirectionAttr, stablehlo::symbolizeComparisonDirection>(),
    twins<vhlo::ComparisonTypeV1Attr, vhlo::symbolizeComparisonTypeV1,
          stablehlo::ComparisonTypeAttr, stablehlo::symbolizeComparisonType>(),
    twins<vhlo::FftTypeV1Attr, vhlo::symbolizeFftTypeV1, stablehlo::FftTypeAttr,
          stablehlo::symbolizeFftType>(),
    twins<vhlo::PrecisionV1Attr, vhlo::symbolizePrecisionV1, stablehlo::PrecisionAttr,
          stablehlo::symbolizePrecision>(),
    twins<vhlo::ResultAccuracyModeV1Attr, vhlo::symbolizeResultAccuracyModeV1,
          stablehlo::ResultAccuracyModeAttr, stablehlo::symbolizeResultAccuracyMode>(),
    twins<vhlo::RngAlgorithmV1Attr, vhlo::symbolizeRngAlgorithmV1, stablehlo::RngAlgorithmAttr,
          stablehlo::symbolizeRngAlgorithm>(),
    twins<vhlo::RngDistributionV1Attr, vhlo::symbolizeRngDistributionV1,
          stablehlo::RngDistributionAttr, stablehlo::symbolizeRngDistribution>(),
    twins<vhlo::TransposeV1Attr, vhlo::symbolizeTransposeV1, stablehlo::TransposeAttr,
          stablehlo::symbolizeTranspose>(),
    {sameCase<vhlo::CustomCallApiVersionV1Attr, stablehlo::CustomCallApiVersionAttr,
              stablehlo::symbolizeCustomCallApiVersion>,
     [](Attribute) { return Attribute(); }},
};

}  // namespace

Attribute enumFromPortable(Attribute attribute) {
  for (const Twins& each : kTwins)
    if (Attribute found = each.fromPortable(attribute)) return found;
  return {};
}

Attribute enumToPortable(Attribute attribute) {
  for (const Twins& each : kTwins)
    if (Attribute found = each.toPortable(attribute)) return found;
  return {};
}

}  // namespace vintage::golden
