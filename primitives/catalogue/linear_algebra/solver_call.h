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

// The form of LAPACK's options.
inline golden::Attribute letter(char option) {
  return {int64_t{option}, golden::ElementType::kUi8};
}

struct SolverCall {
  std::string target;
  golden::AttributeMap configuration = {};  // {"uplo", letter('L')}; inside mhlo.backend_config.
  SsaValues operands;
  std::vector<TensorType> results;
  // The operand whose buffer a result reuses: (result, operand).
  std::vector<std::pair<int, int>> aliases = {{0, 0}};
  // Leading dimensions that are batches; none: all but the last two of the first operand.
  std::optional<size_t> batch = {};
};

// Matrices are column-major, everything else is row-major. If a result has a dimension variable,
// the shapes of all results follow as operands, and the call does not describe how to split it
// along its batches.
SsaValues emitSolverCall(const SolverCall& call);
// A call of the TPU's runtime, which has no layouts; `configuration` is its
// backend_config.
SsaValues emitTpuCall(const std::string& target, Operands operands, const Types& results,
                      std::string_view configuration = "");

// "lapack_spotrf_ffi" from "potrf"; `complexName` where LAPACK's name for complex
// types differs (syevd, heevd).
std::string lapackTarget(golden::ElementType type, std::string_view name,
                         std::string_view complexName = "");
// The target for the matrix's platform: LAPACK's, or "cusolver_…_ffi" or "hipsolver_…_ffi" with
// LAPACK's name or another one.
std::string solverTarget(const SsaValue& matrix, std::string_view name,
                         std::string_view complexName = "", std::string_view accelerator = "");

// The values where `info`, one for each batch, compares as `direction` with zero; NaN elsewhere.
SsaValues nanUnless(const SsaValue& info, std::string_view direction, const SsaValues& values);

// The lower (or upper) triangle, with zeros elsewhere: inlined, as the factorizations write it, and
// in a function of its own, as jnp.tril and jnp.triu are.
SsaValue triangleOf(const SsaValue& matrix, bool lower);
SsaValue callTriangleOf(const SsaValue& matrix, bool lower);

// The leading dimensions of matrices; also with one more dimension, and with two more of a matrix.
golden::Shape batchOf(const golden::Shape& shape);
golden::Shape withLast(golden::Shape batch, int64_t size);
golden::Shape matrixShape(const golden::Shape& batch, int64_t rows, int64_t columns);

// Inputs: random entries in [-1, 1], with the given structure.
enum class Structure { kGeneral, kHermitian, kPositiveDefinite, kLower, kUpper };
golden::Tensor makeMatrix(golden::ElementType type, const golden::Shape& shape, Structure structure,
                          Random& random);
// Compares by meaning, within this many units of the type's spacing at one.
golden::Comparator byMeaning(golden::Comparator::Kind kind, golden::ElementType type,
                             double units = 16);

// f32, f64, c64, c128: the types of the solver libraries.
inline constexpr types::Set kSolverTypes = types::kInexact.subspan(2);

// A use of a primitive that takes one matrix, or a batch of them.
struct MatrixUse {
  const char* primitive;
  std::string label = {};
  TensorType matrix;
  Structure structure = Structure::kGeneral;
  Emit emit;
  // The oracle's results, separately for each matrix of the batch.
  Types results;
  std::function<void(const golden::oracle::QuadMatrix& matrix, int64_t batch,
                     std::span<golden::Tensor> results)>
      expect;
  golden::Comparator comparator;
  // For kSolverTypes; JAX's page lists bf16 and f16, but they lower on no platform.
  std::vector<std::string> platforms{"cpu", "cuda", "rocm", "tpu"};
};
CaseSpecification matrixCase(const MatrixUse& use);

}  // namespace vintage::primitives
