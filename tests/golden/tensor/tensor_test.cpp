#include "golden/tensor/tensor.h"

#include <gmock/gmock.h>

#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"
#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

TEST(Tensor, DefaultIsTheScalarFalse) {
  Tensor tensor;
  EXPECT_EQ(tensor.type(), ElementType::kI1);
  EXPECT_EQ(tensor.size(), 1);
  EXPECT_EQ(tensor.bytes()[0], std::byte{0});
  tensor.mutableBytes()[0] = std::byte{1};
  EXPECT_EQ(Tensor().bytes()[0], std::byte{0});
}

TEST(Tensor, CopiesShareUntilOneIsWritten) {
  Tensor a(ElementType::kI32, {3});
  a.mutableValues<int32_t>()[1] = 7;
  Tensor b = a;
  EXPECT_EQ(a.bytes().data(), b.bytes().data());
  b.mutableValues<int32_t>()[1] = 8;
  EXPECT_EQ(a.values<int32_t>()[1], 7);
  const std::byte* before = b.bytes().data();
  EXPECT_EQ(b.mutableBytes().data(), before);  // Nobody shares it any more.
  const Tensor c = std::move(a);
  EXPECT_EQ(c.values<int32_t>()[1], 7);
  EXPECT_EQ(a.size(), 1);  // NOLINT: a moved-from Tensor is the scalar false.
  EXPECT_EQ(a.bytes().size(), 1u);
}

TEST(Tensor, SizesAreChecked) {
  EXPECT_FALSE(Tensor::make(ElementType::kF64, {int64_t{1} << 40, int64_t{1} << 40}));
  EXPECT_FALSE(Tensor::make(ElementType::kF64, {int64_t{1} << 60, 4}));
  EXPECT_FALSE(Tensor::make(ElementType::kF64, {INT64_MAX}));
  EXPECT_TRUE(Tensor::make(ElementType::kF64, {INT64_MAX, INT64_MAX, 0}));
  const auto negative = Tensor::make(ElementType::kF32, {2, -1});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(negative.error().message, HasSubstr("f32[2,-1]"));
  const auto large = Tensor::make(ElementType::kF32, {100}, 399);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, Error::Kind::kResource);
  EXPECT_TRUE(Tensor::make(ElementType::kF32, {100}, 400));
}

TEST(Tensor, BuffersAreAlignedAndZero) {
  for (const int64_t count : {0, 1, 15, 16, 17, 1000, 100000}) {
    const Tensor tensor(ElementType::kF32, {count});
    const auto address = reinterpret_cast<uintptr_t>(tensor.bytes().data());
    EXPECT_EQ(address % (count >= 16 ? 64 : 16), 0u) << count;
    for (const float value : tensor.values<float>()) ASSERT_EQ(value, 0);
  }
}

// A view reads its owner's memory, never writes it, and gives it back once.
TEST(Tensor, ViewsAreCopiedBeforeTheyAreWritten) {
  alignas(Tensor::kAlignment) float owned[2] = {1, 2};
  int released = 0;
  {
    auto view = Tensor::view(ElementType::kF32, {2}, reinterpret_cast<const std::byte*>(owned),
                             [&] { ++released; });
    ASSERT_TRUE(view);
    owned[0] = 3;
    EXPECT_EQ(view->values<float>()[0], 3);
    EXPECT_FALSE(view->unshared());
    Tensor other = *view;
    view->mutableValues<float>()[0] = 4;
    EXPECT_EQ(owned[0], 3);
    EXPECT_EQ(other.values<float>()[0], 3);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(Tensor::view(ElementType::kF32, {-1}, nullptr, [&] { ++released; }));
  EXPECT_EQ(released, 1);
}

TEST(Tensor, FromBytesAndReshaped) {
  const std::byte bytes[12] = {};
  EXPECT_TRUE(Tensor::fromBytes(ElementType::kF32, {3}, bytes));
  EXPECT_FALSE(Tensor::fromBytes(ElementType::kF32, {4}, bytes));
  EXPECT_FALSE(Tensor::fromBytes(ElementType::kF64, {1}, bytes));
  EXPECT_FALSE(Tensor::fromBytes(ElementType::kF32, {int64_t{1} << 62, 4}, {}));
  const Tensor tensor(ElementType::kI8, {2, 6});
  EXPECT_EQ(tensor.reshaped({3, 4})->bytes().data(), tensor.bytes().data());
  EXPECT_FALSE(tensor.reshaped({5}));
  EXPECT_FALSE(tensor.reshaped({-3, -4}));
}

TEST(ElementTypes, NamesReadBack) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parseStablehloName(stablehloName(type)), type);
    EXPECT_EQ(parseDtypeName(dtypeName(type)), type);
    const int classes = isPredicate(type) + isInteger(type) + isFloat(type) + isComplex(type);
    EXPECT_EQ(classes, 1);
    visitElementType(type, [&]<typename T>() {
      EXPECT_EQ(sizeof(T), byteWidth(type));
      EXPECT_EQ(kElementTypeOf<T>, type);
    });
  }
  EXPECT_EQ(parseStablehloName("f31"), std::nullopt);
  EXPECT_EQ(describe(ElementType::kC64, Shape{2, -1}), "c64[2,?]");
}

template <typename T>
Tensor vectorOf(const std::vector<T>& values) {
  Tensor tensor(kElementTypeOf<T>, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.mutableValues<T>().begin());
  return tensor;
}

TEST(Print, ShortestThatReadsBack) {
  EXPECT_EQ(formatTensor(vectorOf<float>({0.1f, 1e30f, -0.0f, NAN, -INFINITY})),
            "[0.1, 1e+30, -0, nan, -inf]");
  EXPECT_EQ(formatTensor(vectorOf<double>({0.1, 1.0 / 3})), "[0.1, 0.3333333333333333]");
  EXPECT_EQ(formatTensor(vectorOf<BFloat16>({BFloat16(0.1f), BFloat16(257)})), "[0.1, 256]");
  EXPECT_EQ(formatTensor(vectorOf<int8_t>({-128, 5})), "[-128, 5]");
  EXPECT_EQ(formatTensor(vectorOf<Int4>({-8, 7})), "[-8, 7]");
  EXPECT_EQ(formatTensor(vectorOf<Predicate>({true, false})), "[true, false]");
  EXPECT_EQ(formatTensor(vectorOf<std::complex<float>>({{1, -2.5}})), "[(1,-2.5)]");
  EXPECT_EQ(formatTensor(*vectorOf<int32_t>({1, 2, 3, 4}).reshaped({2, 2})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(formatTensor(Tensor(ElementType::kF32, {})), "0");
  EXPECT_EQ(formatTensor(Tensor(ElementType::kF32, {2, 0})), "[]");
  EXPECT_EQ(formatTensor(vectorOf<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}), 5),
            "[1, 2, 3, …, 7, 8, 9]");
  EXPECT_EQ(formatIndex(Shape{2, 3}, 4), "[1, 1]");
  EXPECT_EQ(formatIndex(Shape{}, 0), "[]");
}

TEST(Ulps, CountTheNumbersBetween) {
  EXPECT_EQ(ulpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(ulpDistance(0.0f, -0.0f), 0);
  EXPECT_EQ(ulpDistance(std::numeric_limits<float>::denorm_min(),
                        -std::numeric_limits<float>::denorm_min()),
            2);
  EXPECT_EQ(ulpDistance(1.0, 2.0), int64_t{1} << 52);
  EXPECT_EQ(ulpDistance(-1.0, -1.0), 0);
  EXPECT_EQ(ulpDistance(std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()),
            kFarApart);
  // The distance of -2 and 2 is 2^63, one more than fits: it came out negative, and so as a pass.
  EXPECT_EQ(ulpDistance(-2.0, 2.0), kFarApart);
  EXPECT_EQ(ulpDistance(2.0, -2.0), kFarApart);
  EXPECT_EQ(ulpDistance(double{NAN}, double{NAN}), 0);
  EXPECT_EQ(ulpDistance(double{NAN}, 1.0), kFarApart);
  EXPECT_EQ(ulpDistance(HUGE_VAL, std::numeric_limits<double>::max()), kFarApart);
  EXPECT_EQ(ulpDistance(HUGE_VAL, HUGE_VAL), 0);
  EXPECT_EQ(ulpDistance(BFloat16(1.0f), BFloat16(-1.0f)), 2 * 0x3F80);
  EXPECT_EQ(ulpDistance(Float8E4M3FNUZ(0.0f), Float8E4M3FNUZ::fromBits(0x81)), 1);
  EXPECT_EQ(ulpDistance(Float8E8M0FNU(1.0f), Float8E8M0FNU(8.0f)), 3);
}

}  // namespace
}  // namespace vintage::tests
