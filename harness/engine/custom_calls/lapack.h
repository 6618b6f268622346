// The LAPACK targets of JAX's CPU runtime, as one table of families.
//
// Two forms exist. `lapack_spotrf_ffi` (typed FFI, since mid-2024) takes its
// flags as attributes in backend_config, characters as ui8. `lapack_spotrf`
// (status-returning, before that) takes sizes and flags as leading scalar
// operands and returns its workspaces as further results. Both are described
// by one row, and run by the same code.
//
// Facts: the conventions are those of jaxlib's lapack_kernels.cc and
// jax/_src/lax/linalg.py, checked against JAX's own compatibility artifacts.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/tensor/visit.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {

// One call, in one form for all kinds of targets.
struct LapackCall {
  // Flags and sizes by name: "uplo" and "mode" as characters, "n" as a number.
  std::map<std::string, int64_t, std::less<>> parameters;
  // Column-major matrices behind batch dimensions.
  std::vector<golden::Tensor> operands;

  int64_t parameter(std::string_view name, int64_t otherwise) const;
  // 'U' or 'L', from "uplo" or from the older flag "lower".
  char uplo() const;
};

// By result name; a name that is missing is a workspace or was not asked for.
using LapackResults = std::map<std::string, golden::Tensor, std::less<>>;
using LapackRun = Result<LapackResults> (*)(const LapackCall& call);

struct LapackFamily {
  std::string_view stem;                // "potrf", or "orgqr/ungqr": of complex elements
  std::vector<std::string> operands;    // "a: T[*,m,n]"
  std::vector<std::string> attributes;  // "uplo: ui8"; of the typed FFI form.
  std::vector<std::string> results;
  LapackRun run[4];  // s, d, c, z
  // In the older form only; absent without scalars.
  std::vector<std::string> scalars = {}, oldResults = {};
  // Of complex elements, where they differ.
  std::vector<std::string> complexResults = {}, oldComplexResults = {};
  std::string_view oldPrefix = "lapack_";
};

// A target of the typed form, called without a program around it, as a PJRT plugin calls it
// (harness/runtimes/pjrt/kernels). Several threads may call it at once.
struct TypedLapackTarget {
  std::string name;                     // "lapack_spotrf_ffi"
  std::vector<std::string> attributes;  // Their names; `run` needs all of them.
  // Dense operands in the target's layouts give results in theirs; nullopt: all zero.
  std::function<Result<RawResults>(std::map<std::string, int64_t, std::less<>> parameters,
                                   std::span<const golden::Tensor> operands)>
      run;
};
std::vector<TypedLapackTarget> typedLapackTargets();
// The family of a stem, "orgqr/ungqr".
const LapackFamily& lapackFamily(std::string_view stem);
// The typed form for these elements, "lapack_spotrf_ffi"; null where LAPACK has no such elements.
const CustomCallTarget* findTypedLapack(golden::ElementType element, std::string_view stem);

// For the tables of families: a list and more behind it.
inline std::vector<std::string> withMore(std::vector<std::string> list,
                                         std::initializer_list<std::string> last) {
  list.insert(list.end(), last);
  return list;
}
std::vector<LapackFamily> lapackFactorizationFamilies();
std::vector<LapackFamily> lapackEigenFamilies();

// A batch of matrices, as the last two dimensions say.
struct MatrixBatch {
  int64_t count = 1;
  int64_t rows = 0, columns = 0;
  golden::Shape leading;  // The batch dimensions.
  golden::Shape with(std::initializer_list<int64_t> trailing) const;
};

// Checks the element type's width of operand `index`, its rank, that its
// dimensions fit LAPACK's integers, and that the older form's scalars (batch,
// m, n, lda) agree with it.
Result<MatrixBatch> matrixBatch(const LapackCall& call, size_t index, bool square);

// A call that overwrites a batch of matrices, one after the other. Its results are these, an
// "info" for each, and what result() adds.
class InPlaceCall {
 public:
  // `name` is that of operand `index` as a result.
  static Result<InPlaceCall> make(const LapackCall& call, bool square, size_t index = 0,
                                  std::string name = "a");

  MatrixBatch batch;
  int32_t m = 0, n = 0;  // Rows and columns, as LAPACK counts them.

  // The elements of a result that starts as `tensor`, or as zeros of this shape for each matrix.
  template <typename T>
  T* result(const std::string& name, const golden::Tensor& tensor) {
    return (results_[name] = tensor).template mutableValues<T>().data();
  }
  template <typename T>
  T* result(const std::string& name, std::initializer_list<int64_t> shape) {
    return result<T>(name, golden::Tensor(golden::kElementTypeOf<T>, batch.with(shape)));
  }

  // The results, after solve(matrix, its number) gave the info of each.
  template <typename T, typename Solve>
  LapackResults each(Solve solve) {
    T* matrices = results_[name_].template mutableValues<T>().data();
    auto* info = result<int32_t>("info", {});
    for (int64_t i = 0; i < batch.count; ++i) info[i] = solve(matrices + i * m * n, i);
    return std::move(results_);
  }

 private:
  std::string name_;
  LapackResults results_;
};

}  // namespace vintage::harness
