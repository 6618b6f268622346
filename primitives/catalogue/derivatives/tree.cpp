#include "primitives/catalogue/derivatives/tree.h"

#include <memory>

#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// The transpose: zeros elsewhere, `size` elements in all.
SsaValue spread(const SsaValue& x, size_t axis, int64_t start, int64_t size, int64_t stride = 1) {
  Shape low(x.shape.size(), 0), high = low, interior = low;
  low[axis] = start;
  interior[axis] = stride - 1;
  high[axis] = size - start - ((x.shape[axis] - 1) * stride + 1);
  return pad(x, x.builder->number(x.type, 0), low, high, interior);
}

// One level of a scan: pairs of neighbours, the scan of the pairs, and the elements in between.
class ScanLevel {
 public:
  ScanLevel(const ScanStep& step, SsaValue x, size_t axis)
      : step_(step), x_(std::move(x)), axis_(axis), size_(x_.shape[axis]) {
    if (size_ < 2) return;
    left_ = sliceAlong(x_, axis_, 0, size_ - 1, 2);
    right_ = sliceAlong(x_, axis_, 1, size_, 2);
    pairs_ = step_.combine(left_, right_);
    inner_ = std::make_unique<ScanLevel>(step_, pairs_, axis_);
    odd_ = inner_->result();
    if (size_ < 3) return;
    before_ = size_ % 2 == 0 ? sliceAlong(odd_, axis_, 0, size_ / 2 - 1) : odd_;
    own_ = sliceAlong(x_, axis_, 2, size_, 2);
    if (step_.needsResult) between_ = step_.combine(before_, own_);
  }

  SsaValue result() {
    if (size_ < 2) return x_;
    SsaValue even = sliceAlong(x_, axis_, 0, 1);
    if (size_ >= 3) {
      if (!step_.needsResult) between_ = step_.combine(before_, own_);
      even = concatenate({even, between_}, axis_);
    }
    const SsaValue spreadEven = spread(even, axis_, 0, size_, 2);
    return spreadEven + spread(odd_, axis_, 1, size_, 2);
  }

  SsaValue cotangent(const SsaValue& g) {
    if (size_ < 2) return g;
    const SsaValue even = sliceAlong(g, axis_, 0, size_, 2);
    SsaValue odd = sliceAlong(g, axis_, 1, size_, 2);
    SsaValue sum = spread(sliceAlong(even, axis_, 0, 1), axis_, 0, size_);
    if (size_ >= 3) {
      const SsaValue rest = sliceAlong(even, axis_, 1, even.shape[axis_]);
      const auto [before, own] = step_.transpose(rest, before_, own_, between_);
      odd = odd + (size_ % 2 == 0 ? spread(before, axis_, 0, size_ / 2) : before);
      sum = sum + spread(own, axis_, 2, size_, 2);
    }
    const auto [left, right] = step_.transpose(inner_->cotangent(odd), left_, right_, pairs_);
    sum = sum + spread(left, axis_, 0, size_, 2);
    return sum + spread(right, axis_, 1, size_, 2);
  }

 private:
  const ScanStep& step_;
  SsaValue x_;
  size_t axis_;
  int64_t size_;
  SsaValue left_, right_, pairs_, odd_, before_, own_, between_;
  std::unique_ptr<ScanLevel> inner_;
};

}  // namespace

SsaValue productTreeCotangent(const SsaValue& x, const SsaValue& root) {
  const int64_t size = x.shape[0];
  if (size == 1) return root;
  const int64_t half = (size + 1) / 2;
  const SsaValue left = sliceAlong(x, 0, 0, half);
  SsaValue right = sliceAlong(x, 0, half, size);
  const bool odd = size % 2 != 0;
  if (odd) {
    Shape zeros(x.shape.size(), 0), high = zeros;
    high[0] = 1;
    right = pad(right, x.builder->number(x.type, 1), zeros, high, zeros);
  }
  const SsaValue g = half == 1 ? root : productTreeCotangent(left * right, root);
  const SsaValue toLeft = g * right;
  SsaValue toRight = left * g;
  if (odd) toRight = sliceAlong(toRight, 0, 0, size - half);
  const SsaValue spreadLeft = spread(toLeft, 0, 0, size);
  return spreadLeft + spread(toRight, 0, half, size);
}

SsaValue scanCotangent(const ScanStep& step, const SsaValue& x, const SsaValue& g, size_t axis) {
  return ScanLevel(step, x, axis).cotangent(g);
}

}  // namespace vintage::primitives
