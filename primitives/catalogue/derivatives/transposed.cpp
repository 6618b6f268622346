#include "primitives/catalogue/derivatives/rule.h"

#include <cmath>

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Number;
using oracle::Quad;

// The pairing of the cotangents with the primitive's change from `before` to `after`: the real part
// of their product, summed. Elements that are NaN before, such as a gather's fill value, do not
// depend on the input.
Quad pairing(Tensors cotangents, Tensors before, Tensors after) {
  Quad sum = 0;
  for (size_t k = 0; k < cotangents.size(); ++k) {
    if (!isInexact(after[k].type())) continue;
    for (int64_t i = 0; i < after[k].size(); ++i) {
      const Number from = oracle::load(before[k], i), to = oracle::load(after[k], i);
      if (std::isnan(from.real) || std::isnan(from.imaginary)) continue;
      const Number cotangent = oracle::load(cotangents[k], i);
      sum += Quad(cotangent.real) * (Quad(to.real) - from.real) -
             Quad(cotangent.imaginary) * (Quad(to.imaginary) - from.imaginary);
    }
  }
  return sum;
}

std::vector<Tensor> transposed(const PullbackValues& values, bool others) {
  std::vector<Tensor> results;
  for (size_t k = 0; k < values.inputs.size(); ++k) {
    if (!isInexact(values.inputs[k].type())) continue;
    std::vector<Tensor> inputs(values.inputs.begin(), values.inputs.end());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (isInexact(inputs[i].type()) && (i == k || !others))
        inputs[i] = Tensor(inputs[i].type(), inputs[i].shape());
    }
    const std::vector<Tensor> before = values.primal(inputs).value();
    const auto slope = [&](int64_t position, const Number& direction) {
      oracle::store(inputs[k], position, direction);
      const Quad sum = pairing(values.cotangents, before, values.primal(inputs).value());
      oracle::store(inputs[k], position, {});
      return sum;
    };
    const ElementType type = inputs[k].type();
    Tensor result(type, inputs[k].shape());
    for (int64_t i = 0; i < result.size(); ++i) {
      const Quad real = slope(i, {0, 1, 0});
      // A difference, so that zero keeps its sign.
      const Quad imaginary = isComplex(type) ? 0 - slope(i, {0, 0, 1}) : Quad(0);
      oracle::storeRounded(result, i, oracle::QuadComplex{real, imaginary});
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

std::vector<Tensor> transposedLinear(const PullbackValues& values) {
  return transposed(values, false);
}

std::vector<Tensor> transposedMultilinear(const PullbackValues& values) {
  return transposed(values, true);
}

DerivativeRule linearRule(const char* primitive, std::string label, std::vector<Shape> shapes,
                          WritePullback write, double units) {
  return {.primitive = primitive,
          .label = std::move(label),
          .shapes = std::move(shapes),
          .types = types::kInexact,
          .write = std::move(write),
          .oracle = transposedLinear,
          .units = units};
}

oracle::Real realAt(const Tensor& tensor, int64_t position) {
  return oracle::Real(oracle::load(tensor, position).real);
}

oracle::Complex complexAt(const Tensor& tensor, int64_t position) {
  const Number number = oracle::load(tensor, position);
  return {oracle::Real(number.real), oracle::Real(number.imaginary)};
}

}  // namespace vintage::primitives
