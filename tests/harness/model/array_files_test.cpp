// Arrays in the files of NumPy and of safetensors. numpy.npz and named.npz were written by NumPy
// itself: savez(int32 [1, -2, 3], 0.1, complex64 [[1+2j, 3], [4, 5j]] in Fortran order,
// [True, False]) and savez_compressed(weight=float16 ones (2, 2), bias=uint8 zeros 3).
#include "harness/model/array_files.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/tensor/npy.h"
#include "tests/archive/store/sample.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = fs::path(__FILE__).parent_path();

class ArrayFiles : public FolderTest {
 protected:
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static Result<std::vector<Tensor>> read(const std::string& file,
                                          const std::vector<ElementType>& types) {
    return readArrayFiles(std::span(&file, 1), types, "inputs");
  }
};

// A header of this text, then eight bytes of elements.
std::string safetensors(const std::string& header) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  return file + header + std::string("\x01\x00\x02\x00\x03\x00\x80\x3f", 8);
}

TEST_F(ArrayFiles, ReadsWhatNumPyWrote) {
  const auto read = this->read(kFolder / "numpy.npz", {ElementType::kI32, ElementType::kF64,
                                                       ElementType::kC64, ElementType::kI1});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT((*read)[0].values<int32_t>(), ElementsAre(1, -2, 3));
  EXPECT_THAT((*read)[1].values<double>(), ElementsAre(0.1));
  EXPECT_EQ((*read)[1].shape(), Shape{});
  // Row by row, whatever the order in the file.
  const auto* parts = reinterpret_cast<const float*>((*read)[2].bytes().data());
  EXPECT_THAT(std::vector<float>(parts, parts + 8), ElementsAre(1, 2, 3, 0, 4, 0, 0, 5));
  EXPECT_THAT((*read)[3].values<uint8_t>(), ElementsAre(1, 0));
}

TEST_F(ArrayFiles, TakesNamedArraysInTheOrderInWhichTheyLie) {
  const auto read = this->read(kFolder / "named.npz", {ElementType::kF16, ElementType::kUi8});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0].shape(), (Shape{2, 2}));
  EXPECT_EQ((*read)[1].shape(), (Shape{3}));
}

TEST_F(ArrayFiles, ReadsSafetensorsByTheOrderOfTheirElements) {
  const std::string file = write(
      "x.safetensors",
      safetensors(
          R"({"z":{"dtype":"U16","shape":[3],"data_offsets":[0,6]},)"
          R"("a":{"dtype":"BF16","shape":[],"data_offsets":[6,8]},"__metadata__":{"k":"v"}})"));
  const auto read = this->read(file, {ElementType::kUi16, ElementType::kBF16});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT((*read)[0].values<uint16_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT((*read)[1].values<uint16_t>(), ElementsAre(0x3f80));
}

TEST_F(ArrayFiles, SaysWhatIsWrongWithSafetensors) {
  const auto message = [&](const std::string& content) {
    const auto read = this->read(write("x.safetensors", content), {ElementType::kUi16});
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(message("abc"), HasSubstr("x.safetensors: its header is cut off"));
  EXPECT_THAT(message(safetensors("[]")), HasSubstr("no JSON object"));
  EXPECT_THAT(message(safetensors(R"({"z":{"dtype":"U16"}})")), HasSubstr("malformed"));
  EXPECT_THAT(message(safetensors(R"({"z":{"dtype":"Q4","shape":[1],"data_offsets":[0,2]}})")),
              HasSubstr("'z' is of the type Q4"));
  EXPECT_THAT(message(safetensors(R"({"z":{"dtype":"U16","shape":[9],"data_offsets":[0,18]}})")),
              HasSubstr("'z' lie beyond its end"));
  EXPECT_THAT(message(safetensors(R"({"z":{"dtype":"U16","shape":[2],"data_offsets":[0,8]}})")),
              HasSubstr("'z'"));
}

TEST_F(ArrayFiles, CountsAndTypesAreTheProgramsOwn) {
  const std::string file = kFolder / "named.npz";
  EXPECT_THAT(read(file, {ElementType::kF16}).error().message,
              HasSubstr("named.npz: 2 arrays as inputs; the program has 1"));
  const auto missing = read(kFolder / "none.npz", {ElementType::kF32});
  EXPECT_EQ(missing.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(missing.error().message, HasSubstr("none.npz: there is no such file"));
  EXPECT_THAT(read(file, {ElementType::kF32, ElementType::kUi8}).error().message,
              HasSubstr("'weight'"));
  EXPECT_THAT(read(write("x.csv", "1,2"), {ElementType::kF32}).error().message,
              HasSubstr(".npy, .npz and .safetensors"));
}

// Also bf16 and similar types, which have no name in NumPy's files.
TEST_F(ArrayFiles, EveryTypeSurvives) {
  std::vector<Tensor> tensors;
  std::vector<ElementType> types;
  for (int i = 0; i < kElementTypeCount; ++i) {
    Tensor tensor(static_cast<ElementType>(i), Shape{2, 3});
    auto bytes = tensor.mutableBytes();
    for (size_t b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<std::byte>(b % 2);
    types.push_back(tensor.type());
    tensors.push_back(std::move(tensor));
  }
  const std::string file = path("all.npz");
  ASSERT_TRUE(writeNpz(file, tensors));
  const auto read = this->read(file, types);
  ASSERT_TRUE(read) << read.error().message;
  for (size_t i = 0; i < types.size(); ++i)
    EXPECT_TRUE((*read)[i].identical(tensors[i])) << dtypeName(types[i]);
}

TEST_F(ArrayFiles, TheSameArraysAreTheSameBytes) {
  const std::vector<Tensor> tensors(11, Tensor(ElementType::kF32, Shape{100}));
  ASSERT_TRUE(writeNpz(path("a.npz"), tensors));
  ASSERT_TRUE(writeNpz(path("b.npz"), tensors));
  EXPECT_EQ(fileText(path("a.npz")), fileText(path("b.npz")));
}

TEST_F(ArrayFiles, AFileThatIsCutOffIsOneError) {
  const std::string whole = fileText(kFolder / "numpy.npz");
  for (size_t length = 0; length < whole.size(); length += 7) {
    const std::string file = write("cut.npz", whole.substr(0, length));
    const auto read = this->read(
        file, {ElementType::kI32, ElementType::kF64, ElementType::kC64, ElementType::kI1});
    ASSERT_FALSE(read) << length;
    EXPECT_THAT(read.error().message, HasSubstr("cut.npz"));
  }
}

}  // namespace
}  // namespace vintage::tests
