#include "primitives/catalogue/derivatives/transposed.h"

#include <cmath>

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Number;
using oracle::Quad;

// What the cotangents make of the primitive's change from `before` to `after`: the
// real part of their product, summed. What is not a number before, such as what a
// gather fills with, does not depend on the input.
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
      if (isInexact(inputs[i].type()) && (i == k || !others)) {
        inputs[i] = Tensor(inputs[i].type(), inputs[i].shape());
      }
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
      oracle::store(result, i, {0, oracle::roundTo(type, real), oracle::roundTo(type, imaginary)});
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

oracle::Real realAt(const Tensor& tensor, int64_t position) {
  return oracle::Real(oracle::load(tensor, position).real);
}

oracle::Complex complexAt(const Tensor& tensor, int64_t position) {
  const Number number = oracle::load(tensor, position);
  return {oracle::Real(number.real), oracle::Real(number.imaginary)};
}

void put(Tensor& tensor, int64_t position, const oracle::Real& value) {
  oracle::store(tensor, position, {0, value.roundTo(tensor.type()), 0});
}

void put(Tensor& tensor, int64_t position, const oracle::Complex& value) {
  const ElementType type = tensor.type();
  oracle::store(tensor, position, {0, value.re.roundTo(type), value.im.roundTo(type)});
}

CotangentSums::CotangentSums(ElementType type, const Shape& shape)
    : result_(type, shape),
      real_(static_cast<size_t>(result_.size())),
      imaginary_(static_cast<size_t>(result_.size())) {}

void CotangentSums::add(int64_t position, Quad real, Quad imaginary) {
  real_[static_cast<size_t>(position)] += real;
  imaginary_[static_cast<size_t>(position)] += imaginary;
}

Tensor CotangentSums::rounded() const {
  Tensor result = result_;
  const ElementType type = result.type();
  for (size_t i = 0; i < real_.size(); ++i) {
    oracle::store(result, static_cast<int64_t>(i),
                  {0, oracle::roundTo(type, real_[i]), oracle::roundTo(type, imaginary_[i])});
  }
  return result;
}

}  // namespace vintage::primitives
