#include "harness/engine/custom_calls/lapack.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/lapack_calls.h"

extern "C" void openblas_set_num_threads(int count);

namespace vintage::harness {
using namespace golden;

namespace {

struct ElementForm {
  char prefix;
  ElementType type;
  std::string_view element, real;
};
constexpr ElementForm kForms[] = {{'s', ElementType::kF32, "f32", "f32"},
                                  {'d', ElementType::kF64, "f64", "f64"},
                                  {'c', ElementType::kC64, "complex<f32>", "f32"},
                                  {'z', ElementType::kC128, "complex<f64>", "f64"}};

// A row of the table for one element type and one of the two forms.
struct LapackVariant {
  LapackFamily family;
  int form;
  bool old;
};

const std::vector<LapackVariant>& variants() {
  static const std::vector<LapackVariant> all = [] {
    std::vector<LapackVariant> list;
    for (const auto& families : {lapackFactorizationFamilies(), lapackEigenFamilies()}) {
      for (const LapackFamily& family : families) {
        for (int form = 0; form < 4; ++form) {
          list.push_back({family, form, false});
          if (!family.scalars.empty()) list.push_back({family, form, true});
        }
      }
    }
    return list;
  }();
  return all;
}

std::string nameBefore(const std::string& entry) { return entry.substr(0, entry.find(':')); }

const std::vector<std::string>& resultList(const LapackVariant& variant) {
  const LapackFamily& family = variant.family;
  const auto& results = variant.old ? family.oldResults : family.results;
  const auto& ofComplex = variant.old ? family.oldComplexResults : family.complexResults;
  return variant.form < 2 || ofComplex.empty() ? results : ofComplex;
}

// Of "orgqr/ungqr" the second for complex elements.
std::string_view stemFor(int64_t form, std::string_view stem) {
  const size_t slash = stem.find('/');
  if (slash == std::string_view::npos) return stem;
  return form < 2 ? stem.substr(0, slash) : stem.substr(slash + 1);
}

std::string nameOf(const LapackVariant& variant) {
  const LapackFamily& family = variant.family;
  return fmt::format("{}{}{}{}", variant.old ? family.oldPrefix : "lapack_",
                     kForms[variant.form].prefix, stemFor(variant.form, family.stem),
                     variant.old ? "" : "_ffi");
}

// Writes the element type for T, its real part for R and the complex one for C.
std::vector<std::string> spelled(const std::vector<std::string>& entries, const ElementForm& form) {
  const std::string_view complexType = form.real == "f32" ? "complex<f32>" : "complex<f64>";
  std::vector<std::string> out;
  for (std::string entry : entries) {
    const size_t at = entry.find(": ");
    if (at != std::string::npos && at + 2 < entry.size()) {
      const char letter = entry[at + 2];
      const std::string_view type = letter == 'T'   ? form.element
                                    : letter == 'R' ? form.real
                                    : letter == 'C' ? complexType
                                                    : std::string_view{};
      if (!type.empty()) entry.replace(at + 2, 1, type);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Result<RawResults> runVariant(const LapackVariant& variant, LapackCall call,
                              std::span<const Tensor> operands) {
  const size_t scalars = variant.old ? variant.family.scalars.size() : 0;
  for (size_t i = 0; i < scalars; ++i) {
    const std::string name = nameBefore(variant.family.scalars[i]);
    if (name == "alpha") {
      call.operands.push_back(operands[i]);
      continue;
    }
    if (operands[i].size() != 1 || !isInteger(operands[i].type()))
      return badInput("The operand '{}' is {}; one integer is needed.", name,
                      describe(operands[i]));
    call.parameters[name] = integerElement(operands[i], 0);
  }
  call.operands.insert(call.operands.end(), operands.begin() + static_cast<ptrdiff_t>(scalars),
                       operands.end());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& operand = call.operands[i];
    const bool counts =
        !variant.old && variant.family.operands[i].find(": i32[") != std::string::npos;
    const ElementType type = counts ? ElementType::kI32 : kForms[variant.form].type;
    if (operand.type() != type)
      return badInput("An operand is {}; {} is needed.", describe(operand), stablehloName(type));
  }
  ASSIGN_OR_RETURN(auto named, variant.family.run[variant.form](call));
  RawResults results;
  for (const std::string& entry : resultList(variant)) {
    const auto found = named.find(nameBefore(entry));
    results.push_back(found == named.end() ? std::nullopt : std::optional(found->second));
  }
  return results;
}

Status checkOperandCount(const std::string& name, size_t given,
                         const std::vector<std::string>& needed) {
  const size_t most = needed.size();
  // A trailing "alpha?" is what the first trsm of the typed form still passed.
  const size_t least = most - (most > 0 && needed.back().starts_with("alpha?"));
  if (given >= least && given <= most) return {};
  return badInput("custom_call @{} has {} operands; ({}) is needed.", name, given,
                  fmt::join(needed, ", "));
}

Result<Kernel> makeLapackKernel(const CustomCallTarget& target, const KernelRequest& request) {
  lapack::prepareLinearAlgebra();
  const LapackVariant& variant = variants()[static_cast<size_t>(target.variant)];
  const size_t shapes = CheckedAttributes(request.operation)
                            .integers("indices_of_shape_operands", std::vector<int64_t>{})
                            .size();
  const size_t given = request.operandTypes.size() - std::min(shapes, request.operandTypes.size());
  RETURN_IF_ERROR(checkOperandCount(target.name, given, target.signature.operands));
  LapackCall call;
  if (!variant.old) {
    CheckedAttributes read = backendConfig(target, request.operation);
    for (const std::string& entry : variant.family.attributes) {
      const std::string name = nameBefore(entry);
      call.parameters[name] = read.integer(name);
    }
    RETURN_IF_ERROR(read.status());
  }
  return wrapRawKernel(target.name, request, [&variant, call](std::span<const Tensor> operands) {
    return runVariant(variant, call, operands);
  });
}

}  // namespace

namespace lapack {

void prepareLinearAlgebra() {
  static std::once_flag once;
  std::call_once(once, [] {
    openblas_set_num_threads(1);
    LAPACKE_set_nancheck(0);
  });
}

}  // namespace lapack

int64_t LapackCall::parameter(std::string_view name, int64_t otherwise) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second;
}

char LapackCall::uplo() const {
  if (parameter("uplo", 0) != 0) return parameter("uplo", 0) == 'U' ? 'U' : 'L';
  return parameter("lower", 1) != 0 ? 'L' : 'U';
}

Shape MatrixBatch::with(std::initializer_list<int64_t> trailing) const {
  Shape shape = leading;
  shape.insert(shape.end(), trailing.begin(), trailing.end());
  return shape;
}

Result<MatrixBatch> matrixBatch(const LapackCall& call, size_t index, bool square) {
  const Tensor& matrix = call.operands[index];
  const Shape& shape = matrix.shape();
  if (shape.size() < 2 || (square && shape[shape.size() - 1] != shape[shape.size() - 2]))
    return badInput("The operand is {}; {} is needed.", describe(matrix),
                    square ? "a batch of square matrices" : "a batch of matrices");
  MatrixBatch batch;
  batch.rows = shape[shape.size() - 2];
  batch.columns = shape[shape.size() - 1];
  batch.leading.assign(shape.begin(), shape.end() - 2);
  batch.count = elementCount(batch.leading);
  constexpr int64_t kLargest = std::numeric_limits<lapack::Int>::max();
  if (batch.rows > kLargest || batch.columns > kLargest)
    return unsupported("{} has more rows or columns than LAPACK's integers count.",
                       describe(matrix));
  const std::pair<std::string_view, int64_t> claimed[] = {{"batch", batch.count},
                                                          {square ? "-" : "m", batch.rows},
                                                          {"lda", batch.rows},
                                                          {"n", batch.columns}};
  for (const auto& [name, actual] : claimed)
    if (call.parameter(name, actual) != actual)
      return badInput("The operand '{}' says {}, but the matrices are {}.", name,
                      call.parameter(name, actual), describe(matrix));
  return batch;
}

Result<InPlaceCall> InPlaceCall::make(const LapackCall& call, bool square, size_t index,
                                      std::string name) {
  InPlaceCall run;
  ASSIGN_OR_RETURN(run.batch, matrixBatch(call, index, square));
  run.m = static_cast<int32_t>(run.batch.rows);
  run.n = static_cast<int32_t>(run.batch.columns);
  run.results_[name] = call.operands[index];
  run.name_ = std::move(name);
  return run;
}

std::vector<CustomCallTarget> lapackTargets() {
  std::vector<CustomCallTarget> targets;
  for (size_t i = 0; i < variants().size(); ++i) {
    const LapackVariant& variant = variants()[i];
    const ElementForm& form = kForms[variant.form];
    std::vector<std::string> operands =
        variant.old ? variant.family.scalars : std::vector<std::string>{};
    for (const std::string& operand : variant.family.operands)
      if (!variant.old || !operand.starts_with("alpha?")) operands.push_back(operand);
    CustomCallTarget& target = targets.emplace_back();
    target.name = nameOf(variant);
    target.platform = "cpu";
    target.apiVersions = {variant.old ? CustomCallApi::kStatusReturning : CustomCallApi::kTypedFfi};
    target.signature = {spelled(operands, form), spelled(resultList(variant), form), {}};
    if (!variant.old) target.signature.attributes = variant.family.attributes;
    target.factory = makeLapackKernel;
    target.variant = static_cast<int>(i);
  }
  return targets;
}

const LapackFamily& lapackFamily(std::string_view stem) {
  return std::ranges::find(variants(), stem,
                           [](const LapackVariant& variant) { return variant.family.stem; })
      ->family;
}

const CustomCallTarget* findTypedLapack(ElementType element, std::string_view stem) {
  const auto* form = std::ranges::find(kForms, element, &ElementForm::type);
  if (form == std::end(kForms)) return nullptr;
  return findCustomCallTarget(
      fmt::format("lapack_{}{}_ffi", form->prefix, stemFor(form - kForms, stem)));
}

std::vector<TypedLapackTarget> typedLapackTargets() {
  lapack::prepareLinearAlgebra();
  std::vector<TypedLapackTarget> targets;
  for (const LapackVariant& variant : variants()) {
    if (variant.old) continue;
    TypedLapackTarget target{nameOf(variant), {}, {}};
    for (const std::string& attribute : variant.family.attributes)
      target.attributes.push_back(nameBefore(attribute));
    target.run = [&variant, name = target.name](auto parameters, std::span<const Tensor> operands) {
      const Status counted = checkOperandCount(name, operands.size(), variant.family.operands);
      if (!counted) return Result<RawResults>(tl::unexpected(counted.error()));
      return runVariant(variant, {std::move(parameters), {}}, operands);
    };
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace vintage::harness
