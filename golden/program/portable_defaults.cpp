#include "golden/program/portable_attributes.h"

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/STLExtras.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using mlir::Attribute;

// Spatial dimensions of a convolution, or dimensions of a window.
std::optional<int64_t> windowRank(PortableAttributes& translator, const NamedAttrList& portable) {
  for (const char* name : {"input_spatial_dimensions", "window_dimensions"})
    if (auto values = translator.integersOf(portable.get(name))) return values->size();
  return std::nullopt;
}

}  // namespace

bool callsTypedInterface(const NamedAttrList& portable) {
  auto version = dyn_cast_or_null<vhlo::CustomCallApiVersionV1Attr>(portable.get("api_version"));
  return version && version.getValue() == vhlo::CustomCallApiVersionV1::API_VERSION_TYPED_FFI;
}

Attribute portableDefault(std::string_view value, PortableAttributes& translator,
                          const NamedAttrList& portable) {
  if (value == "backend_config") value = callsTypedInterface(portable) ? "{}" : "\"\"";
  const bool ofWindow = value == "ones" || value == "zero padding" || value == "no reversal";
  if (!ofWindow) return translator.ofText(value);
  const std::optional<int64_t> rank = windowRank(translator, portable);
  if (!rank) return {};
  if (value == "ones") return translator.splat({*rank}, 1);
  if (value == "zero padding") return translator.splat({*rank, 2}, 0);
  return translator.toPortable(DenseBoolArrayAttr::get(
      translator.context(), SmallVector<bool>(static_cast<size_t>(*rank), false)));
}

bool saysDefault(Attribute attribute, Attribute value) {
  if (attribute == value) return true;
  auto number = dyn_cast<vhlo::IntegerV1Attr>(attribute);
  auto wanted = dyn_cast<vhlo::IntegerV1Attr>(value);
  if (number && wanted)
    return PortableAttributes::integerOf(number) == PortableAttributes::integerOf(wanted);
  auto list = dyn_cast<vhlo::ArrayV1Attr>(attribute);
  auto pattern = dyn_cast<vhlo::ArrayV1Attr>(value);
  if (list && pattern && !pattern.getValue().empty())
    return llvm::all_of(list.getValue(),
                        [&](Attribute each) { return each == pattern.getValue().front(); });
  return false;
}

}  // namespace vintage::golden
