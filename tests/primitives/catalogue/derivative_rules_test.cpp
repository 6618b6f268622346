// Derivatives where differences are meaningless: ties, zeros, NaN, indices outside. Numbers by hand
// from JAX's rules.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/case.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

using oracle::Number;
using testing::ElementsAre;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

// A case whose arguments begin with `values`, followed by its own inputs.
class Pullback {
 public:
  explicit Pullback(std::string_view id) : entry_(caseOf(id)), values_(entry_.makeInputs()) {}

  Pullback& argument(size_t which, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) put(which, i, values[i], 0);
    return *this;
  }
  Pullback& complexArgument(size_t which, const std::vector<std::pair<double, double>>& values) {
    for (size_t i = 0; i < values.size(); ++i) put(which, i, values[i].first, values[i].second);
    return *this;
  }
  Pullback& fill(size_t which, double value) {
    for (int64_t i = 0; i < values_[which].size(); ++i) {
      put(which, static_cast<size_t>(i), value, 0);
    }
    return *this;
  }

  // The first `count` elements of an output; the derivative's stand behind the primal's.
  std::vector<double> output(size_t which, size_t count) {
    std::vector<double> found;
    for (const Number& number : numbers(which, count)) found.push_back(number.real);
    return found;
  }
  std::vector<std::pair<double, double>> complexOutput(size_t which, size_t count) {
    std::vector<std::pair<double, double>> found;
    for (const Number& number : numbers(which, count)) {
      found.emplace_back(number.real, number.imaginary);
    }
    return found;
  }

 private:
  void put(size_t which, size_t at, double real, double imaginary) {
    oracle::store(values_[which], static_cast<int64_t>(at),
                  {std::isfinite(real) ? static_cast<oracle::Wide>(real) : 0, real, imaginary});
  }
  std::vector<Number> numbers(size_t which, size_t count) {
    const auto expected = entry_.expected(values_);
    std::vector<Number> found;
    for (size_t i = 0; expected && i < count; ++i) {
      found.push_back(oracle::load((*expected)[which], static_cast<int64_t>(i)));
    }
    return found;
  }

  const Case& entry_;
  std::vector<Tensor> values_;
};

testing::Matcher<double> isNan() { return testing::NanSensitiveDoubleEq(kNan); }

TEST(Derivatives, OfMaxTiesShareAndNanGetsNothing) {
  Pullback max("max_f32[10,9],f32[10,9],f32[10,9]_vjp");
  max.argument(0, {1, 2, 0.0, 5, kNan, 1, kInfinity})
      .argument(1, {2, 2, -0.0, 3, 1, kNan, kInfinity})
      .fill(2, 8);
  EXPECT_THAT(max.output(1, 7), ElementsAre(0, 4, 4, 8, 0, 0, 4));
  EXPECT_THAT(max.output(2, 7), ElementsAre(8, 4, 4, 0, 0, 0, 4));
  Pullback min("min_f32[10,9],f32[10,9],f32[10,9]_vjp");
  min.argument(0, {1, 2, 5}).argument(1, {2, 2, 3}).fill(2, 8);
  EXPECT_THAT(min.output(1, 3), ElementsAre(8, 4, 0));
  EXPECT_THAT(min.output(2, 3), ElementsAre(0, 4, 8));
}

TEST(Derivatives, OfReduceMaxAllThatTieShareAlikeAndNanLeavesNobody) {
  // Down the four rows of five columns.
  Pullback max("reduce_max_f32[4,5],f32[5]_axes=0_vjp");
  max.argument(0, {7, 1, 0, 2,    2,  //
                   7, 2, 0, kNan, 2,  //
                   7, 3, 0, 1,    1,  //
                   1, 4, 0, 5,    0})
      .fill(1, 6);
  EXPECT_THAT(max.output(1, 20), ElementsAre(2, 0, 1.5, isNan(), 3,  //
                                             2, 0, 1.5, isNan(), 3,  //
                                             2, 0, 1.5, isNan(), 0,  //
                                             0, 6, 1.5, isNan(), 0));
}

TEST(Derivatives, OfPowAtZeroTheLogarithmDoesNoHarm) {
  Pullback pow("pow_f64[10,9],f64[10,9],f64[10,9]_vjp");
  pow.argument(0, {0, 0, 0, 0, 3, 0}).argument(1, {2, 1, 0, -1, 2, 0.5}).fill(2, 2);
  // 2 y x^(y-1), where 0^-1 is infinite and 0 times it is not a number.
  EXPECT_THAT(pow.output(1, 6), ElementsAre(0, 2, isNan(), -kInfinity, 12, kInfinity));
  // 2 log(x) x^y with log(0) taken as 0.
  EXPECT_THAT(pow.output(2, 6),
              ElementsAre(0, 0, 0, isNan(), testing::DoubleEq(18 * std::log(3.0)), 0));
}

TEST(Derivatives, OfIntegerPowersOfZeroAndOne) {
  EXPECT_THAT(
      Pullback("integer_pow_f32[5,6],f32[5,6]_y=0_vjp").argument(0, {0, 2, kNan}).output(1, 3),
      ElementsAre(0, 0, 0));
  EXPECT_THAT(Pullback("integer_pow_f32[5,6],f32[5,6]_y=1_vjp")
                  .argument(0, {0, 2, kNan})
                  .fill(1, 3)
                  .output(1, 3),
              ElementsAre(3, 3, 3));
}

TEST(Derivatives, OfAbsoluteValuesAndSignsAtZero) {
  EXPECT_THAT(Pullback("abs_f32[8,8],f32[8,8]_vjp")
                  .argument(0, {-2, 0.0, -0.0, 5, kNan})
                  .fill(1, 3)
                  .output(1, 5),
              ElementsAre(-3, 0, 0, 3, isNan()));
  EXPECT_THAT(Pullback("sign_f32[8,8],f32[8,8]_vjp").fill(1, 3).output(1, 2), ElementsAre(0, 0));
}

TEST(Derivatives, OfSelectGoToTheChosenOne) {
  Pullback select("select_n_i32[2,3],f32[2,3],f32[2,3],f32[2,3],f32[2,3]_vjp");
  select.argument(0, {0, 1, 2, 2, 1, 0}).argument(4, {1, 2, 3, 4, 5, 6});
  // After the result a float0 for the predicate, false everywhere.
  EXPECT_THAT(select.output(1, 6), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(select.output(2, 6), ElementsAre(1, 0, 0, 0, 0, 6));
  EXPECT_THAT(select.output(3, 6), ElementsAre(0, 2, 0, 0, 5, 0));
  EXPECT_THAT(select.output(4, 6), ElementsAre(0, 0, 3, 4, 0, 0));
}

TEST(Derivatives, OfClampOnABoundNothingMoves) {
  Pullback clamp("clamp_f32[],f32[2,3],f32[],f32[2,3]_vjp");
  clamp.argument(0, {-1}).argument(1, {-3, -1, 0, 1, 2, -2}).argument(2, {1});
  clamp.argument(3, {1, 2, 4, 8, 16, 32});
  EXPECT_THAT(clamp.output(1, 1), ElementsAre(33));
  EXPECT_THAT(clamp.output(2, 6), ElementsAre(0, 0, 4, 0, 0, 0));
  EXPECT_THAT(clamp.output(3, 1), ElementsAre(16));
}

TEST(Derivatives, OfSortFollowThePermutationThroughTiesZerosAndNan) {
  // The first column of five rows: sorted it is 0, -0, 1, 3, NaN.
  Pullback sort("sort_f32[5,7],f32[5,7]_dimension=0_keys=1_stable_vjp");
  sort.fill(0, 0).fill(1, 0);
  const double column[] = {3, kNan, 0.0, 1, -0.0}, cotangents[] = {1, 2, 4, 8, 16};
  std::vector<double> values(35), given(35);
  for (size_t i = 0; i < 5; ++i) {
    values[7 * i] = column[i];
    given[7 * i] = cotangents[i];
  }
  const std::vector<double> found = sort.argument(0, values).argument(1, given).output(1, 35);
  EXPECT_THAT((std::vector<double>{found[0], found[7], found[14], found[21], found[28]}),
              ElementsAre(8, 16, 1, 4, 2));
}

TEST(Derivatives, OfTopKGoToTheFirstOfEqualOnes) {
  Pullback topK("top_k_f32[15],f32[5],bool[5]_k=5_vjp");
  topK.fill(0, 0).argument(0, {1, 3, 3, 0, 3, 2, 2}).argument(1, {1, 2, 4, 8, 16});
  EXPECT_THAT(topK.output(2, 7), ElementsAre(0, 1, 2, 0, 4, 8, 16));
}

TEST(Derivatives, OfProductsWithZerosAreTheProductsOfTheOthers) {
  Pullback product("reduce_prod_f32[4,5],f32[5]_axes=0_vjp");
  product.fill(0, 1).argument(0, {0, 0, 2}).fill(1, 3);
  product.argument(0, {0, 0, 2, 1, 1,  //
                       2, 0, 3, 1, 1,  //
                       5, 7, 1, 1, 1});
  const std::vector<double> found = product.output(1, 20);
  EXPECT_THAT((std::vector<double>{found[0], found[5], found[10], found[15]}),
              ElementsAre(30, 0, 0, 0));
  EXPECT_THAT((std::vector<double>{found[1], found[6], found[11], found[16]}),
              ElementsAre(0, 0, 0, 0));
  EXPECT_THAT((std::vector<double>{found[2], found[7], found[12], found[17]}),
              ElementsAre(9, 6, 18, 18));
}

TEST(Derivatives, OfRunningProductsPassAZero) {
  // Along a row of nine: 2, 0, 3, 1, …; cotangents 1 for the first four products.
  Pullback product("cumprod_f64[8,9],f64[8,9]_axis=1_reverse=false_vjp");
  product.fill(0, 1).fill(1, 0).argument(0, {2, 0, 3, 1}).argument(1, {1, 1, 1, 1});
  // y = 2, 0, 0, 0: by x0: 1 + 0; by x1: 2 (1 + 3 + 3); the others have the zero.
  EXPECT_THAT(product.output(1, 5), ElementsAre(1, 14, 0, 0, 0));
}

TEST(Derivatives, OfComplexFunctionsAreNotConjugated) {
  Pullback square("square_c64[8,8],c64[8,8]_vjp");
  square.complexArgument(0, {{1, 2}}).complexArgument(1, {{3, -1}});
  // 2 (1 + 2i) (3 - i) = 10 + 10i
  EXPECT_THAT(square.complexOutput(1, 1), ElementsAre(testing::Pair(10, 10)));
  Pullback modulus("abs_c64[8,8],f32[8,8]_vjp");
  modulus.complexArgument(0, {{3, 4}, {0, 0}}).argument(1, {5, 5});
  EXPECT_THAT(modulus.complexOutput(1, 2), ElementsAre(testing::Pair(3, -4), testing::Pair(0, 0)));
  Pullback imaginary("imag_c64[4,5],f32[4,5]_vjp");
  imaginary.argument(1, {2});
  EXPECT_THAT(imaginary.complexOutput(1, 1), ElementsAre(testing::Pair(0, -2)));
  Pullback real("real_c64[4,5],f32[4,5]_vjp");
  real.argument(1, {2});
  EXPECT_THAT(real.complexOutput(1, 1), ElementsAre(testing::Pair(2, 0)));
  Pullback conjugate("conj_c64[4,5],c64[4,5]_vjp");
  conjugate.complexArgument(1, {{2, 7}});
  EXPECT_THAT(conjugate.complexOutput(1, 1), ElementsAre(testing::Pair(2, -7)));
}

TEST(Derivatives, OfGatherDropOrClampWhatIsOutside) {
  // Two points of five; the second one is beyond the end.
  for (const auto& [mode, last] : {std::pair("fill", 0.0), std::pair("clip", 4.0)}) {
    Pullback gather(std::string("gather_f32[5],i32[2,1],f32[2]_points_mode=") + mode + "_vjp");
    gather.argument(1, {1, 8}).argument(2, {3, 4});
    EXPECT_THAT(gather.output(1, 5), ElementsAre(0, 3, 0, 0, last)) << mode;
  }
  Pullback twice("gather_f32[5],i32[2,1],f32[2]_points_mode=promise_vjp");
  twice.argument(1, {2, 2}).argument(2, {3, 4});
  EXPECT_THAT(twice.output(1, 5), ElementsAre(0, 0, 7, 0, 0));
}

TEST(Derivatives, OfUpdatesDoNotReachWhatWasWrittenOver) {
  // Three of five from 4: clamped to 2.
  Pullback update("dynamic_update_slice_f32[5],f32[3],i32[1],f32[5]_start=4_vjp");
  update.argument(3, {1, 2, 3, 4, 5});
  EXPECT_THAT(update.output(1, 5), ElementsAre(1, 2, 0, 0, 0));
  EXPECT_THAT(update.output(2, 3), ElementsAre(3, 4, 5));
  Pullback slice("dynamic_slice_f32[5],i32[1],f32[3]_start=4_sizes=3_vjp");
  slice.argument(2, {1, 2, 3});
  EXPECT_THAT(slice.output(1, 5), ElementsAre(0, 0, 1, 2, 3));
}

TEST(Derivatives, OfPadTheValueGetsWhatTheOperandDoesNot) {
  // Four elements with two between each, without the first and the last one:
  // result  0 0 x1 0 0 x2 0 0.
  Pullback pad("pad_f32[4],f32[],f32[8]_low=m1_high=m1_interior=2_vjp");
  pad.argument(2, {1, 2, 4, 8, 16, 32, 64, 128});
  EXPECT_THAT(pad.output(1, 4), ElementsAre(0, 4, 32, 0));
  EXPECT_THAT(pad.output(2, 1), ElementsAre(255 - 36));
}

TEST(Derivatives, OfCustomRulesAreTheirs) {
  // max(x, 0) at zero: an equal share by the primitive's rule, zero by the custom one.
  for (const auto& [name, share] :
       {std::pair("jit", 4.0), std::pair("checkpoint", 4.0), std::pair("composite", 4.0),
        std::pair("custom_jvp_call", 0.0), std::pair("custom_vjp_call", 0.0)}) {
    Pullback call(std::string(name) + "_f32[4,5],f32[4,5]_vjp");
    call.argument(0, {-1, 0, 1, kNan, kInfinity}).fill(1, 8);
    EXPECT_THAT(call.output(1, 5), ElementsAre(0, share, 8, 0, 8)) << name;
  }
}

TEST(Derivatives, OfAScanTheCarryCollectsFromTheEnd) {
  Pullback scan("scan_f32[3],f32[5,3],f32[3],f32[5,3]_length=5_vjp");
  scan.fill(2, 0).fill(3, 0).argument(2, {100});
  scan.argument(3, {1, 0, 0, 2, 0, 0, 4, 0, 0, 8, 0, 0, 16, 0, 0});
  EXPECT_THAT(scan.output(2, 1), ElementsAre(131));
  const std::vector<double> xs = scan.output(3, 15);
  EXPECT_THAT((std::vector<double>{xs[0], xs[3], xs[6], xs[9], xs[12]}),
              ElementsAre(131, 130, 128, 124, 116));
}

}  // namespace
}  // namespace vintage::tests
