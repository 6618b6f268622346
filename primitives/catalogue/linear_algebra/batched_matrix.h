// Matrix arithmetic as jax.numpy lowers it, over any number of leading batch
// dimensions: what an algorithm that JAX itself writes is made of.
#pragma once

#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// Arrays [batches…, rows, columns]; scalars of a batch are [batches…].
class BatchedMatrices {
 public:
  BatchedMatrices(FunctionBuilder& main, size_t batch) : main_(&main), batch_(batch) {}

  FunctionBuilder& main() const { return *main_; }
  size_t batch() const { return batch_; }
  // The last two dimensions' numbers.
  int64_t rowAxis() const { return static_cast<int64_t>(batch_); }
  int64_t columnAxis() const { return static_cast<int64_t>(batch_) + 1; }

  Expression product(const Expression& a, const Expression& b) const;
  Expression transposed(const Expression& a) const;
  Expression conjugated(const Expression& a) const;
  Expression adjoint(const Expression& a) const { return conjugated(transposed(a)); }
  // One for each batch, spread over `shape`, in its element type.
  Expression spread(const Expression& scalars, const golden::Shape& shape,
                    golden::ElementType type) const;
  // Along the columns of `shape`: one row [batches…, columns] for all rows.
  Expression spreadRow(const Expression& row, const golden::Shape& shape) const;
  Expression identity(golden::ElementType type, const golden::Shape& shape) const;
  // `inside` in the upper left corner, `outside` around it.
  Expression masked(const Expression& inside, int64_t rows, int64_t columns,
                    const Expression& outside) const;
  Expression rows(const Expression& a, int64_t start, int64_t limit) const;
  Expression columns(const Expression& a, int64_t start, int64_t limit) const;
  // The columns in the order of `positions` [batches…, columns]; of an array
  // without rows its elements.
  Expression inOrder(const Expression& a, const Expression& positions) const;
  Expression diagonal(const Expression& a) const;
  // The root of the sum of squares, one for each batch.
  Expression norm(const Expression& a) const;
  Expression reduced(std::string_view function, const Expression& a,
                     std::span<const int64_t> axes) const;

 private:
  FunctionBuilder* main_;
  size_t batch_;
};

}  // namespace vintage::primitives
