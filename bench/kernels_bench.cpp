// The engine's kernels beside what they are made of: products beside BLAS,
// elementwise arithmetic beside a copy of as many bytes.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

#include "golden/kernels/kernel_reader.h"
#include "golden/program/program.h"
#include "harness/engine/engine.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/mosaic_kernel.h"
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

std::string kernelText(const std::string& name) {
  std::ifstream file(VINTAGE_SOURCE "/tests/harness/engine/kernels/" + name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A Pallas kernel for a TPU over 512 x 64 numbers: 16 steps of a grid, each with two products.
void flashAttention(benchmark::State& state) {
  const std::string text = kernelText("flash_attention.mlir");
  auto tree = readMosaicKernel(std::as_bytes(std::span(text)), "flash_attention");
  const std::vector<Tensor> inputs(3, randomTensor({512, 64}));
  const std::vector<ValueType> types(3, tensorOf(ElementType::kF32, {512, 64}));
  const auto kernel = tree ? MosaicKernel::make(*std::move(tree), types, std::span(types).first(1),
                                                std::vector<int64_t>{-1})
                           : tl::unexpected(tree.error());
  for (auto _ : state) {
    auto results = kernel ? (*kernel)->run(inputs) : tl::unexpected(kernel.error());
    if (!results) {
      state.SkipWithError(results.error().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(results->front().bytes().data());
  }
}
BENCHMARK(flashAttention)->Unit(benchmark::kMillisecond);

// The same through Triton: 8 programs that each loop over 8 blocks of keys, in three orders.
void flashAttentionTriton(benchmark::State& state) {
  readKernelsWith({.mosaic = readMosaicKernel, .triton = readTritonKernel});
  std::string ir;
  for (const char each : kernelText("flash_attention_triton.mlir"))
    ir += fmt::format("\\{:02X}", static_cast<unsigned char>(each));
  const std::string type = "tensor<512x64xf32>";
  const std::vector<Tensor> inputs(3, randomTensor({512, 64}));
  runPlan(state,
          fmt::format("func.func public @main(%q: {0}, %k: {0}, %v: {0}) -> {0} {{ %0 = "
                      "stablehlo.custom_call @__gpu$xla.gpu.triton(%q, %k, %v) "
                      "{{mhlo.backend_config = {{name = \"kernel\", grid_x = 8 : i32, grid_y = 1 : "
                      "i32, grid_z = 1 : i32, ir = \"{1}\"}}}} : ({0}, {0}, {0}) -> {0} return %0 "
                      ": {0} }}",
                      type, ir),
          inputs);
}
BENCHMARK(flashAttentionTriton)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vintage::tests

BENCHMARK_MAIN();
