#include "golden/oracle/convolution.h"

namespace vintage::golden::oracle {

Shape convolutionShape(std::span<const int64_t> input, std::span<const int64_t> kernel,
                       const Convolution& c) {
  Shape shape{input[0] / c.batchGroups};
  for (size_t i = 0; i < c.strides.size(); ++i) {
    const int64_t dilated = (input[i + 1] - 1) * c.inputDilation[i] + 1;
    const int64_t reach = (kernel[i] - 1) * c.kernelDilation[i] + 1;
    shape.push_back((dilated + c.paddingLow[i] + c.paddingHigh[i] - reach) / c.strides[i] + 1);
  }
  shape.push_back(kernel.back());
  return shape;
}

Tensor convolved(const Tensor& input, const Tensor& kernel, const Convolution& c,
                 ElementType type) {
  const size_t spatial = c.strides.size();
  const Shape& kernelShape = kernel.shape();
  const Shape shape = convolutionShape(input.shape(), kernelShape, c);
  Tensor result(type, shape);
  const int64_t outputFeatures = shape.back(), kernelFeatures = kernelShape[spatial];
  const int64_t perFeatureGroup = outputFeatures / c.featureGroups;
  const int64_t perBatchGroup = outputFeatures / c.batchGroups;
  const Shape window(kernelShape.begin(), kernelShape.begin() + static_cast<int64_t>(spatial));
  int64_t position = 0;
  forEachIndex(shape, [&](const Shape& at) {
    const int64_t feature = at.back();
    Shape from(spatial + 2), with(spatial + 2);
    // With batch groups, each group of output features sees a slice of the batch.
    from[0] = at[0] + feature / perBatchGroup * shape[0] * (c.batchGroups > 1 ? 1 : 0);
    with[spatial + 1] = feature;
    Quad real = 0, imaginary = 0;
    Wide integer = 0;
    forEachIndex(window, [&](const Shape& offset) {
      for (size_t i = 0; i < spatial; ++i) {
        const int64_t place =
            at[i + 1] * c.strides[i] + offset[i] * c.kernelDilation[i] - c.paddingLow[i];
        if (place < 0 || place % c.inputDilation[i] != 0) return;
        from[i + 1] = place / c.inputDilation[i];
        if (from[i + 1] >= input.shape()[i + 1]) return;
        with[i] = offset[i];
      }
      for (int64_t k = 0; k < kernelFeatures; ++k) {
        from[spatial + 1] = feature / perFeatureGroup * kernelFeatures + k;
        with[spatial] = k;
        const Number a = load(input, positionOf(input.shape(), from));
        const Number b = load(kernel, positionOf(kernelShape, with));
        integer += a.integer * b.integer;
        real += Quad(a.real) * b.real - Quad(a.imaginary) * b.imaginary;
        imaginary += Quad(a.real) * b.imaginary + Quad(a.imaginary) * b.real;
      }
    });
    store(result, position++, {integer, roundTo(type, real), roundTo(type, imaginary)});
  });
  return result;
}

}  // namespace vintage::golden::oracle
