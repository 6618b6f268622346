// Triton kernels, from their text in MLIR's generic form.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/kernels/kernel_reader.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/kernel_roundings.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// MLIR's text of a string.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += fmt::format("\\{:02X}", static_cast<int>(c));
    else
      result += c == '\n' ? ' ' : c;
  }
  return result;
}

// Calls a kernel of one input and one output of `size` elements.
Result<std::vector<Tensor>> call(const std::string& body, int64_t programs, int64_t size,
                                 const std::string& element, const Tensor& input,
                                 const std::string& aliases = "") {
  readKernelsWith({.mosaic = readMosaicKernel, .triton = readTritonKernel});
  const std::string kernel = fmt::format(
      R"("builtin.module"() ({{ "tt.func"() ({{ ^bb0(%x: !tt.ptr<{0}>, %y: !tt.ptr<{0}>):
{1}
"tt.return"() : () -> () }}) {{function_type = (!tt.ptr<{0}>, !tt.ptr<{0}>) -> (), sym_name = "k"}}
: () -> () }}) : () -> ())",
      element, body);
  return run(fmt::format(R"(func.func public @main(%a: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
    %r = stablehlo.custom_call @__gpu$xla.gpu.triton(%a) {{{2} mhlo.backend_config = {{name = "k",
      grid_x = {3} : i32, grid_y = 1 : i32, grid_z = 1 : i32, ir = "{4}"}}}}
      : (tensor<{0}x{1}>) -> tensor<{0}x{1}>
    return %r : tensor<{0}x{1}> }})",
                         size, element, aliases, programs, quoted(kernel)),
             {input});
}

// The places of a program's four elements, moved by `shift`, as pointers %p into %x and %q into %y.
std::string places(int shift) {
  return fmt::format(R"(
    %id = "tt.get_program_id"() {{axis = 0 : i32}} : () -> i32
    %four = "arith.constant"() {{value = 4 : i32}} : () -> i32
    %start = "arith.muli"(%id, %four) : (i32, i32) -> i32
    %range = "tt.make_range"() {{start = {0} : i32, end = {1} : i32}} : () -> tensor<4xi32>
    %s = "tt.splat"(%start) : (i32) -> tensor<4xi32>
    %at = "arith.addi"(%range, %s) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %xs = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<4x!tt.ptr<f32>>
    %p = "tt.addptr"(%xs, %at) : (tensor<4x!tt.ptr<f32>>, tensor<4xi32>) -> tensor<4x!tt.ptr<f32>>
    %ys = "tt.splat"(%y) : (!tt.ptr<f32>) -> tensor<4x!tt.ptr<f32>>
    %q = "tt.addptr"(%ys, %at) : (tensor<4x!tt.ptr<f32>>, tensor<4xi32>) -> tensor<4x!tt.ptr<f32>>)",
                     shift, shift + 4);
}

constexpr char kMask[] = R"(
    %limit = "arith.constant"() {value = dense<6> : tensor<4xi32>} : () -> tensor<4xi32>
    %mask = "arith.cmpi"(%at, %limit) {predicate = 2 : i64}
      : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>)";
constexpr char kDouble[] = R"(
    %w = "arith.addf"(%v, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)";
constexpr char kMaskedLoad[] = R"(
    %v = "tt.load"(%p, %mask) {operandSegmentSizes = array<i32: 1, 1, 0>}
      : (tensor<4x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<4xf32>)";
constexpr char kMaskedStore[] = R"(
    "tt.store"(%q, %w, %mask) : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xi1>) -> ())";
constexpr char kLoad[] = R"(
    %v = "tt.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>}
      : (tensor<4x!tt.ptr<f32>>) -> tensor<4xf32>)";
constexpr char kStore[] = R"(
    "tt.store"(%q, %w) : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> ())";

const Tensor& six() {
  static const Tensor numbers = tensor<float>(ElementType::kF32, {6}, {1, 2, 3, 4, 5, 6});
  return numbers;
}

TEST(TritonKernel, MaskedProgramsOfAGrid) {
  const auto result =
      call(places(0) + kMask + kMaskedLoad + kDouble + kMaskedStore, 2, 6, "f32", six());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(values<float>((*result)[0]), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(TritonKernel, AMaskThatIsMissingIsNamedWithItsArray) {
  const auto result = call(places(0) + kLoad + kDouble + kStore, 2, 6, "f32", six());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              AllOf(HasSubstr("tt.load"), HasSubstr("operand 0 has 24 bytes"),
                    HasSubstr("from 24 on"), HasSubstr("program (1, 0, 0)")));
}

// Seven elements of six.
TEST(TritonKernel, AMaskThatIsOffByOneIsNamedWithItsPlace) {
  std::string mask = kMask, load = kMaskedLoad;
  mask.replace(mask.find("dense<6>"), 8, "dense<7>");
  const auto result =
      call(places(0) + mask + load + R"( loc("mask.py":7:3))" + kDouble + kMaskedStore, 2, 6, "f32",
           six());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              AllOf(HasSubstr("operand 0 has 24 bytes"), HasSubstr("in the kernel at mask.py:7:3"),
                    HasSubstr("program (1, 0, 0)")));
}

TEST(TritonKernel, AWindowThatIsOffByOneIsSeen) {
  const auto before =
      call(places(-1) + kMask + kMaskedLoad + kDouble + kMaskedStore, 2, 6, "f32", six());
  ASSERT_FALSE(before);
  EXPECT_THAT(before.error().message, HasSubstr("from -4 on"));
  const auto behind =
      call(places(1) + kMask + kMaskedLoad + kDouble + kMaskedStore, 2, 6, "f32", six());
  ASSERT_FALSE(behind);
  EXPECT_THAT(behind.error().message, HasSubstr("result 0: the kernel never writes element 0"));
}

// Each program overwrites the same elements.
TEST(TritonKernel, AResultThatDependsOnTheOrderOfProgramsIsReported) {
  const std::string body = R"(
    %id = "tt.get_program_id"() {axis = 0 : i32} : () -> i32
    %v = "arith.sitofp"(%id) : (i32) -> f32
    "tt.store"(%y, %v) : (!tt.ptr<f32>, f32) -> () loc("order.py":4:2))";
  const Tensor one = tensor<float>(ElementType::kF32, {1}, {0});
  const auto result = call(body, 3, 1, "f32", one);
  ASSERT_FALSE(result);
  EXPECT_THAT(
      result.error().message,
      AllOf(HasSubstr("the order in which the 3 x 1 x 1 programs of the grid run: element [0] is "
                      "2, which program (2, 0, 0) at order.py:4:2 wrote last, or 0, which program "
                      "(0, 0, 0) at order.py:4:2 wrote last")));
}

constexpr char kAlias[] =
    "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
    "operand_index = 0, operand_tuple_indices = []>],";

TEST(TritonKernel, AtomicChangesAddUp) {
  const std::string body = R"(
    %one = "arith.constant"() {value = 2 : i32} : () -> i32
    %old = "tt.atomic_rmw"(%y, %one) {atomic_rmw_op = 4 : i32, sem = 4 : i32, scope = 1 : i32}
      : (!tt.ptr<i32>, i32) -> i32)";
  const auto result = call(body, 5, 1, "i32", tensor<int32_t>(ElementType::kI32, {1}, {7}), kAlias);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(values<int32_t>((*result)[0]), ElementsAre(17));
}

// JAX up to 0.10 wrote `fadd` for integers. A GPU would add their bits as if they were floats.
TEST(TritonKernel, AnAtomicChangeOfAnotherTypeIsNamed) {
  for (const auto& [number, message] :
       {std::pair(5, "an atomic fadd of i32 is not run here"), {11, "no atomic change 11"}}) {
    const std::string body = fmt::format(R"(
    %one = "arith.constant"() {{value = 2 : i32}} : () -> i32
    %old = "tt.atomic_rmw"(%y, %one) {{atomic_rmw_op = {} : i32, sem = 4 : i32, scope = 1 : i32}}
      : (!tt.ptr<i32>, i32) -> i32)",
                                         number);
    const auto result =
        call(body, 1, 1, "i32", tensor<int32_t>(ElementType::kI32, {1}, {7}), kAlias);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
}

TEST(TritonKernel, RegionsReduceAndScanWholeSlices) {
  const std::string body = places(0) + kLoad + R"(
    %t = "tt.expand_dims"(%v) {axis = 0 : i32} : (tensor<4xf32>) -> tensor<1x4xf32>
    %b = "tt.broadcast"(%t) : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %sums = "tt.reduce"(%b) ({ ^bb0(%l: f32, %r: f32):
      %z = "arith.constant"() {value = 1.0 : f32} : () -> f32
      %m = "arith.addf"(%l, %r) : (f32, f32) -> f32
      %n = "arith.mulf"(%m, %z) : (f32, f32) -> f32
      "tt.reduce.return"(%n) : (f32) -> () }) {axis = 0 : i32} : (tensor<2x4xf32>) -> tensor<4xf32>
    %w = "tt.scan"(%sums) ({ ^bb0(%l: f32, %r: f32):
      %m = "arith.addf"(%l, %r) : (f32, f32) -> f32
      "tt.scan.return"(%m) : (f32) -> () }) {axis = 0 : i32, reverse = true}
      : (tensor<4xf32>) -> tensor<4xf32>)" +
                           kStore;
  const auto result = call(body, 1, 4, "f32", tensor<float>(ElementType::kF32, {4}, {1, 2, 3, 4}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(values<float>((*result)[0]), ElementsAre(20, 18, 14, 8));
}

// TF32 has ten bits of the fraction: 1 + 2^-12 becomes 1 in a product, and stays in one by IEEE.
TEST(TritonKernel, ProductsRoundAsTheirPrecisionSays) {
  for (const bool exact : {false, true}) {
    const std::string body = places(0) + kLoad +
                             fmt::format(R"(
    %m = "tt.reshape"(%v) : (tensor<4xf32>) -> tensor<2x2xf32>
    %zero = "arith.constant"() {{value = dense<0.0> : tensor<2x2xf32>}} : () -> tensor<2x2xf32>
    %d = "tt.dot"(%m, %m, %zero) {{inputPrecision = {} : i32, maxNumImpreciseAcc = 0 : i32}}
      : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %w = "tt.reshape"(%d) : (tensor<2x2xf32>) -> tensor<4xf32>)",
                                         exact ? 2 : 0) +
                             kStore;
    const float near = 1 + 0x1p-12f;
    const auto result =
        call(body, 1, 4, "f32", tensor<float>(ElementType::kF32, {4}, {near, 0, 0, 2}));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(values<float>((*result)[0]), ElementsAre(exact ? near * near : 1.0f, 0, 0, 4));
  }
}

// A product by TF32 and a cast to f16, in a kernel that should keep 32 bits.
TEST(TritonKernel, APrecisionThatIsTooLowIsNamed) {
  const std::string body = places(0) + kLoad + R"(
    %m = "tt.reshape"(%v) : (tensor<4xf32>) -> tensor<2x2xf32>
    %zero = "arith.constant"() {value = dense<0.0> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %d = "tt.dot"(%m, %m, %zero) {inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}
      : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("dot.py":3:1)
    %h = "arith.truncf"(%d) : (tensor<2x2xf32>) -> tensor<2x2xf16> loc("dot.py":4:1)
    %f = "arith.extf"(%h) : (tensor<2x2xf16>) -> tensor<2x2xf32>
    %w = "tt.reshape"(%f) : (tensor<2x2xf32>) -> tensor<4xf32>)" +
                           kStore;
  const float near = 1 + 0x1p-12f;
  const WithoutRoundings trial([](size_t) { return true; });
  const auto result =
      call(body, 1, 4, "f32", tensor<float>(ElementType::kF32, {4}, {near, 0, 0, 2}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(values<float>((*result)[0]), ElementsAre(near * near, 0, 0, 4));
  EXPECT_THAT(trial.found(), ElementsAre("tt.dot at dot.py:3:1 takes its factors as tf32",
                                         "arith.truncf at dot.py:4:1 rounds to f16"));
}

TEST(TritonKernel, HostilePayloadsAreErrors) {
  EXPECT_FALSE(readTritonKernel(std::as_bytes(std::span("ML\xefR\x0d", 5)), "k"));
  EXPECT_FALSE(readTritonKernel({}, "k"));
  const auto endless = call(R"(
    %v = "scf.while"() ({ %t = "arith.constant"() {value = true} : () -> i1
      "scf.condition"(%t) : (i1) -> () }, { "scf.yield"() : () -> () }) : () -> i32)",
                            1, 1, "i32", tensor<int32_t>(ElementType::kI32, {1}, {0}));
  EXPECT_FALSE(endless);
  const auto large =
      call("", int64_t{1} << 30, 1, "i32", tensor<int32_t>(ElementType::kI32, {1}, {0}));
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("a grid of 1073741824 x 1 x 1"));
  const auto unknown = call(R"("tt.unheard_of"() : () -> ())", 1, 1, "i32",
                            tensor<int32_t>(ElementType::kI32, {1}, {0}));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("tt.unheard_of"));
}

}  // namespace
}  // namespace vintage::tests::engine_test
