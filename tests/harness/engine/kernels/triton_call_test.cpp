// jax-triton's calls: a kernel's text and numbers in a compressed protocol buffer.
#include <zlib.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/kernels/kernel_facts.h"
#include "golden/kernels/kernel_reader.h"
#include "golden/module/triton_payload.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::triton_call_test {
using namespace engine_test;
using namespace golden;
using namespace harness;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
std::string field(int number, const std::string& content) {
  return varint(static_cast<uint64_t>(number) << 3 | 2) + varint(content.size()) + content;
}
std::string field(int number, uint64_t value) {
  return varint(static_cast<uint64_t>(number) << 3) + varint(value);
}

std::string compressed(const std::string& message) {
  uLongf size = compressBound(message.size());
  std::string bytes(size, '\0');
  compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
           reinterpret_cast<const Bytef*>(message.data()), message.size());
  bytes.resize(size);
  return bytes;
}

// A kernel of two pointers and a number, over a grid of two programs.
std::string payload(const std::string& ttir) {
  const std::string kernel = field(1, "k") + field(2, 4) + field(4, ".version 8.0") +
                             (ttir.empty() ? "" : field(5, ttir)) + field(6, 90);
  const std::string array = field(5, field(1, std::string()));
  return compressed(field(1, field(1, kernel) + field(2, 2) + field(3, 1) + field(4, 1) + array +
                                 array + field(5, field(3, 7))) +
                    field(4, "user's name"));
}

// Each program adds %n to its element.
constexpr const char* kAdds = R"("builtin.module"() ({ "tt.func"() ({
^bb0(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32):
  %id = "tt.get_program_id"() {axis = 0 : i32} : () -> i32
  %p = "tt.addptr"(%x, %id) : (!tt.ptr<i32>, i32) -> !tt.ptr<i32>
  %q = "tt.addptr"(%y, %id) : (!tt.ptr<i32>, i32) -> !tt.ptr<i32>
  %v = "tt.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tt.ptr<i32>) -> i32
  %w = "arith.addi"(%v, %n) : (i32, i32) -> i32
  "tt.store"(%q, %w) : (!tt.ptr<i32>, i32) -> ()
  "tt.return"() : () -> ()
}) {function_type = (!tt.ptr<i32>, !tt.ptr<i32>, i32) -> (), sym_name = "k"} : () -> ()
}) : () -> ())";

std::string quoted(const std::string& bytes) {
  std::string text;
  for (const unsigned char c : bytes) text += fmt::format("\\{:02X}", c);
  return text;
}

Result<std::vector<Tensor>> call(const std::string& opaque, const std::string& target) {
  readKernelsWith({.mosaic = readMosaicKernel, .triton = readTritonKernel});
  const bool isNew = target.ends_with("_ffi");
  return run(fmt::format(
                 R"(func.func public @main(%a: tensor<2xi32>) -> tensor<2xi32> {{
    %r = stablehlo.custom_call @{}(%a) {{api_version = {} : i32, {}}}
      : (tensor<2xi32>) -> tensor<2xi32>
    return %r : tensor<2xi32> }})",
                 target, isNew ? 4 : 2,
                 isNew ? fmt::format("mhlo.backend_config = {{opaque = \"{}\"}}", quoted(opaque))
                       : fmt::format("backend_config = \"{}\"", quoted(opaque))),
             {tensor<int32_t>(ElementType::kI32, {2}, {1, 2})});
}

TEST(TritonCall, RunsTheTextBesideACompiledKernel) {
  for (const char* target : {"triton_kernel_call", "triton_kernel_call_ffi"}) {
    const auto results = call(payload(kAdds), target);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_THAT(values<int32_t>(results->front()), ElementsAre(8, 9));
  }
}

TEST(TritonCall, ACompiledKernelAloneIsUnsupported) {
  const auto results = call(payload(""), "triton_kernel_call");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(
      results.error().message,
      HasSubstr("the kernel k comes only as a compiler made it for a GPU of capability 90"));
}

// Modules as Triton's compiler prints them; this one has loops, choices, and folds by a function.
std::string loops() {
  return fileText(VINTAGE_SOURCE "/tests/fuzz/corpus/kernels/triton_syntax.mlir");
}

// (1 + 2) three times, and 0, 1 and 2; the second program adds 7; doubled three times.
TEST(TritonCall, RunsTritonsOwnSyntax) {
  std::string text = loops();
  EXPECT_THAT(call(payload(text), "triton_kernel_call").error().message,
              AllOf(HasSubstr("the first"), HasSubstr("program (1, 0, 0)")));
  text.erase(text.find("    tt.assert"), 39);
  const auto results = call(payload(text), "triton_kernel_call");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int32_t>(results->front()), ElementsAre(96, 152));
}

constexpr const char* kFloats = R"(module {
  tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
    %id = tt.get_program_id x : i32
    %all = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
    %p = tt.addptr %xs, %all : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
    %v = tt.load %p : tensor<2x!tt.ptr<i32>>
    %f = arith.sitofp %v : tensor<2xi32> to tensor<2xf32>
    %m = tt.reshape %f : tensor<2xf32> -> tensor<2x1xf32>
    %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<2x1xf32> -> tensor<1x2xf32>
    %half = arith.constant dense<5.000000e-01> : tensor<1x1xf32>
    %d = tt.dot %t, %m, %half, inputPrecision = ieee : tensor<1x2xf32> * tensor<2x1xf32> -> tensor<1x1xf32>
    %h = arith.truncf %d : tensor<1x1xf32> to tensor<1x1xf16>
    %g = arith.extf %h : tensor<1x1xf16> to tensor<1x1xf32>
    %five = arith.constant dense<5.000000e+00> : tensor<1x1xf32>
    %large = arith.cmpf ogt, %g, %five fastmath<nnan,ninf> : tensor<1x1xf32>
    %more = arith.select %large, %g, %five : tensor<1x1xi1>, tensor<1x1xf32>
    %power = math.exp2 %five : tensor<1x1xf32>
    %sum = arith.addf %more, %power : tensor<1x1xf32>
    %least = tt.clampf %sum, %half, %sum, propagateNan = none : tensor<1x1xf32>
    %i = arith.fptosi %least : tensor<1x1xf32> to tensor<1x1xi32>
    %q = tt.addptr %y, %id : !tt.ptr<i32>, i32
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<1x1x!tt.ptr<i32>>
    tt.store %qs, %i : tensor<1x1x!tt.ptr<i32>>
    %true = arith.constant true
    %old = tt.atomic_rmw add, acq_rel, gpu, %q, %n, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
})";

// 1 + 4 + 0.5 and 2^5 in whole numbers, and 7.
TEST(TritonCall, RunsFloatsOfTritonsOwnSyntax) {
  const auto results = call(payload(kFloats), "triton_kernel_call_ffi");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int32_t>(results->front()), ElementsAre(44, 44));
}

// Triton writes a return in the middle as branches between blocks.
TEST(TritonCall, RunsBranchesOfTritonsOwnSyntax) {
  const auto results = call(payload(R"(module {
  tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
    %id = tt.get_program_id x : i32
    %c0 = arith.constant 0 : i32
    %q = tt.addptr %y, %id : !tt.ptr<i32>, i32
    tt.store %q, %n : !tt.ptr<i32>
    %first = arith.cmpi eq, %id, %c0 : i32
    cf.cond_br %first, ^bb1, ^bb2(%id : i32)
  ^bb1:  // pred: ^bb0
    tt.return
  ^bb2(%number: i32):  // pred: ^bb0
    %more = arith.addi %n, %number : i32
    cf.br ^bb3
  ^bb3:  // pred: ^bb2
    tt.store %q, %more : !tt.ptr<i32>
    tt.return
  }
})"),
                            "triton_kernel_call");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(values<int32_t>(results->front()), ElementsAre(7, 8));
}

TEST(TritonCall, AnOperationThatNobodyKnowsIsUnsupported) {
  std::string text = kFloats;
  text.insert(text.find("    %id"), "    tt.conquer %n : i32\n");
  const auto results = call(payload(text), "triton_kernel_call");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(results.error().message, HasSubstr("tt.conquer"));
}

// Each way of cutting a kernel's text is an error that names the kernel.
TEST(TritonCall, TruncatedTextIsAnError) {
  const std::string text = loops();
  for (size_t size = 0; size + 4 < text.size(); size += 29) {
    const auto read = readTritonKernel(std::as_bytes(std::span(text).first(size)), "cut");
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr("cut")) << size;
  }
}

TEST(TritonCall, DamagedPayloadsAreErrors) {
  const std::string whole = payload(kAdds);
  for (size_t size = 0; size < whole.size(); size += 7) {
    const auto read = tritonPayload(whole.substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr("cut off"));
  }
  EXPECT_THAT(tritonPayload("no compression").error().message, HasSubstr("zlib"));
  EXPECT_THAT(tritonPayload(compressed("\x0a\x7f")).error().message,
              HasSubstr("127 bytes are announced"));
  // 65 MiB of zeros take 65 kB.
  EXPECT_EQ(tritonPayload(compressed(std::string(65 << 20, '\0'))).error().kind,
            Error::Kind::kResource);
}

TEST(TritonCall, ExplainNamesItsForm) {
  Operation operation;
  operation.attributes.emplace("call_target_name", Attribute(std::string("triton_kernel_call")));
  const auto text = [&](const std::string& opaque) {
    operation.attributes.insert_or_assign("backend_config", Attribute(opaque));
    const auto facts = kernelFacts(operation);
    return facts && *facts ? kernelText(**facts) : "no facts";
  };
  EXPECT_EQ(text(payload(kAdds)), "Triton, text beside a compiled kernel, for architecture 9.0");
  EXPECT_EQ(text(payload("")),
            "Triton, a compiled kernel alone, for architecture 9.0; it is not executed here");
}

}  // namespace
}  // namespace vintage::tests::triton_call_test
