// Custom calls of the solver libraries, as JAX emits them: typed FFI targets
// with layouts, aliases and batch dimensions, and the check of their `info`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/oracle/quad_matrix.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {

// As LAPACK takes its options.
inline golden::Attribute letter(char option) {
  return {int64_t{option}, golden::ElementType::kUi8};
}

struct SolverCall {
  std::string target;
  golden::AttributeMap configuration = {};  // {"uplo", letter('L')}; inside mhlo.backend_config.
  SsaValues operands;
  std::vector<TensorType> results;
  // Which operand's buffer a result reuses: (result, operand).
  std::vector<std::pair<int, int>> aliases = {{0, 0}};
  // Leading dimensions that are batches; none: all but the last two of the first operand.
  std::optional<size_t> batch = {};
};

// Matrices are column-major, everything else is row-major. Where a result has a
// dimension variable, the shapes of all of them follow as operands, and the call
// does not say how it could be split along its batches.
SsaValues emitSolverCall(const SolverCall& call);
// A call of the TPU's runtime, which has no layouts; `configuration` is its
// backend_config.
SsaValues emitTpuCall(const std::string& target, Operands operands, const Types& results,
                      std::string_view configuration = "");

// "lapack_spotrf_ffi" from "potrf"; `complexName` where LAPACK's name for complex
// types differs (syevd, heevd).
std::string lapackTarget(golden::ElementType type, std::string_view name,
                         std::string_view complexName = "");
// That of the platform that the matrix is lowered for: LAPACK's, or "cusolver_…_ffi" or
// "hipsolver_…_ffi" by LAPACK's name or another one.
std::string solverTarget(const SsaValue& matrix, std::string_view name,
                         std::string_view complexName = "", std::string_view accelerator = "");

// The values where `info`, one for each batch, compares as `direction` with zero; NaN elsewhere.
SsaValues nanUnless(const SsaValue& info, std::string_view direction, const SsaValues& values);

// The lower (or upper) triangle, with zeros elsewhere: in line, as the factorizations write it,
// and in a function of its own, as jnp.tril and jnp.triu are.
SsaValue triangleOf(const SsaValue& matrix, bool lower);
SsaValue callTriangleOf(const SsaValue& matrix, bool lower);

// The leading dimensions of matrices; these and another one; and these and two of a matrix.
golden::Shape batchOf(const golden::Shape& shape);
golden::Shape withLast(golden::Shape batch, int64_t size);
golden::Shape matrixShape(const golden::Shape& batch, int64_t rows, int64_t columns);

// Inputs: random entries in [-1, 1]; with positive definite, Hermitian and
// triangular structure where asked for.
enum class Structure { kGeneral, kHermitian, kPositiveDefinite, kLower, kUpper };
golden::Tensor makeMatrix(golden::ElementType type, const golden::Shape& shape, Structure structure,
                          Random& random);
// By meaning, to so many units of the type's spacing at one.
golden::Comparator byMeaning(golden::Comparator::Kind kind, golden::ElementType type,
                             double units = 16);

// f32, f64, c64, c128: what the solver libraries have.
inline constexpr types::Set kSolverTypes = types::kInexact.subspan(2);

// A use of a primitive that takes one matrix, or a batch of them.
struct MatrixUse {
  const char* primitive;
  std::string label = {};
  TensorType matrix;
  Structure structure = Structure::kGeneral;
  Emit emit;
  // The oracle's results, each matrix's part by itself.
  Types results;
  std::function<void(const golden::oracle::QuadMatrix& matrix, int64_t batch,
                     std::span<golden::Tensor> results)>
      expect;
  golden::Comparator comparator;
  // Of kSolverTypes; bf16 and f16 exist in JAX's page and lower nowhere.
  std::vector<std::string> platforms{"cpu", "cuda", "rocm", "tpu"};
};
CaseSpecification matrixCase(const MatrixUse& use);

}  // namespace vintage::primitives
