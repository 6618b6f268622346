// Targets of JAX's CPU runtime for matrices that are mostly zero: the product of a matrix in
// compressed rows with a dense one, and tridiagonal systems, which have an answer even if they are
// singular.
//
// Facts: jaxlib's sparse_kernels.cc and tridiagonal_solve_perturbed.h; the method is that of
// LAPACK's xLAGTF and xLAGTS.
#include <algorithm>
#include <cmath>
#include <limits>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/custom_calls/lapack_calls.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

// out[row] = sum of values[i] * dense[columns[i]] for i from starts[row] to starts[row + 1].
template <typename T>
Status multiplyRows(const Tensor& values, const std::vector<int64_t>& starts,
                    const std::vector<int64_t>& columns, const Tensor& dense, Tensor& out) {
  const int64_t rows = dense.shape()[0];
  const auto width = static_cast<size_t>(rows == 0 ? 0 : dense.size() / rows);
  const auto from = dense.values<T>(), factors = values.values<T>();
  const auto to = out.mutableValues<T>();
  for (size_t row = 0; row + 1 < starts.size(); ++row) {
    if (starts[row] < 0 || starts[row] > starts[row + 1] || starts[row + 1] > values.size())
      return badInput("row {} has the elements {} to {} of {}", row, starts[row], starts[row + 1],
                      values.size());
    for (auto i = static_cast<size_t>(starts[row]); i < static_cast<size_t>(starts[row + 1]); ++i) {
      if (columns[i] < 0 || columns[i] >= rows)
        return badInput("element {} lies in column {} of {}", i, columns[i], rows);
      const auto line = from.subspan(static_cast<size_t>(columns[i]) * width, width);
      for (size_t k = 0; k < width; ++k) to[row * width + k] += factors[i] * line[k];
    }
  }
  return {};
}

Result<Kernel> makeCsrProduct(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() != 4 || request.resultTypes.size() != 1 ||
      !isStatic(request.resultTypes[0]))
    return badInput("custom_call @{} takes ({}) and gives one array.", target.name,
                    fmt::join(target.signature.operands, ", "));
  const ValueType& type = request.resultTypes[0];
  return wrapRawKernel(
      target.name, request, [type](std::span<const Tensor> operands) -> Result<RawResults> {
        const Tensor &values = operands[0], &dense = operands[3];
        Shape needed = dense.shape();
        if (!needed.empty()) needed[0] = operands[1].size() - 1;
        if (values.type() != type.element || dense.type() != type.element || needed.empty() ||
            operands[1].size() == 0 || needed != type.shape ||
            operands[2].size() != values.size() || !isInteger(operands[1].type()) ||
            !isInteger(operands[2].type()))
          return badInput("{}, {}, {} and {} do not fit {}", describe(values),
                          describe(operands[1]), describe(operands[2]), describe(dense),
                          describe(type.element, type.shape));
        ASSIGN_OR_RETURN(auto out, Tensor::make(type.element, type.shape));
        RETURN_IF_ERROR(visitElementType(type.element, [&]<typename T>() -> Status {
          if constexpr (kIsComplexStorage<T> || std::is_floating_point_v<T> ||
                        (std::is_integral_v<T> && sizeof(T) >= 4))
            return multiplyRows<T>(values, integerElements(operands[1]),
                                   integerElements(operands[2]), dense, out);
          return unsupported("the product of a matrix in compressed rows of {}",
                             describe(type.element, {}));
        }));
        return RawResults{std::move(out)};
      });
}

// A pivot by which the elements of `row` can be divided without an overflow: one that is too
// small is moved away from zero by `step` and its doubles, or scaled with the row.
template <typename T>
T safePivot(T pivot, lapack::Real<T> step, std::vector<T>& row) {
  using R = lapack::Real<T>;
  constexpr R kLeast = std::numeric_limits<R>::min(), kMost = R(1) / kLeast;
  R largest = 0;
  for (const T& value : row) largest = std::max(largest, std::abs(value));
  step = std::copysign(std::max(std::abs(step), kLeast), std::real(pivot));
  for (R size = std::abs(pivot); size < R(1); size = std::abs(pivot)) {
    if (size >= kLeast && largest <= size * kMost) break;
    if (size != R(0) && size < kLeast && largest * kLeast <= size) {
      for (T& value : row) value *= kMost;
      return pivot * kMost;
    }
    pivot += step;
    step *= R(2);
  }
  return pivot;
}

// A matrix with three diagonals. Its equations are solved for all columns of `x`, column-major, at
// once. Rows are exchanged where that keeps the factors small.
template <typename T>
class Tridiagonal {
 public:
  using R = lapack::Real<T>;
  Tridiagonal(const T* below, const T* diagonal, const T* above, size_t n, T* x, size_t columns)
      : below_(below), diagonal_(diagonal), above_(above), n_(n), x_(x), columns_(columns) {}

  void solve() {
    if (n_ == 0) return;
    eliminate();
    R largest = 0;
    for (const auto& row : upper_)
      for (const T& value : row) largest = std::max(largest, std::abs(value));
    const R step = std::numeric_limits<R>::epsilon() * largest;
    std::vector<T> row(columns_);
    for (size_t k = n_; k-- > 0;) {
      for (size_t c = 0; c < columns_; ++c) {
        row[c] = at(k, c);
        for (size_t d = 1; d < 3 && k + d < n_; ++d) row[c] -= upper_[k][d] * at(k + d, c);
      }
      const T pivot = safePivot(upper_[k][0], step, row);
      for (size_t c = 0; c < columns_; ++c) at(k, c) = row[c] * (T(1) / pivot);
    }
  }

 private:
  T& at(size_t row, size_t column) { return x_[column * n_ + row]; }
  T above(size_t row) const { return row + 1 < n_ ? above_[row] : T(0); }

  // Leaves the diagonal and two more above it.
  void eliminate() {
    upper_.assign(n_, {});
    upper_[0] = {diagonal_[0], above(0), T(0)};
    R scale = std::abs(upper_[0][0]) + std::abs(upper_[0][1]);
    for (size_t k = 0; k + 1 < n_; ++k) {
      auto& row = upper_[k];
      auto& next = upper_[k + 1];
      const T left = below_[k + 1];
      next = {diagonal_[k + 1], above(k + 1), T(0)};
      const R nextScale = std::abs(left) + std::abs(next[0]) + std::abs(next[1]);
      if (left == T(0)) {
        scale = nextScale;
      } else if (row[0] != T(0) && std::abs(left) / nextScale <= std::abs(row[0]) / scale) {
        const T factor = left / row[0];
        next[0] -= factor * row[1];
        for (size_t c = 0; c < columns_; ++c) at(k + 1, c) -= factor * at(k, c);
        scale = nextScale;
      } else {
        const T factor = row[0] / left;
        const auto lower = next;
        next = {row[1] - factor * lower[0], -factor * lower[1], T(0)};
        row = {left, lower[0], lower[1]};
        for (size_t c = 0; c < columns_; ++c) {
          const T exchanged = at(k, c) - factor * at(k + 1, c);
          at(k, c) = at(k + 1, c);
          at(k + 1, c) = exchanged;
        }
        scale = std::abs(next[0]) + std::abs(next[1]);
      }
    }
  }

  const T *below_, *diagonal_, *above_;
  const size_t n_;
  T* x_;
  const size_t columns_;
  std::vector<std::array<T, 3>> upper_;
};

Result<Kernel> makePerturbed(const CustomCallTarget& target, const KernelRequest& request) {
  if (request.operandTypes.size() != 4 || request.resultTypes.size() != 1)
    return badInput("custom_call @{} takes ({}) and gives one array.", target.name,
                    fmt::join(target.signature.operands, ", "));
  return wrapRawKernel(
      target.name, request, [](std::span<const Tensor> operands) -> Result<RawResults> {
        Tensor x = operands[3];
        if (x.rank() < 2) return badInput("the right sides are {}", describe(x));
        const Shape diagonal(x.shape().begin(), x.shape().end() - 1);
        for (const Tensor& each : operands.first(3))
          if (!each.has(x.type(), diagonal))
            return badInput("a diagonal is {}; the right sides {} need {}", describe(each),
                            describe(x), describe(x.type(), diagonal));
        const auto n = static_cast<size_t>(diagonal.back());
        const auto columns = static_cast<size_t>(x.shape().back());
        if (x.size() == 0) return RawResults{std::move(x)};
        RETURN_IF_ERROR(visitElementType(x.type(), [&]<typename T>() -> Status {
          if constexpr (kIsComplexStorage<T> || std::is_floating_point_v<T>) {
            T* sides = x.mutableValues<T>().data();
            const auto from = [&](size_t i, size_t batch) {
              return operands[i].values<T>().data() + batch * n;
            };
            for (size_t batch = 0; batch < static_cast<size_t>(x.size()) / (n * columns); ++batch)
              Tridiagonal<T>(from(0, batch), from(1, batch), from(2, batch), n,
                             sides + batch * n * columns, columns)
                  .solve();
            return {};
          }
          return unsupported("tridiagonal systems of {}", describe(x.type(), {}));
        }));
        return RawResults{std::move(x)};
      });
}

}  // namespace

std::vector<CustomCallTarget> sparseTargets() {
  return {{.name = "cpu_csr_sparse_dense_ffi",
           .platform = "cpu",
           .apiVersions = {CustomCallApi::kTypedFfi},
           .signature = {{"values: T[k]", "starts: i[rows+1]", "columns: i[k]", "dense: T[n,*]"},
                         {"product: T[rows,*]"},
                         {}},
           .factory = makeCsrProduct},
          {.name = "tridiagonal_solve_perturbed_ffi",
           .platform = "cpu",
           .apiVersions = {CustomCallApi::kTypedFfi},
           .signature = {{"dl: T[*,n]", "d: T[*,n]", "du: T[*,n]", "b: T[*,n,columns]"},
                         {"x: T[*,n,columns]"},
                         {}},
           .factory = makePerturbed}};
}

}  // namespace vintage::harness
