#include "primitives/catalogue/derivatives/tree.h"

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "primitives/catalogue/derivatives/movement.h"

namespace vintage::primitives::catalogue {
namespace {

SsaValue multiplied(FunctionWriter& writer, const SsaValue& a, const SsaValue& b) {
  return writer.same("stablehlo.multiply", a, b);
}

SsaValue added(FunctionWriter& writer, const SsaValue& a, const SsaValue& b) {
  return writer.same("stablehlo.add", a, b);
}

// Along one axis: every `stride`-th element from `start` up to `limit`.
SsaValue stretchOf(FunctionWriter& writer, const SsaValue& x, size_t axis, int64_t start,
                   int64_t limit, int64_t stride = 1) {
  Shape from(x.shape.size(), 0), to = x.shape, strides(x.shape.size(), 1);
  from[axis] = start;
  to[axis] = limit;
  strides[axis] = stride;
  return sliceOf(writer, x, from, to, strides);
}

// The transpose: zeros elsewhere, `size` elements in all.
SsaValue spread(FunctionWriter& writer, const SsaValue& x, size_t axis, int64_t start, int64_t size,
                int64_t stride = 1) {
  Shape low(x.shape.size(), 0), high = low, interior = low;
  low[axis] = start;
  interior[axis] = stride - 1;
  high[axis] = size - start - ((x.shape[axis] - 1) * stride + 1);
  return padOf(writer, x, writer.number(x.type, 0), low, high, interior);
}

SsaValue joined(FunctionWriter& writer, const SsaValue& a, const SsaValue& b, size_t axis) {
  Shape shape = a.shape;
  shape[axis] += b.shape[axis];
  const SsaValue both[] = {a, b};
  const std::string result = tensorText(a.type, shape);
  return writer.emit(a.type, std::move(shape),
                     fmt::format("stablehlo.concatenate {}, dim = {} : ({}) -> {}", namesText(both),
                                 axis, typesText(both), result));
}

// One level of a scan: pairs of neighbours, the scan of these, and what lies between.
class ScanLevel {
 public:
  ScanLevel(FunctionWriter& writer, const ScanStep& step, SsaValue x, size_t axis)
      : writer_(writer), step_(step), x_(std::move(x)), axis_(axis), size_(x_.shape[axis]) {
    if (size_ < 2) return;
    left_ = stretchOf(writer_, x_, axis_, 0, size_ - 1, 2);
    right_ = stretchOf(writer_, x_, axis_, 1, size_, 2);
    pairs_ = step_.combine(writer_, left_, right_);
    inner_ = std::make_unique<ScanLevel>(writer_, step_, pairs_, axis_);
    odd_ = inner_->result();
    if (size_ < 3) return;
    before_ = size_ % 2 == 0 ? stretchOf(writer_, odd_, axis_, 0, size_ / 2 - 1) : odd_;
    own_ = stretchOf(writer_, x_, axis_, 2, size_, 2);
    if (step_.needsResult) between_ = step_.combine(writer_, before_, own_);
  }

  SsaValue result() {
    if (size_ < 2) return x_;
    SsaValue even = stretchOf(writer_, x_, axis_, 0, 1);
    if (size_ >= 3) {
      if (!step_.needsResult) between_ = step_.combine(writer_, before_, own_);
      even = joined(writer_, even, between_, axis_);
    }
    const SsaValue spreadEven = spread(writer_, even, axis_, 0, size_, 2);
    return added(writer_, spreadEven, spread(writer_, odd_, axis_, 1, size_, 2));
  }

  SsaValue cotangent(const SsaValue& g) {
    if (size_ < 2) return g;
    const SsaValue even = stretchOf(writer_, g, axis_, 0, size_, 2);
    SsaValue odd = stretchOf(writer_, g, axis_, 1, size_, 2);
    SsaValue sum = spread(writer_, stretchOf(writer_, even, axis_, 0, 1), axis_, 0, size_);
    if (size_ >= 3) {
      const SsaValue rest = stretchOf(writer_, even, axis_, 1, even.shape[axis_]);
      const auto [before, own] = step_.transpose(writer_, rest, before_, own_, between_);
      odd = added(writer_, odd,
                  size_ % 2 == 0 ? spread(writer_, before, axis_, 0, size_ / 2) : before);
      sum = added(writer_, sum, spread(writer_, own, axis_, 2, size_, 2));
    }
    const auto [left, right] =
        step_.transpose(writer_, inner_->cotangent(odd), left_, right_, pairs_);
    sum = added(writer_, sum, spread(writer_, left, axis_, 0, size_, 2));
    return added(writer_, sum, spread(writer_, right, axis_, 1, size_, 2));
  }

 private:
  FunctionWriter& writer_;
  const ScanStep& step_;
  SsaValue x_;
  size_t axis_;
  int64_t size_;
  SsaValue left_, right_, pairs_, odd_, before_, own_, between_;
  std::unique_ptr<ScanLevel> inner_;
};

}  // namespace

SsaValue productTreeCotangent(FunctionWriter& writer, const SsaValue& x, const SsaValue& root) {
  const int64_t size = x.shape[0];
  if (size == 1) return root;
  const int64_t half = (size + 1) / 2;
  const SsaValue left = stretchOf(writer, x, 0, 0, half);
  SsaValue right = stretchOf(writer, x, 0, half, size);
  const bool odd = size % 2 != 0;
  if (odd) {
    Shape zeros(x.shape.size(), 0), high = zeros;
    high[0] = 1;
    right = padOf(writer, right, writer.number(x.type, 1), zeros, high, zeros);
  }
  const SsaValue g =
      half == 1 ? root : productTreeCotangent(writer, multiplied(writer, left, right), root);
  const SsaValue toLeft = multiplied(writer, g, right);
  SsaValue toRight = multiplied(writer, left, g);
  if (odd) toRight = stretchOf(writer, toRight, 0, 0, size - half);
  const SsaValue spreadLeft = spread(writer, toLeft, 0, 0, size);
  return added(writer, spreadLeft, spread(writer, toRight, 0, half, size));
}

SsaValue scanCotangent(FunctionWriter& writer, const ScanStep& step, const SsaValue& x,
                       const SsaValue& g, size_t axis) {
  return ScanLevel(writer, step, x, axis).cotangent(g);
}

}  // namespace vintage::primitives::catalogue
