#include "golden/tensor/npy.h"

#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/tensor/print.h"
#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

// A file as NumPy lays it out, from its parts.
std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>(dictionary.size() >> (8 * i));
  return file + dictionary + data;
}

Result<Tensor> read(const std::string& file, std::optional<ElementType> expected = std::nullopt) {
  return readNpy(std::as_bytes(std::span(file)), "a.npy", expected);
}

TEST(Npy, EveryTypeRoundTrips) {
  std::mt19937 random(2);
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 0}, Shape{3, 4, 2}}) {
      Tensor tensor(type, shape);
      visitElementType(type, [&]<typename T>() {
        for (T& value : tensor.mutableValues<T>()) value = T(static_cast<int>(random() % 2));
      });
      const auto again = readNpy(writeNpy(tensor), "a.npy", type);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_TRUE(again->identical(tensor)) << dtypeName(type);
    }
  }
}

// numpy.save of np.array([[1.5, -2]], '<f4').
TEST(Npy, WritesWhatNumpyWrites) {
  Tensor tensor(ElementType::kF32, {1, 2});
  tensor.mutableValues<float>()[0] = 1.5f;
  tensor.mutableValues<float>()[1] = -2;
  const std::vector<std::byte> bytes = writeNpy(tensor);
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  dictionary.resize(128 - 10 - 1, ' ');
  dictionary += '\n';
  const std::string expected = npy(dictionary, std::string("\0\0\xC0\x3F\0\0\0\xC0", 8));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

TEST(Npy, ReadsBigEndianAndFortranOrder) {
  const auto big = read(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}",
                            std::string("\x01\x02\xFF\xFE", 4)));
  ASSERT_TRUE(big) << big.error().message;
  EXPECT_EQ(formatTensor(*big), "[258, -2]");
  // A column at a time: [[1, 3, 5], [2, 4, 6]].
  const auto fortran =
      read(npy("{'shape': (2, 3L), 'fortran_order': True, \"descr\": '|u1'}", "\1\2\3\4\5\6", 2));
  ASSERT_TRUE(fortran) << fortran.error().message;
  EXPECT_EQ(formatTensor(*fortran), "[[1, 3, 5], [2, 4, 6]]");
  const auto complex = read(npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}",
                                std::string("\x3F\x80\0\0\xC0\0\0\0", 8), 3));
  ASSERT_TRUE(complex) << complex.error().message;
  EXPECT_EQ(formatTensor(*complex), "(1,-2)");
}

TEST(Npy, RawBytesNeedTheirType) {
  const std::string file =
      npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", std::string("\x80\x3F", 2));
  EXPECT_THAT(read(file).error().message, HasSubstr("say which element type"));
  EXPECT_EQ(formatTensor(*read(file, ElementType::kBF16)), "[1]");
  EXPECT_FALSE(read(file, ElementType::kF8E5M2));
  EXPECT_FALSE(read(file, ElementType::kF16));
  const std::string narrow =
      npy("{'descr': '<f1', 'fortran_order': False, 'shape': (1,), }", "\x38");
  EXPECT_EQ(formatTensor(*read(narrow, ElementType::kF8E4M3FN)), "[1]");
  // The upper bits of an int4 are ignored.
  const std::string four = npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\x7F");
  EXPECT_EQ(formatTensor(*read(four, ElementType::kI4)), "[-1]");
}

TEST(Npy, SaysWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "NUMPY"},
      {"PK\3\4", "NUMPY"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234"), "4 bytes"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "12345678"), "8 bytes"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ""), "dimensions"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", ""),
       "dimensions"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", ""),
       "more elements than can be counted"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4611686018427387904, 8)}", ""),
       "more elements than can be counted"},
      {npy("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "1234"), "True or False"},
      {npy("{'descr': '<f4', 'shape': ()}", "1234"), "lacks 'fortran_order'"},
      {npy("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "1234"), "'descr'"},
      {npy("{'descr': '<U4', 'fortran_order': False, 'shape': ()}", ""), "'<U4'"},
      {npy("{'descr': '<f16', 'fortran_order': False, 'shape': (0,)}", ""), "16 bytes"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", ""), "records"},
      {npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\2"), "element 1"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "1234"), "end of the header"},
      {npy("", "", 9), "version 9.0"},
  };
  for (const auto& [file, expected] : cases) {
    const auto tensor = read(file);
    ASSERT_FALSE(tensor) << expected;
    EXPECT_THAT(tensor.error().message, HasSubstr("a.npy: "));
    EXPECT_THAT(tensor.error().message, HasSubstr(expected));
  }
}

TEST(Npy, FortranOrderOfAnEmptyArrayWithHugeDimensions) {
  const auto tensor =
      read(npy("{'descr': '<f4', 'fortran_order': True, "
               "'shape': (0, 4611686018427387904, 4611686018427387904)}",
               ""));
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->size(), 0);
}

TEST(Npy, SurvivesTruncationAndFlippedBits) {
  const std::vector<std::byte> bytes = writeNpy(Tensor(ElementType::kC64, {3, 2}));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(readNpy(std::span(bytes).first(length), "short")) << length;
  std::mt19937 random(4);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int flips = 0; flips < 2; ++flips)
      damaged[random() % damaged.size()] ^= static_cast<std::byte>(1u << random() % 8);
    const auto tensor = readNpy(damaged, "damaged");
    if (tensor) EXPECT_TRUE(readNpy(writeNpy(*tensor), "again")->identical(*tensor));
  }
}

}  // namespace
}  // namespace vintage::tests
