// The solver targets of the TPU's runtime, run by LAPACK, as solver_targets.cpp
// does it for the GPUs: Eigh, LuDecomposition, Qr and the product of its
// reflectors. None of them returns an info.
#include <algorithm>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/lapack.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct TpuTarget {
  const char* name;
  const char* realStem;
  const char* complexStem;
  CustomCallSignature signature;
};

const std::vector<TpuTarget>& tpuTargets() {
  static const std::vector<TpuTarget> all = {
      {"Eigh", "syevd", "heevd", {{"a: T[*,n,n]"}, {"v: T[*,n,n]", "w: R[*,n]"}, {}}},
      {"LuDecomposition",
       "getrf",
       "getrf",
       {{"a: T[*,m,n]"}, {"lu: T[*,m,n]", "pivots: i32[*,min(m,n)]", "permutation: i32[*,m]"}, {}}},
      {"Qr", "geqrf", "geqrf", {{"a: T[*,m,n]"}, {"a: T[*,m,n]", "tau: T[*,min(m,n)]"}, {}}},
      {"ProductOfElementaryHouseholderReflectors",
       "orgqr",
       "ungqr",
       {{"a: T[*,m,n]", "tau: T[*,k]"}, {"q: T[*,m,n]"}, {}}},
  };
  return all;
}

// LAPACK's exchanges count from one; the permutation is what they make of 0, 1, ….
Status finishLu(std::span<Value> inner, KernelCall& call) {
  const Tensor& exchanges = inner[1].tensor;
  ASSIGN_OR_RETURN(auto pivots, Tensor::make(ElementType::kI32, exchanges.shape()));
  Shape shape = call.operands[0].tensor.shape();
  const int64_t rows = shape[shape.size() - 2], steps = exchanges.shape().back();
  shape.pop_back();
  ASSIGN_OR_RETURN(auto permutation, Tensor::make(ElementType::kI32, shape));
  const auto from = exchanges.values<int32_t>();
  const auto counted = pivots.mutableValues<int32_t>();
  const auto order = permutation.mutableValues<int32_t>();
  const int64_t batches = rows == 0 ? 0 : permutation.size() / rows;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const auto line = order.subspan(static_cast<size_t>(batch * rows), static_cast<size_t>(rows));
    std::iota(line.begin(), line.end(), 0);
    for (int64_t i = 0; i < steps; ++i) {
      const auto at = static_cast<size_t>(batch * steps + i);
      counted[at] = from[at] - 1;
      if (counted[at] < 0 || counted[at] >= rows)
        return badInput("custom_call @LuDecomposition: no exchange of rows");
      std::swap(line[static_cast<size_t>(i)], line[static_cast<size_t>(counted[at])]);
    }
  }
  call.results[0] = inner[0];
  call.results[1].tensor = std::move(pivots);
  call.results[2].tensor = std::move(permutation);
  return {};
}

Result<Kernel> makeTpuSolver(const CustomCallTarget& target, const KernelRequest& request) {
  const TpuTarget& tpu = tpuTargets()[static_cast<size_t>(target.variant)];
  const bool eigh = target.variant == 0, lu = target.variant == 1;
  if (request.operandTypes.empty() || request.operandTypes[0].shape.size() < 2 ||
      request.resultTypes.size() != tpu.signature.results.size())
    return badInput("custom_call @{} takes matrices and gives {} results.", tpu.name,
                    tpu.signature.results.size());
  const ElementType element = request.operandTypes[0].element;
  const CustomCallTarget* lapack = findTypedLapack(element, tpu.realStem, tpu.complexStem);
  if (!lapack) return badInput("custom_call @{} needs f32, f64 or complex matrices.", tpu.name);
  Operation operation = request.operation;
  AttributeMap flags;
  if (eigh) {
    // "lower,sort,sweeps,tolerance"
    const std::string configuration =
        CheckedAttributes(request.operation).text("backend_config", std::string("1"));
    flags["uplo"].value = int64_t{configuration.starts_with('0') ? 'U' : 'L'};
    flags["mode"].value = int64_t{'V'};
  }
  operation.attributes.erase("backend_config");
  operation.attributes["mhlo.backend_config"].value = flags;
  std::vector<ValueType> results(request.resultTypes.begin(), request.resultTypes.end());
  if (lu) results.pop_back();
  if (eigh || lu) {
    ValueType info = request.operandTypes[0];
    info.element = ElementType::kI32;
    info.shape.resize(info.shape.size() - 2);
    results.push_back(info);
  }
  // LAPACK takes its matrices column by column.
  const auto layouts = [](std::span<const ValueType> types, size_t matrixRank) {
    AttributeList all;
    for (const ValueType& type : types) {
      std::vector<int64_t> minorToMajor(type.shape.size());
      std::iota(minorToMajor.rbegin(), minorToMajor.rend(), 0);
      if (minorToMajor.size() == matrixRank) std::swap(minorToMajor[0], minorToMajor[1]);
      all.emplace_back().value = std::move(minorToMajor);
    }
    return all;
  };
  const size_t rank = request.operandTypes[0].shape.size();
  operation.attributes["operand_layouts"].value = layouts(request.operandTypes, rank);
  operation.attributes["result_layouts"].value = layouts(results, rank);
  const KernelRequest inner{operation, request.operandTypes, results, request.regions,
                            request.regionShortcuts};
  auto kernel = lapack->factory(*lapack, inner);
  if (!kernel) return kernel;
  return Kernel(
      [kernel = *std::move(kernel), count = results.size(), lu](KernelCall& call) -> Status {
        std::vector<Value> values(count);
        KernelCall own{.operands = call.operands, .results = values};
        own.availableBytes = call.availableBytes;
        RETURN_IF_ERROR(kernel(own));
        if (lu) return finishLu(values, call);
        for (size_t i = 0; i < call.results.size(); ++i) call.results[i] = values[i];
        return {};
      });
}

}  // namespace

std::vector<CustomCallTarget> tpuSolverTargets() {
  std::vector<CustomCallTarget> targets;
  for (size_t i = 0; i < tpuTargets().size(); ++i) {
    targets.push_back({.name = std::string(tpuTargets()[i].name),
                       .platform = "tpu",
                       .apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kStatusReturning},
                       .signature = tpuTargets()[i].signature,
                       .factory = makeTpuSolver,
                       .variant = static_cast<int>(i)});
  }
  return targets;
}

}  // namespace vintage::harness
