// Reading Mosaic kernels: their versions, their attributes and damaged ones.
#include "golden/kernels/kernel_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace golden;
using testing::HasSubstr;

namespace {

Result<ModuleTree> read(std::string_view text) {
  return readMosaicKernel(std::as_bytes(std::span(text)), "kernel");
}

// A kernel with one operation of this version.
std::string versioned(int version, const std::string& operation) {
  return R"("builtin.module"() ({
  "stable_mosaic.func.func"() ({
  ^bb0(%a: memref<8x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>, %s: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>):
    )" + operation +
         R"(
    "stable_mosaic.func.return"() : () -> ()
  }) {function_type = (memref<8x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> (), sym_name = "k", scalar_prefetch = 0 : i64} : () -> ()
}) {stable_mosaic.version = )" +
         std::to_string(version) + " : i64} : () -> ()";
}

const Operation& firstOf(const ModuleTree& tree) {
  return tree.functions.at(0).body.blocks.at(0).operations.at(0);
}

const std::string kCopy =
    R"("stable_mosaic.tpu.enqueue_dma"(%a, %a, %s) : (memref<8x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>, memref<8x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ())";

TEST(ReadMosaicKernel, TypesAndAttributesComeWithTheirText) {
  const auto tree = read(versioned(1, kCopy));
  ASSERT_TRUE(tree) << tree.error().message;
  const Function& function = tree->functions.at(0);
  EXPECT_EQ(function.name, "k");
  EXPECT_EQ(function.argumentTypes.at(0).kind, ValueType::Kind::kBuffer);
  EXPECT_EQ(function.argumentTypes.at(0).shape, (Shape{8, 128}));
  EXPECT_THAT(function.argumentTypes.at(0).text, HasSubstr("#tpu.memory_space<vmem>"));
  EXPECT_THAT(function.argumentTypes.at(1).text, HasSubstr("!tpu.dma_semaphore"));
  EXPECT_EQ(firstOf(*tree).name, "tpu.enqueue_dma");
  EXPECT_TRUE(std::get<AttributeMap>(tree->attributes.at("@k").value).contains("scalar_prefetch"));
}

// Until version 2 a copy had no groups of operands; later ones added the core and the subcore.
TEST(ReadMosaicKernel, OperandsComeInTheGroupsOfTheNewestVersion) {
  const auto tree = read(versioned(1, kCopy));
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(firstOf(*tree).attributes.at("operandSegmentSizes"),
            Attribute(std::vector<int64_t>{1, 0, 1, 1, 0, 0, 0}));
}

// The old wait takes the semaphore first, and what it waits for second.
TEST(ReadMosaicKernel, AWaitOfTheFirstVersionIsOneForATarget) {
  const auto tree = read(versioned(
      1,
      R"("stable_mosaic.tpu.wait_dma"(%s, %a) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>) -> ())"));
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(firstOf(*tree).operands, (std::vector<ValueId>{0, 1}));
  EXPECT_EQ(firstOf(*tree).attributes.at("operandSegmentSizes"),
            Attribute(std::vector<int64_t>{0, 0, 1, 1, 0, 0, 0}));
}

TEST(ReadMosaicKernel, OneDimensionIsAListSinceVersionSix) {
  const std::string iota =
      R"(%0 = "stable_mosaic.tpu.iota"() {dimension = 1 : i32} : () -> vector<8x128xi32>)";
  const auto tree = read(versioned(5, iota));
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(firstOf(*tree).attributes.at("dimensions"), Attribute(std::vector<int64_t>{1}));
}

TEST(ReadMosaicKernel, ALaterVersionIsNotSupported) {
  const auto tree = read(versioned(99, kCopy));
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(tree.error().message, HasSubstr("has version 99 of serialized Mosaic"));
}

TEST(ReadMosaicKernel, AnOperationThatDoesNotFitItsVersionIsAnError) {
  const auto tree = read(versioned(1, R"("stable_mosaic.tpu.enqueue_dma"() : () -> ())"));
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().message, HasSubstr("tpu.enqueue_dma has 0 operands"));
}

TEST(ReadMosaicKernel, DamagedTextAndForeignBytesAreErrors) {
  const std::string whole = versioned(1, kCopy);
  for (size_t size : {size_t{0}, size_t{10}, whole.size() / 2, whole.size() - 10}) {
    const auto tree = read(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(tree) << size;
    EXPECT_EQ(tree.error().kind, Error::Kind::kBadInput);
  }
  for (std::string_view bytes : {"ML\xefR", "ML\xefR\x01", "ML\xefR\x01x\0\x01\x01"}) {
    const auto tree = read(bytes);
    ASSERT_FALSE(tree);
    EXPECT_THAT(tree.error().message, HasSubstr("kernel cannot be read"));
  }
}

}  // namespace
}  // namespace vintage::tests
