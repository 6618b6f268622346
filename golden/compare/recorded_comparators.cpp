#include "golden/compare/recorded_comparators.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "golden/compare/comparator_kinds.h"
#include "golden/compare/factors.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

using enum Comparator::Kind;

struct Family {
  // A custom call belongs to it when its target contains this.
  std::string_view fragment;
  Comparator::Kind kind;
  // By value, in epsilons: relative to each element, and absolute in terms of the
  // largest expected magnitude.
  double relative = 0, absolute = 0;
  // It solves: its errors, and those of its users, grow with the condition of the matrices.
  bool solves = false;
};

// The first family to which any target belongs decides. Pivots therefore stand behind the LU
// factorization that they come with. Different libraries and blockings differ by a few roundings
// for each dimension; solvers in JAX's own tests differ by up to 1e-3 for f32.
constexpr Family kFamilies[] = {
    {"geev", kEigenvectors, 1000, 100, true},
    {"syev", kEigenvectors, 1000, 100, true},
    {"heev", kEigenvectors, 1000, 100, true},
    {"Eigh", kEigenvectors, 1000, 100, true},
    {"gesdd", kSingularVectors, 1000, 100, true},
    {"gesvd", kSingularVectors, 1000, 100, true},
    {"geqrf", kQr, 1000, 100, true},
    {"orgqr", kQr, 1000, 100, true},
    {"ungqr", kQr, 1000, 100, true},
    {"Qr", kQr, 1000, 100, true},
    {"ProductOfElementaryHouseholderReflectors", kQr, 1000, 100, true},
    {"getrf", kLu, 1000, 100, true},
    {"gees", kSchur, 1000, 100, true},
    {"gehrd", kHessenberg, 1000, 100, true},
    {"sytrd", kTridiagonal, 1000, 100, true},
    {"hetrd", kTridiagonal, 1000, 100, true},
    {"potrf", kCholesky, 1000, 100, true},
    {"stablehlo.cholesky", kCholesky, 1000, 100, true},
    {"trsm", kElementwise, 1000, 1000, true},
    {"stablehlo.triangular_solve", kElementwise, 1000, 1000, true},
    {"gtsv", kElementwise, 1000, 1000, true},
    {"fft", kElementwise, 10, 100},
    {"threefry", kExact},
    {"lu_pivots_to_permutation", kExact},
    {"top_k", kExact},
    {"annotate_device_placement", kExact},
    // Kernels of Pallas, whose products the TPU may round to bf16.
    {"tpu_custom_call", kElementwise, 65536, 65536},
};

// Elementwise arithmetic without custom calls: a few roundings, and fused
// multiply-adds that a compiler may or may not use.
constexpr Family kOrdinary = {"", kElementwise, 10, 10};

double largestMagnitude(const Tensor& tensor) {
  return visitElementType(tensor.type(), [&]<typename T>() {
    double largest = 0;
    for (const T value : tensor.values<T>()) {
      double magnitude = 0;
      if constexpr (kIsComplexStorage<T>)
        magnitude =
            std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
      else
        magnitude = std::abs(static_cast<double>(value));
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    return largest;
  });
}

double epsilonOfType(ElementType type) {
  const Tensor one(type, {});
  return epsilonOf({&one, 1});
}

bool belongsTo(std::string_view maker, std::string_view fragment) {
  return maker.find(fragment) != std::string_view::npos;
}

const Family& familyOf(std::span<const std::string> solvers) {
  for (const Family& family : kFamilies)
    if (std::ranges::any_of(
            solvers, [&](const std::string& solver) { return belongsTo(solver, family.fragment); }))
      return family;
  return kOrdinary;
}

// Whether the output is a result of some member of a family of this kind.
bool isFactor(const RecordedOutput& output, Comparator::Kind kind) {
  return std::ranges::any_of(kFamilies, [&](const Family& family) {
    return family.kind == kind && belongsTo(output.maker, family.fragment);
  });
}

// Singular values, and eigenvalues of Hermitian matrices, are as exact as the
// matrix is large, however badly it is conditioned.
bool isWellConditioned(const RecordedOutput& output, const Tensor& expected) {
  constexpr std::string_view kMakers[] = {"gesdd", "gesvd", "syev", "heev", "Eigh"};
  return !isComplex(expected.type()) && !output.masked &&
         std::ranges::any_of(kMakers,
                             [&](std::string_view each) { return belongsTo(output.maker, each); });
}

// How much the inputs magnify rounding errors, in epsilons.
struct Magnification {
  double condition = 1;
  int64_t dimension = 1;
  double largest = 0;  // Magnitude.
};

Magnification magnificationOf(std::span<const Tensor> inputs) {
  Magnification found;
  for (const Tensor& input : inputs) {
    if (!isFloat(realPart(input.type()))) continue;
    found.largest = std::max(found.largest, largestMagnitude(input));
    if (input.rank() < 2) continue;
    found.condition = std::max(found.condition, conditionOf(input));
    found.dimension =
        std::max({found.dimension, input.shape().back(), input.shape()[input.shape().size() - 2]});
  }
  return found;
}

Comparator byValue(const Family& family, const RecordedProgram& program, const Tensor& expected,
                   const Magnification& magnified) {
  constexpr double kEpsilonsOfADimension = 50;
  // However badly a matrix is conditioned, this much of the largest number is not
  // explained by it.
  constexpr double kMost = 0.01;
  // Types of 8 bits and fewer: a value that is computed in a wider type and rounded once
  // differs by a place at most.
  constexpr double kCoarse = 1.0 / 32;

  Comparator comparator;
  if (family.kind == kExact || !isFloat(realPart(expected.type()))) return comparator;
  double epsilon = epsilonOf({&expected, 1});
  if (program.roundsTo) epsilon = std::max(epsilon, epsilonOfType(*program.roundsTo));
  double relative = family.relative, absolute = family.absolute;
  if (epsilon > kCoarse) relative = absolute = 1;
  const double epsilons = kEpsilonsOfADimension * static_cast<double>(magnified.dimension);
  if (family.solves)
    absolute = std::max(absolute, std::min(epsilons * magnified.condition, kMost / epsilon));
  comparator.kind = kElementwise;
  comparator.tolerance.relative = relative * epsilon;
  comparator.tolerance.absolute = absolute * epsilon * largestMagnitude(expected);
  // A sum that cancels, such as one of squared residuals, is nothing but rounding errors.
  if (family.solves)
    *comparator.tolerance.absolute += epsilons * std::pow(epsilon * magnified.largest, 2);
  return comparator;
}

// Outputs of one operation that the specification leaves open, and that compare by meaning.
std::vector<OpenValues> openByMeaning(const RecordedOutput& output, bool knowsInputs) {
  for (const RecordedOutput::Open& open : output.open) {
    if (open.values.operation != output.maker) continue;
    OpenValues values = open.values;
    if (!knowsInputs) values.operand.reset();
    return {std::move(values)};
  }
  if (output.maker != "stablehlo.sort" && output.maker != "stablehlo.cholesky") return {};
  OpenValues values;
  values.operation = output.maker;
  values.direct = true;
  return {std::move(values)};
}

// Open values of an output that compares by value. `inputs` are empty where it is not known
// which argument is which.
std::vector<OpenValues> openByValue(const RecordedOutput& output, std::span<const Tensor> inputs) {
  const auto bound = [&](std::optional<size_t> number) -> std::optional<double> {
    if (!number || *number >= inputs.size() || inputs[*number].size() != 1) return std::nullopt;
    return visitElementType(inputs[*number].type(), [&]<typename T>() -> std::optional<double> {
      if constexpr (kIsComplexStorage<T>)
        return std::nullopt;
      else
        return static_cast<double>(static_cast<Computation<T>>(inputs[*number].values<T>()[0]));
    });
  };
  std::vector<OpenValues> all;
  for (const RecordedOutput::Open& open : output.open) {
    OpenValues values = open.values;
    if (values.operation == "ApproxTopK" || (values.windows && inputs.empty())) continue;
    if (open.lowInput) values.low = bound(open.lowInput);
    if (open.highInput) values.high = bound(open.highInput);
    // JSON knows no others.
    if (values.low && !std::isfinite(*values.low)) values.low.reset();
    if (values.high && !std::isfinite(*values.high)) values.high.reset();
    // The windows of these inputs may all be inside.
    if (values.windows && elementsOfCutWindows(*values.windows, inputs).empty()) continue;
    all.push_back(std::move(values));
  }
  return all;
}

std::optional<Comparator> factorization(const Family& family, const RecordedProgram& program,
                                        std::span<const Tensor> inputs,
                                        std::span<const Tensor> expected) {
  if (!family.solves || family.kind == kElementwise) return std::nullopt;
  Comparator comparator;
  comparator.kind = family.kind;
  const bool known = !program.outputs.empty();
  if (known && program.outputs.size() != expected.size()) return std::nullopt;
  if (family.kind == kCholesky && known && program.outputs[0].upper) comparator.roles = {"upper"};
  Result<std::vector<std::string>> roles = factorRoles(comparator, expected);
  if (!roles) return std::nullopt;
  comparator.roles = std::move(*roles);
  bool traced = true;
  for (size_t i = 0; known && i < expected.size(); ++i) {
    if (!isFloat(realPart(expected[i].type()))) continue;  // Pivots are counted on.
    traced &= isFactor(program.outputs[i], family.kind);
    // A triangle that was cleared is to be compared.
    if (family.kind == kCholesky && (!traced || program.outputs[i].masked)) return std::nullopt;
  }
  // Factors that a program goes on to sort or to scale still multiply back.
  if (!traced && !areFactorsOfAnInput(comparator, inputs, expected)) return std::nullopt;
  // The factors may have been changed on the way in a manner that shows only here.
  if (!compareOutputs(comparator, inputs, expected, expected).same) return std::nullopt;
  if (known && traced) comparator.open = openByMeaning(program.outputs[0], false);
  return comparator;
}

// An unstable sort or a top-k, where all its outputs were recorded and one of them is a key.
std::optional<Comparator> sorted(const RecordedProgram& program, std::span<const Tensor> inputs,
                                 std::span<const Tensor> expected) {
  if (program.outputs.size() != expected.size() || expected.size() < 2) return std::nullopt;
  const RecordedOutput& first = program.outputs[0];
  Comparator comparator;
  comparator.kind = kSorted;
  comparator.dimension = first.sortDimension;
  for (const RecordedOutput& output : program.outputs) {
    const bool sorts = output.maker == "stablehlo.sort" || output.first;
    if (!sorts || output.call != first.call || output.stable || output.moved || output.masked)
      return std::nullopt;
    comparator.roles.emplace_back(output.sortKey ? "key" : output.first ? "chosen" : "value");
  }
  const auto keys = std::ranges::count(comparator.roles, "key");
  if (keys == 0 || !compareOutputs(comparator, {}, expected, expected).same) return std::nullopt;
  comparator.open = openByMeaning(first, program.arguments == inputs.size());
  return comparator;
}

}  // namespace

std::vector<Comparator> comparatorsForRecorded(const RecordedProgram& program,
                                               std::span<const Tensor> inputs,
                                               std::span<const Tensor> expected) {
  const Family& family = familyOf(program.solvers);
  // Factors of random matrices multiply back to no matrix that is known.
  const bool isRandom = std::ranges::any_of(program.outputs, [](const RecordedOutput& output) {
    return std::ranges::any_of(output.open, [](const RecordedOutput::Open& open) {
      return open.values.operation.starts_with("stablehlo.rng");
    });
  });
  if (!isRandom) {
    if (auto comparator = factorization(family, program, inputs, expected)) return {*comparator};
    if (auto comparator = sorted(program, inputs, expected)) return {*comparator};
  }
  const Magnification magnified = family.solves ? magnificationOf(inputs) : Magnification{};
  std::vector<Comparator> comparators;
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool exact =
        i < program.outputs.size() && isWellConditioned(program.outputs[i], expected[i]);
    comparators.push_back(
        byValue(family, program, expected[i],
                exact ? Magnification{1, magnified.dimension, magnified.largest} : magnified));
    if (i < program.outputs.size())
      comparators.back().open =
          openByValue(program.outputs[i],
                      program.arguments == inputs.size() ? inputs : std::span<const Tensor>());
  }
  return comparators;
}

std::string excessPrecisionNote(const RecordedProgram& program, std::span<const Tensor> expected) {
  if (!program.roundsTo || std::ranges::none_of(expected, [&](const Tensor& output) {
        return isFloat(realPart(output.type())) &&
               epsilonOf({&output, 1}) < epsilonOfType(*program.roundsTo);
      }))
    return "";
  return fmt::format("it may have kept more precision where the program rounds to {}",
                     dtypeName(*program.roundsTo));
}

}  // namespace vintage::golden
