#include "tests/conformance/wrong_expectations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"
#include "golden/tensor/visit.h"
#include "harness/engine/engine.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

constexpr WrongExpectation kListed[] = {
    {"cosh_float32_20_20_chlo.mlir",
     "is exp(x + log 1/2) + exp(log 1/2 - x), with each step rounded to f32", exactCosh},
    {"sinh_float32_20_20_chlo.mlir",
     "is exp(x + log 1/2) - exp(log 1/2 - x), with each step rounded to f32; it is compared to "
     "0.001 where an ulp is up to 0.001",
     exactSinh},
    {"cumprod_complex64_8_9.mlir",
     "was rounded at each factor; it is compared to 0.001 where an ulp is up to 0.008",
     exactCumulativeProduct},
    {"reduce_window_add_float32_12_12.mlir",
     "was rounded to f32 after each term, and the terms of two sums cancel", exactWindowSums},
    {"sin_complex64_20_20.mlir",
     "is an ulp off in a number that is compared to 0.001 where an ulp is 0.004", exactComplexSine},
    {"fft_complex64_14_15_16_17.mlir",
     "was computed in f32, so that numbers far below the others kept few digits",
     exactRealInverseFourier3d},
    {"fft_float32_14_15_16_17.mlir",
     "was computed in f32, so that numbers far below the others kept few digits", exactRealFourier},
    {"fft_float64_14_15_16_17.mlir",
     "was computed in f64, so that numbers far below the others lost several digits",
     exactRealFourier},
    {"triangular_solve_float32_2_8_8_float32_2_10_8.mlir",
     "was computed in f32, where substitution multiplied the rounding errors by the triangle's "
     "condition",
     exactUpperSolveFromTheRight},
};

// The results of a function whose values are constants.
Result<std::vector<Tensor>> constantsOf(const ModuleTree& module, const char* name) {
  const Function* function = module.find(name);
  if (function == nullptr || function->body.blocks.size() != 1)
    return failure(Error::Kind::kBadInput, std::string("there is no @") + name);
  std::map<ValueId, Tensor> constants;
  std::vector<Tensor> returned;
  for (const Operation& operation : function->body.blocks[0].operations) {
    if (operation.name == "stablehlo.constant") {
      const auto value = operation.attributes.find("value");
      const auto* tensor =
          value == operation.attributes.end() ? nullptr : std::get_if<Tensor>(&value->second.value);
      if (tensor != nullptr) constants[operation.results[0]] = *tensor;
    } else {
      for (const ValueId operand : operation.operands) {
        if (!constants.contains(operand))
          return failure(Error::Kind::kBadInput, std::string("not all is constant in @") + name);
        returned.push_back(constants[operand]);
      }
    }
  }
  return returned;
}

Result<std::vector<Tensor>> runIn(ExecutionMode mode, const ModuleTree& module) {
  ASSIGN_OR_RETURN(auto plan, compile(module, {.mode = mode}));
  return plan.run({});
}

template <typename T>
bool holds(const Check& check, T a, T b) {
  if (check.kind == Check::Kind::kClose) return ulpDistance(a, b) <= check.maxUlps;
  const double allowed = check.kind == Check::Kind::kAlmostEqual ? check.tolerance : 0;
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= allowed;
}

// The real and the imaginary parts of complex tensors as numbers of their own.
template <typename T>
void compareParts(Evidence& evidence, int parts) {
  const auto partsOf = [&](const Tensor& tensor) {
    return std::span(reinterpret_cast<const T*>(tensor.bytes().data()),
                     static_cast<size_t>(tensor.size() * parts));
  };
  const auto expected = partsOf(evidence.expected), exact = partsOf(evidence.exact),
             engine = partsOf(evidence.engine);
  double expectedSquares = 0, engineSquares = 0, squares = 0;
  const auto square = [](T value) { return static_cast<double>(value) * value; };
  for (size_t i = 0; i < exact.size(); ++i) {
    JudgedNumber number;
    number.place = formatIndex(evidence.exact.shape(), static_cast<int64_t>(i) / parts);
    if (parts == 2) number.place += i % 2 == 0 ? " real" : " imaginary";
    number.expected = expected[i];
    number.exact = exact[i];
    number.engine = engine[i];
    number.expectedUlps = ulpDistance(expected[i], exact[i]);
    number.engineUlps = ulpDistance(engine[i], exact[i]);
    evidence.farthestExpected = std::max(evidence.farthestExpected, number.expectedUlps);
    evidence.farthestEngine = std::max(evidence.farthestEngine, number.engineUlps);
    if (!holds(evidence.check, engine[i], expected[i])) evidence.differing.push_back(i);
    if (!holds(evidence.check, engine[i], exact[i])) {
      ++evidence.engineBeyond;
      evidence.largestBeyond =
          std::max(evidence.largestBeyond, std::abs(number.engine - number.exact));
    }
    expectedSquares += square(expected[i] - exact[i]);
    engineSquares += square(engine[i] - exact[i]);
    squares += square(exact[i]);
    evidence.numbers.push_back(std::move(number));
  }
  const double typical = std::sqrt(squares / static_cast<double>(exact.size()));
  evidence.largestBeyond /= typical;
  evidence.expectedError = std::sqrt(expectedSquares / squares);
  evidence.engineError = std::sqrt(engineSquares / squares);
}

}  // namespace

std::span<const WrongExpectation> wrongExpectations() { return kListed; }

const WrongExpectation* findWrongExpectation(std::string_view program) {
  const auto* found = std::ranges::find(kListed, program, &WrongExpectation::program);
  return found == std::end(kListed) ? nullptr : found;
}

Result<Evidence> gatherEvidence(const ModuleTree& module, const WrongExpectation& listed) {
  auto inputs = constantsOf(module, "inputs");
  if (!inputs) return within(listed.program, inputs.error());
  auto expected = constantsOf(module, "expected");
  if (!expected) return within(listed.program, expected.error());
  ModuleTree checked = module;
  const auto main = std::ranges::find(checked.functions, "main", &Function::name);
  auto checks = extractChecks(*main);
  if (!checks) return within(listed.program, checks.error());
  if (checks->size() != 1 || expected->size() != 1 || !(*checks)[0].expectedOutput)
    return failure(Error::Kind::kBadInput, std::string(listed.program) + ": not one check");
  auto outputs = runIn(ExecutionMode::kGraph, checked);
  if (!outputs) return within(listed.program, outputs.error());
  auto eager = runIn(ExecutionMode::kEager, checked);
  if (!eager) return within(listed.program, eager.error());
  if (!(*outputs)[(*checks)[0].actual].identical((*eager)[(*checks)[0].actual]))
    return failure(Error::Kind::kMismatch, std::string(listed.program) + ": the modes differ");
  Evidence evidence;
  evidence.check = (*checks)[0];
  if (inputs->empty())
    return failure(Error::Kind::kBadInput, std::string(listed.program) + ": no inputs");
  evidence.input = (*inputs)[0];
  evidence.expected = (*expected)[0];
  evidence.engine = (*outputs)[evidence.check.actual];
  evidence.exact = listed.exact(*inputs);
  if (!evidence.expected.identical((*outputs)[*evidence.check.expectedOutput]) ||
      evidence.exact.type() != evidence.engine.type() ||
      evidence.exact.shape() != evidence.engine.shape())
    return failure(Error::Kind::kBadInput,
                   std::string(listed.program) + ": the check compares something else");
  const int parts = isComplex(evidence.exact.type()) ? 2 : 1;
  const bool single = byteWidth(evidence.exact.type()) / parts == sizeof(float);
  single ? compareParts<float>(evidence, parts) : compareParts<double>(evidence, parts);
  return evidence;
}

}  // namespace vintage::tests
