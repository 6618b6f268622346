// Matrix arithmetic as jax.numpy lowers it, over any number of leading batch dimensions: the
// building blocks of algorithms that JAX writes itself.
#pragma once

#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// Arrays [batches…, rows, columns]; scalars of a batch are [batches…]. Algorithms on such matrices
// derive from it.
class BatchedMatrices {
 public:
  explicit BatchedMatrices(const SsaValue& matrix)
      : main_(*matrix.builder),
        batch_(matrix.shape.size() - 2),
        type_(matrix.type),
        real_(realPart(matrix.type)),
        epsilon_(epsilonOf(real_)) {}

  // The last two dimensions' numbers.
  int64_t rowAxis() const { return static_cast<int64_t>(batch_); }
  int64_t columnAxis() const { return static_cast<int64_t>(batch_) + 1; }

  SsaValue product(const SsaValue& a, const SsaValue& b) const;
  SsaValue transposed(const SsaValue& a) const;
  SsaValue adjoint(const SsaValue& a) const { return conjugated(transposed(a)); }
  // One for each batch, spread over `shape`, in its element type.
  SsaValue spread(const SsaValue& scalars, const golden::Shape& shape,
                  golden::ElementType type) const;
  // Along the columns of `shape`: one row [batches…, columns] for all rows.
  SsaValue spreadRow(const SsaValue& row, const golden::Shape& shape) const;
  SsaValue identity(golden::ElementType type, const golden::Shape& shape) const;
  // `inside` in the upper left corner, `outside` around it.
  SsaValue masked(const SsaValue& inside, int64_t rows, int64_t columns,
                  const SsaValue& outside) const;
  SsaValue rows(const SsaValue& a, int64_t start, int64_t limit) const;
  SsaValue columns(const SsaValue& a, int64_t start, int64_t limit) const;
  // The columns in the order of `positions` [batches…, columns]; for an array without rows, its
  // elements.
  SsaValue inOrder(const SsaValue& a, const SsaValue& positions) const;
  SsaValue diagonal(const SsaValue& a) const;
  // The root of the sum of squares, one for each batch.
  SsaValue norm(const SsaValue& a) const;

 protected:
  FunctionBuilder& main_;
  size_t batch_;
  golden::ElementType type_, real_;
  double epsilon_;
};

}  // namespace vintage::primitives
