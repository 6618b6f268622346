// Batch normalization.
//
// Computed in double and rounded once at the end.
#include <cmath>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Normalization {
  double epsilon;
  size_t feature;
};

// All operands in double, and which feature each element of the first belongs to.
struct Inputs {
  std::vector<Tensor> tensors;
  int64_t features = 0, inner = 1;

  std::span<const double> operator[](size_t i) const { return tensors[i].values<double>(); }
  size_t featureOf(int64_t element) const {
    return static_cast<size_t>(element / inner % features);
  }
  // Elements for each feature.
  double perFeature() const {
    return static_cast<double>(tensors[0].size()) / static_cast<double>(features);
  }
};

Result<Inputs> load(const Normalization& normalization, const KernelCall& call,
                    std::initializer_list<size_t> perFeature) {
  Inputs inputs;
  for (const Value& operand : call.operands) {
    ASSIGN_OR_RETURN(inputs.tensors.emplace_back(),
                     convertTensor(operand.tensor, ElementType::kF64, call.availableBytes));
  }
  const Shape& shape = inputs.tensors[0].shape();
  inputs.features = shape[normalization.feature];
  inputs.inner = elementCount(std::span(shape).subspan(normalization.feature + 1));
  for (const size_t i : perFeature)
    if (inputs.tensors[i].shape() != Shape{inputs.features})
      return badInput("operand {} is {}; it must have one element for each of the {} features", i,
                      describe(call.operands[i].tensor), inputs.features);
  return inputs;
}

// The results, rounded to the type of the first operand.
Status give(KernelCall& call, std::initializer_list<Tensor> wide) {
  size_t i = 0;
  for (const Tensor& tensor : wide) {
    ASSIGN_OR_RETURN(call.results[i++].tensor,
                     convertTensor(tensor, call.operands[0].tensor.type(), call.availableBytes));
  }
  return {};
}

Tensor normalized(const Inputs& inputs, std::span<const double> scale,
                  std::span<const double> offset, std::span<const double> mean,
                  std::span<const double> variance, double epsilon) {
  Tensor result = Tensor::uninitialized(ElementType::kF64, inputs.tensors[0].shape());
  auto out = result.mutableValues<double>();
  const auto in = inputs[0];
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t f = inputs.featureOf(static_cast<int64_t>(i));
    out[i] = (in[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  return result;
}

Status infer(const Normalization& normalization, KernelCall& call) {
  ASSIGN_OR_RETURN(const auto in, load(normalization, call, {1, 2, 3, 4}));
  return give(call, {normalized(in, in[1], in[2], in[3], in[4], normalization.epsilon)});
}

Status train(const Normalization& normalization, KernelCall& call) {
  ASSIGN_OR_RETURN(const auto in, load(normalization, call, {1, 2}));
  Tensor mean(ElementType::kF64, {in.features}), variance(ElementType::kF64, {in.features});
  auto means = mean.mutableValues<double>(), variances = variance.mutableValues<double>();
  const auto x = in[0];
  for (size_t i = 0; i < x.size(); ++i) means[in.featureOf(static_cast<int64_t>(i))] += x[i];
  for (double& value : means) value /= in.perFeature();
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = in.featureOf(static_cast<int64_t>(i));
    variances[f] += (x[i] - means[f]) * (x[i] - means[f]);
  }
  for (double& value : variances) value /= in.perFeature();
  return give(call, {normalized(in, in[1], in[2], means, variances, normalization.epsilon), mean,
                     variance});
}

// The derivative of training with respect to operand, scale and offset.
Status differentiate(const Normalization& normalization, KernelCall& call) {
  ASSIGN_OR_RETURN(const auto in, load(normalization, call, {1, 2, 3}));
  if (in.tensors[4].shape() != in.tensors[0].shape())
    return badInput("grad_output must have the shape of the operand");
  const auto x = in[0], scale = in[1], mean = in[2], variance = in[3], gradient = in[4];
  Tensor forScale(ElementType::kF64, {in.features}), forOffset(ElementType::kF64, {in.features});
  Tensor forOperand(ElementType::kF64, in.tensors[0].shape());
  auto scales = forScale.mutableValues<double>(), offsets = forOffset.mutableValues<double>();
  const auto centered = [&](size_t i, size_t f) {
    return (x[i] - mean[f]) / std::sqrt(variance[f] + normalization.epsilon);
  };
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = in.featureOf(static_cast<int64_t>(i));
    offsets[f] += gradient[i];
    scales[f] += gradient[i] * centered(i, f);
  }
  auto operands = forOperand.mutableValues<double>();
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = in.featureOf(static_cast<int64_t>(i));
    operands[i] = scale[f] / std::sqrt(variance[f] + normalization.epsilon) *
                  (gradient[i] - (offsets[f] + centered(i, f) * scales[f]) / in.perFeature());
  }
  return give(call, {forOperand, forScale, forOffset});
}

template <Status (*kRun)(const Normalization&, KernelCall&)>
Result<Kernel> makeNormalization(const KernelRequest& request) {
  const std::string& name = request.operation.name;
  CheckedAttributes read(request.operation);
  const double epsilon = read.number("epsilon");
  const int64_t feature = read.integer("feature_index");
  RETURN_IF_ERROR(read.status());
  const auto rank = std::ssize(request.operandTypes[0].shape);
  RETURN_IF_ERROR(checkDimensions(name, "feature_index", {feature}, rank));
  for (const ValueType& type : request.operandTypes)
    if (!isFloat(type.element)) return badInput("{} takes floats", name);
  const Normalization normalization{epsilon, static_cast<size_t>(feature)};
  return [normalization](KernelCall& call) { return kRun(normalization, call); };
}

}  // namespace

std::vector<OperationEntry> normalizationOperations() {
  return {
      {"stablehlo.batch_norm_grad", makeNormalization<differentiate>, 5, 3},
      {"stablehlo.batch_norm_inference", makeNormalization<infer>, 5, 1},
      {"stablehlo.batch_norm_training", makeNormalization<train>, 3, 3},
  };
}

}  // namespace vintage::harness
