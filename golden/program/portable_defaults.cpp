#include "golden/program/portable_attributes.h"

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/STLExtras.h"

namespace vintage::golden {
namespace {

namespace vhlo = mlir::vhlo;
using mlir::Attribute;

// Spatial dimensions of a convolution, or dimensions of a window.
std::optional<int64_t> windowRank(PortableAttributes& translator,
                                  const mlir::NamedAttrList& portable) {
  for (const char* name : {"input_spatial_dimensions", "window_dimensions"})
    if (auto values = translator.integersOf(portable.get(name))) return values->size();
  return std::nullopt;
}

}  // namespace

bool callsTypedInterface(const mlir::NamedAttrList& portable) {
  auto version =
      mlir::dyn_cast_or_null<vhlo::CustomCallApiVersionV1Attr>(portable.get("api_version"));
  return version && version.getValue() == vhlo::CustomCallApiVersionV1::API_VERSION_TYPED_FFI;
}

Attribute portableDefault(PortableDefault kind, PortableAttributes& translator,
                          const mlir::NamedAttrList& portable) {
  using enum PortableDefault;
  mlir::MLIRContext* context = translator.context();
  switch (kind) {
    case kNone: return {};
    case kFalse: return vhlo::BooleanV1Attr::get(context, false);
    case kZero: return translator.integer(0);
    case kMinusOne: return translator.integer(-1);
    case kEmptyString: return vhlo::StringV1Attr::get(context, "");
    case kEmptyArray: return vhlo::ArrayV1Attr::get(context, {});
    case kEmptyDictionary: return vhlo::DictionaryV1Attr::get(context, {});
    case kEmptyIntegers: return translator.integers({});
    case kNoComparisonType:
      return vhlo::ComparisonTypeV1Attr::get(context, vhlo::ComparisonTypeV1::NOTYPE);
    case kOriginalApiVersion:
      return vhlo::CustomCallApiVersionV1Attr::get(
          context, vhlo::CustomCallApiVersionV1::API_VERSION_ORIGINAL);
    case kBackendConfig:
      return portableDefault(callsTypedInterface(portable) ? kEmptyDictionary : kEmptyString,
                             translator, portable);
    case kTwoPrecisions: {
      Attribute each = vhlo::PrecisionV1Attr::get(context, vhlo::PrecisionV1::DEFAULT);
      return vhlo::ArrayV1Attr::get(context, {each, each});
    }
    case kAccuracy:
      return vhlo::ResultAccuracyV1Attr::get(
          context, llvm::APFloat(0.0), llvm::APFloat(0.0), 0,
          vhlo::ResultAccuracyModeV1Attr::get(context, vhlo::ResultAccuracyModeV1::DEFAULT));
    case kNoneType: return vhlo::TypeV1Attr::get(context, vhlo::NoneV1Type::get(context));
    case kOnes:
    case kZeroPadding:
    case kNoReversal: break;
  }
  const std::optional<int64_t> rank = windowRank(translator, portable);
  if (!rank) return {};
  if (kind == kOnes) return translator.splat({*rank}, 1);
  if (kind == kZeroPadding) return translator.splat({*rank, 2}, 0);
  return translator.toPortable(mlir::DenseBoolArrayAttr::get(
      context, llvm::SmallVector<bool>(static_cast<size_t>(*rank), false)));
}

bool saysDefault(Attribute attribute, Attribute value) {
  if (attribute == value) return true;
  auto number = mlir::dyn_cast<vhlo::IntegerV1Attr>(attribute);
  auto wanted = mlir::dyn_cast<vhlo::IntegerV1Attr>(value);
  if (number && wanted)
    return PortableAttributes::integerOf(number) == PortableAttributes::integerOf(wanted);
  auto list = mlir::dyn_cast<vhlo::ArrayV1Attr>(attribute);
  auto pattern = mlir::dyn_cast<vhlo::ArrayV1Attr>(value);
  if (list && pattern && !pattern.getValue().empty())
    return llvm::all_of(list.getValue(),
                        [&](Attribute each) { return each == pattern.getValue().front(); });
  return false;
}

}  // namespace vintage::golden
