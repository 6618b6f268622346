// An array<…> of the builtin dialect in a portable artifact, as JAX writes one into the attributes
// of a composite. Readers rejected every artifact with one.
#include <algorithm>

#include <gmock/gmock.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

constexpr char kText[] = R"(module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "lib.scan" %arg0 {
        composite_attributes = {sizes = array<i32: 1, -2>}, decomposition = @f}
      : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
})";

class DenseArray : public testing::Test {
 protected:
  void SetUp() override {
    auto program = context_.parseText(kText, "text");
    ASSERT_TRUE(program) << program.error().message;
    auto bytes = program->writePortableArtifact({1, 0, 0});
    ASSERT_TRUE(bytes) << bytes.error().message;
    bytes_ = *bytes;
    // Attribute 17 of some type, 2 elements, 8 bytes: each number as 2 n + 1.
    constexpr unsigned char kEntry[] = {0x05, 0x11, 1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF};
    const auto found = std::ranges::search(bytes_, std::as_bytes(std::span(kEntry)));
    ASSERT_FALSE(found.empty());
    count_ = static_cast<size_t>(found.begin() - bytes_.begin());
    ASSERT_EQ(bytes_[count_ - 2], std::byte{2 * 17 + 1});
  }

  Result<std::string> read(const std::vector<std::byte>& bytes) {
    ASSIGN_OR_RETURN(auto program, context_.readPortableArtifact(bytes, "bytes"));
    return program.print({});
  }

  ProgramContext context_;
  std::vector<std::byte> bytes_;
  size_t count_ = 0;  // Where the number of elements stands; the type is before it.
};

TEST_F(DenseArray, IsRead) {
  auto text = read(bytes_);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("sizes = array<i32: 1, -2>"));
}

TEST_F(DenseArray, AWrongNumberOfElementsIsAnError) {
  for (const int count : {0, 1, 3, 8, 100}) {
    bytes_[count_] = static_cast<std::byte>(2 * count + 1);
    auto text = read(bytes_);
    ASSERT_FALSE(text) << count;
    EXPECT_EQ(text.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(text.error().message, HasSubstr("array<"));
  }
}

// MLIR makes an array of any type, and ends the process when it prints one that holds neither
// integers nor floats.
TEST_F(DenseArray, ElementsOfAnyOtherTypeAreAnError) {
  const std::byte own = bytes_[count_ - 1];
  for (int type = 0; type < 64; ++type) {
    bytes_[count_ - 1] = static_cast<std::byte>(2 * type + 1);
    auto text = read(bytes_);
    if (bytes_[count_ - 1] == own) {
      EXPECT_TRUE(text);
    } else {
      ASSERT_FALSE(text) << type;
      EXPECT_EQ(text.error().kind, Error::Kind::kBadInput);
    }
  }
}

}  // namespace
}  // namespace vintage::tests
