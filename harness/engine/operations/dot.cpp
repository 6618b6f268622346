// The kernels of stablehlo.dot_general, dot, einsum and unary_einsum.
#include "golden/base/failures.h"

#include <algorithm>
#include <numeric>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

DotAlgorithm::Rounding roundingFor(const std::string& precisionType) {
  if (precisionType == "bf16") return DotAlgorithm::Rounding::kBF16;
  if (precisionType == "tf32") return DotAlgorithm::Rounding::kTF32;
  if (precisionType == "f16") return DotAlgorithm::Rounding::kF16;
  return DotAlgorithm::Rounding::kNone;
}

// An algorithm of several primitive operations (bf16_bf16_f32_x3 …) splits its
// operands so as to come near the accuracy of f32; we compute in f32.
Result<DotAlgorithm> readAlgorithm(const Operation& operation) {
  DotAlgorithm algorithm;
  CheckedAttributes read =
      CheckedAttributes(operation).dictionary("algorithm", /*mayBeMissing=*/true);
  RETURN_IF_ERROR(read.status());
  if (read.empty()) return algorithm;
  const std::string left = read.text("lhs_precision_type"), right = read.text("rhs_precision_type");
  const std::string accumulation = read.text("accumulation_type");
  const int64_t operations = read.integer("num_primitive_operations", 1);
  RETURN_IF_ERROR(read.status());
  if (operations == 1) {
    algorithm.left = roundingFor(left);
    algorithm.right = roundingFor(right);
  }
  algorithm.accumulation = parseStablehloName(accumulation);
  return algorithm;
}

// Planned once where the shapes are known. Wrong shapes are an error when it runs.
Kernel makePlanned(const KernelRequest& request, DotDimensionNumbers dimensions,
                   DotAlgorithm algorithm) {
  const ElementType type = request.resultTypes[0].element;
  std::shared_ptr<const DotPlan> known;
  const ValueType &left = request.operandTypes[0], &right = request.operandTypes[1];
  if (isStatic(left) && isStatic(right))
    if (auto plan = planDot(left.element, left.shape, right.element, right.shape, dimensions, type,
                            algorithm))
      known = std::make_shared<const DotPlan>(*std::move(plan));
  return tensorKernel([=](KernelCall& call) -> Result<Tensor> {
    const Tensor& a = call.operands[0].tensor;
    const Tensor& b = call.operands[1].tensor;
    if (known && known->fits(a, b)) return runDot(*known, a, b, call.availableBytes);
    return dotGeneral(a, b, dimensions, type, algorithm, call.availableBytes);
  });
}

Result<Kernel> makeDotGeneral(const KernelRequest& request) {
  CheckedAttributes read = CheckedAttributes(request.operation).dictionary("dot_dimension_numbers");
  DotDimensionNumbers dimensions = readDotDimensions(read);
  RETURN_IF_ERROR(read.status());
  ASSIGN_OR_RETURN(auto algorithm, readAlgorithm(request.operation));
  return makePlanned(request, std::move(dimensions), algorithm);
}

// Vectors and matrices: the last dimension of the left operand meets the first
// of the right one.
Result<Kernel> makeDot(const KernelRequest& request) {
  return tensorKernel([name = request.operation.name,
                       type = request.resultTypes[0].element](KernelCall& call) -> Result<Tensor> {
    const Tensor& left = call.operands[0].tensor;
    const Tensor& right = call.operands[1].tensor;
    if (left.rank() < 1 || left.rank() > 2 || right.rank() < 1 || right.rank() > 2)
      return badInput("{} of {} and {}: vectors or matrices are needed.", name, describe(left),
                      describe(right));
    return dotGeneral(left, right, {{}, {}, {left.rank() - 1}, {0}}, type, {}, call.availableBytes);
  });
}

// "ij,jk->ik" by letters; `operands` has one entry for unary_einsum.
struct EinsumForm {
  std::vector<std::string> operands;
  std::string result;
};

Result<EinsumForm> parseForm(const std::string& text, size_t operands, const std::string& name) {
  EinsumForm form;
  std::string compact = text;
  std::erase(compact, ' ');
  const size_t arrow = compact.find("->");
  bool fits = arrow != std::string::npos;
  if (fits) {
    form.result = compact.substr(arrow + 2);
    for (size_t start = 0; start <= arrow;) {
      const size_t comma = std::min(compact.find(',', start), arrow);
      form.operands.push_back(compact.substr(start, comma - start));
      start = comma + 1;
    }
    fits = form.operands.size() == operands;
    std::string all = form.result;
    for (const std::string& operand : form.operands) all += operand;
    for (unsigned char letter : all) fits = fits && std::isalpha(letter);
    for (char letter : form.result) {
      fits = fits && std::ranges::count(form.result, letter) == 1 &&
             std::ranges::any_of(form.operands, [&](const std::string& operand) {
               return operand.find(letter) != std::string::npos;
             });
    }
  }
  if (fits) return form;
  return unsupported(
      "{}: the configuration '{}' is not understood; letters for each of {} "
      "operands and the result are needed, as in 'ij,jk->ik'.",
      name, text, operands);
}

struct Labelled {
  Tensor tensor;
  std::string labels;  // One for each dimension, each once.
};

// Takes the diagonal where a letter stands twice.
Result<Labelled> withoutRepeats(const Tensor& tensor, const std::string& labels) {
  if (labels.size() != tensor.shape().size())
    return badInput("'{}' does not name the dimensions of {}.", labels, describe(tensor));
  Labelled result;
  Shape shape;
  std::vector<int64_t> strides;
  const std::vector<int64_t> own = rowMajorStrides(tensor.shape());
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t at = result.labels.find(labels[i]);
    if (at == std::string::npos) {
      result.labels += labels[i];
      shape.push_back(tensor.shape()[i]);
      strides.push_back(own[i]);
    } else if (shape[at] == tensor.shape()[i]) {
      strides[at] += own[i];
    } else {
      return badInput("'{}' names dimensions of different sizes of {}.", labels[i],
                      describe(tensor));
    }
  }
  if (result.labels.size() == labels.size()) {
    result.tensor = tensor;
    return result;
  }
  result.tensor = Tensor::uninitialized(tensor.type(), shape);
  copyStrided(tensor, 0, strides, result.tensor);
  return result;
}

std::vector<int64_t> places(const std::string& labels, const std::string& wanted) {
  std::vector<int64_t> found;
  for (char letter : wanted) found.push_back(static_cast<int64_t>(labels.find(letter)));
  return found;
}

Result<Tensor> run(const EinsumForm& form, ElementType type, KernelCall& call) {
  ASSIGN_OR_RETURN(auto left, withoutRepeats(call.operands[0].tensor, form.operands[0]));
  // A scalar 1 in the place of the operand that unary_einsum does not have.
  Labelled right{Tensor(), ""};
  const bool binary = form.operands.size() == 2;
  if (binary) {
    ASSIGN_OR_RETURN(right, withoutRepeats(call.operands[1].tensor, form.operands[1]));
  }
  const auto contains = [](const std::string& text, char c) {
    return text.find(c) != std::string::npos;
  };
  // Letters of one operand alone that the result lacks are summed by meeting
  // ones.
  const auto summed = [&](Labelled& one, const std::string& other) -> Status {
    std::string lonely, kept;
    for (char letter : one.labels)
      (contains(other, letter) || contains(form.result, letter) ? kept : lonely) += letter;
    if (lonely.empty()) return {};
    Shape shape;
    for (int64_t place : places(one.labels, lonely)) shape.push_back(one.tensor.shape()[place]);
    Tensor ones(ElementType::kI1, shape);
    std::ranges::fill(ones.mutableBytes(), std::byte{1});
    std::vector<int64_t> all(shape.size());
    std::iota(all.begin(), all.end(), 0);
    ASSIGN_OR_RETURN(auto sum, dotGeneral(one.tensor, ones,
                                          {{}, {}, places(one.labels, lonely), all}, type, {}));
    one = {std::move(sum), kept};
    return {};
  };
  RETURN_IF_ERROR(summed(left, right.labels));
  RETURN_IF_ERROR(summed(right, left.labels));
  std::string batch, contracting;
  for (char letter : left.labels)
    if (contains(right.labels, letter))
      (contains(form.result, letter) ? batch : contracting) += letter;
  std::string labels = batch;
  for (char letter : left.labels + right.labels)
    if (!contains(batch, letter) && !contains(contracting, letter)) labels += letter;
  if (!binary) return transposeTensor(left.tensor, places(left.labels, form.result));
  ASSIGN_OR_RETURN(auto product,
                   dotGeneral(left.tensor, right.tensor,
                              {places(left.labels, batch), places(right.labels, batch),
                               places(left.labels, contracting), places(right.labels, contracting)},
                              type, {}));
  return transposeTensor(product, places(labels, form.result));
}

Result<Kernel> makeEinsum(const KernelRequest& request) {
  const std::string name = request.operation.name;
  ASSIGN_OR_RETURN(const std::string text, textOf(request.operation, "einsum_config"));
  ASSIGN_OR_RETURN(auto form, parseForm(text, request.operandTypes.size(), name));
  return tensorKernel([form, type = request.resultTypes[0].element](KernelCall& call) {
    return run(form, type, call);
  });
}

}  // namespace

DotDimensionNumbers readDotDimensions(CheckedAttributes& read) {
  const std::vector<int64_t> none;
  return {read.integers("lhs_batching_dimensions", none),
          read.integers("rhs_batching_dimensions", none),
          read.integers("lhs_contracting_dimensions", none),
          read.integers("rhs_contracting_dimensions", none)};
}

std::vector<OperationEntry> dotOperations() {
  return {{"stablehlo.dot_general", makeDotGeneral, 2, 1},
          {"stablehlo.dot", makeDot, 2, 1},
          {"stablehlo.einsum", makeEinsum, 2, 1},
          {"stablehlo.unary_einsum", makeEinsum, 1, 1}};
}

}  // namespace vintage::harness
