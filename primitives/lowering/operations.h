// Operations with dimension numbers, windows or regions; they take the same descriptions as the
// oracles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "golden/oracle/contraction.h"
#include "golden/oracle/data_movement.h"
#include "golden/oracle/reduction.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// `precision` is "HIGH" or "HIGHEST" of both operands; the result has their type,
// unless it is another one.
SsaValue dotGeneral(const SsaValue& left, const SsaValue& right,
                    const golden::oracle::DotDimensions& dimensions,
                    const std::string& precision = "",
                    std::optional<golden::ElementType> result = {});

// The role of each dimension of the arrays in a convolution: a letter, or the number of a spatial
// dimension: "b01f".
struct ConvolutionLayout {
  std::string_view input, kernel, output;
};
SsaValue convolution(TensorType result, const SsaValue& input, const SsaValue& kernel,
                     const ConvolutionLayout& layout,
                     const golden::oracle::Convolution& convolution,
                     const std::string& precision = "");

struct IndexPromise {
  bool sorted = false, unique = false;
};
SsaValue gather(const SsaValue& operand, const SsaValue& indices,
                const golden::oracle::IndexingDimensions& dimensions, const golden::Shape& slice,
                IndexPromise promise = {});
// `function` is the name of a fold, or "replace".
SsaValue scatter(std::string_view function, const SsaValue& operand, const SsaValue& indices,
                 const SsaValue& updates, const golden::oracle::IndexingDimensions& dimensions,
                 IndexPromise promise = {});

// A window as long as the dimension, padded so that it ends (or, in reverse,
// begins) at the element: a running fold.
golden::oracle::Window runningWindow(const golden::Shape& shape, size_t axis, bool reverse);
SsaValue reduceWindow(const SsaValue& operand, const SsaValue& initial,
                      const golden::oracle::Window& window, golden::Region body);
SsaValue reduceWindow(std::string_view function, const SsaValue& operand, const SsaValue& initial,
                      const golden::oracle::Window& window);
// The sources go to the winning places in their windows; `zero` elsewhere.
SsaValue selectAndScatter(const SsaValue& operand, const SsaValue& source, const SsaValue& zero,
                          bool largest, const golden::oracle::Window& window);
// For each window the tangent at the place where the operand wins.
SsaValue selectAndGather(const SsaValue& tangents, const SsaValue& operand, bool largest,
                         const golden::oracle::Window& window);

// The position, counted in `index`, of the largest or the smallest element along a
// dimension.
SsaValue argumentReduce(const SsaValue& operand, bool largest, int64_t dimension,
                        golden::ElementType index);

// In ascending order of the first `keys` operands.
SsaValues sort(const Operands& operands, size_t dimension, size_t keys, bool stable = true);

// How JAX compares and folds: complex numbers by their real, then their imaginary
// parts; the operation and the identity of a fold, and its reductions.

// `function` is one of add, mul, max, min, and, or, xor.
SsaValue identityOf(std::string_view function, const SsaValue& operand);
SsaValue combined(std::string_view function, const SsaValue& left, const SsaValue& right);
// A region of two scalars that does so; "replace" returns the second one.
golden::Region combiner(std::string_view function, const SsaValue& operand);
// stablehlo.reduce along `dimensions`.
SsaValue reduceAlong(std::string_view function, const SsaValue& operand,
                     std::span<const int64_t> dimensions);

// Over all dimensions: a scalar.
SsaValue reduceAll(std::string_view function, const SsaValue& operand);

// `direction` is LT, LE, GT or GE; the operands are complex.
SsaValue compareLexicographically(std::string_view direction, const SsaValue& left,
                                  const SsaValue& right);
// The larger or the smaller one, element by element, of any type.
SsaValue extremeOf(bool larger, const SsaValue& left, const SsaValue& right);
// Whether the keys on the left come before those on the right in a sort: of
// floats with -0 equal to 0 and every NaN last, of several keys in turn.
SsaValue comesBefore(Arguments left, Arguments right);

}  // namespace vintage::primitives
