// The engine's kernels beside what they are made of: products beside BLAS,
// elementwise arithmetic beside a copy of as many bytes.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <cstring>
#include <optional>
#include <random>

#include "golden/program/program.h"
#include "harness/engine/engine.h"
#include "harness/engine/operations/dot_general.h"
#include "harness/engine/operations/fourier_transform.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

Tensor randomTensor(const Shape& shape) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor tensor(ElementType::kF32, shape);
  for (float& value : tensor.mutableValues<float>()) value = uniform(random);
  return tensor;
}

std::optional<Plan> planFor(const std::string& text) {
  ProgramContext context;
  const auto program = context.parseText(text, "<benchmark>");
  if (!program) return std::nullopt;
  const auto tree = program->tree();
  if (!tree) return std::nullopt;
  auto plan = compile(*tree, PlanOptions{});
  if (!plan) return std::nullopt;
  return *std::move(plan);
}

void runPlan(benchmark::State& state, const std::string& text, std::span<const Tensor> inputs) {
  const auto plan = planFor(text);
  if (!plan) {
    state.SkipWithError("the program does not compile");
    return;
  }
  for (auto _ : state) {
    auto outputs = plan->run(inputs);
    if (!outputs) {
      state.SkipWithError(outputs.error().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(outputs->front().bytes().data());
  }
}

void reportProducts(benchmark::State& state, int64_t n) {
  state.counters["flop/s"] = benchmark::Counter(
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
      benchmark::Counter::kIsIterationInvariantRate);
}

std::string matrixType(int64_t n, const char* element) {
  return "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "x" + element + ">";
}

std::string dotProgram(int64_t n, const char* element) {
  const std::string type = matrixType(n, element);
  return "func.func public @main(%a: " + type + ", %b: " + type + ") -> " + type +
         " { %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + type + ", " +
         type + ") -> " + type + " return %0 : " + type + " }";
}

void dotGeneralF32(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor inputs[] = {randomTensor({n, n}), randomTensor({n, n})};
  runPlan(state, dotProgram(n, "f32"), inputs);
  reportProducts(state, n);
}
BENCHMARK(dotGeneralF32)->Arg(4)->Arg(64)->Arg(1024);

void cblasSgemm(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor a = randomTensor({n, n}), b = randomTensor({n, n});
  Tensor c(ElementType::kF32, {n, n});
  const int size = static_cast<int>(n);
  float* out = c.mutableValues<float>().data();
  openblas_set_num_threads(1);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1,
                a.values<float>().data(), size, b.values<float>().data(), size, 0, out, size);
    benchmark::DoNotOptimize(out);
  }
  reportProducts(state, n);
}
BENCHMARK(cblasSgemm)->Arg(4)->Arg(64)->Arg(1024);

void dotGeneralI32(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor inputs[] = {Tensor(ElementType::kI32, {n, n}), Tensor(ElementType::kI32, {n, n})};
  runPlan(state, dotProgram(n, "i32"), inputs);
  reportProducts(state, n);
}
BENCHMARK(dotGeneralI32)->Arg(256);

// `operations` additions and multiplications in turns, each of what came before and %b.
std::string elementwiseProgram(int64_t n, int operations) {
  const std::string type = "tensor<" + std::to_string(n) + "xf32>";
  std::string text =
      "func.func public @main(%a: " + type + ", %b: " + type + ") -> " + type + " { ";
  std::string last = "%a";
  for (int i = 0; i < operations; ++i) {
    const std::string name = "%" + std::to_string(i);
    text += name + " = stablehlo." + (i % 2 == 0 ? "add " : "multiply ") + last + ", %b : " + type +
            "\n";
    last = name;
  }
  return text + "return " + last + " : " + type + " }";
}

void elementwiseAdd(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor inputs[] = {randomTensor({n}), randomTensor({n})};
  runPlan(state, elementwiseProgram(n, 1), inputs);
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * n * 12);
}
BENCHMARK(elementwiseAdd)->Arg(4)->Arg(16)->Arg(1 << 12)->Arg(1 << 20);

void chainOfTen(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor inputs[] = {randomTensor({n}), randomTensor({n})};
  runPlan(state, elementwiseProgram(n, 10), inputs);
}
BENCHMARK(chainOfTen)->Arg(4)->Arg(1 << 12);

// Moves as many bytes as an addition reads and writes.
void copyOfAsManyBytes(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor source = randomTensor({n * 3 / 2});
  for (auto _ : state) {
    Tensor target = Tensor::uninitialized(ElementType::kF32, {n * 3 / 2});
    std::memcpy(target.mutableBytes().data(), source.bytes().data(), source.bytes().size());
    benchmark::DoNotOptimize(target.bytes().data());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * n * 12);
}
BENCHMARK(copyOfAsManyBytes)->Arg(16)->Arg(1 << 12)->Arg(1 << 20);

void convolution3x3(benchmark::State& state) {
  const Tensor inputs[] = {randomTensor({1, 56, 56, 64}), randomTensor({3, 3, 64, 64})};
  runPlan(state,
          "func.func public @main(%x: tensor<1x56x56x64xf32>, %k: tensor<3x3x64x64xf32>) -> "
          "tensor<1x56x56x64xf32> { %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, "
          "f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = "
          "1 : i64, feature_group_count = 1 : i64} : (tensor<1x56x56x64xf32>, "
          "tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> return %0 : tensor<1x56x56x64xf32> }",
          inputs);
  state.counters["flop/s"] = benchmark::Counter(2.0 * 56 * 56 * 64 * 64 * 9,
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(convolution3x3);

void fourier(benchmark::State& state) {
  const int64_t n = state.range(0);
  const Tensor line(ElementType::kC64, {n});
  for (auto _ : state) {
    auto result = fourierTransform(line, {FftType::kComplex, {0}, {n}, 1});
    benchmark::DoNotOptimize(result->bytes().data());
  }
}
BENCHMARK(fourier)->Arg(1 << 16)->Arg(65537);

}  // namespace
}  // namespace vintage::tests

BENCHMARK_MAIN();
