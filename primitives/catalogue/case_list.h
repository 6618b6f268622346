// How families declare their cases: one CaseSpecification each, from which the
// list makes a Case with its id, its seed, its lowering and its inputs.
//
// A new primitive is one new file in a folder of this room, and nothing else:
//
//   VINTAGE_FAMILY(addHaversineCases) {
//     for (ElementType type : types::kFloats) {
//       cases.add({.primitive = "haversine", .arguments = {{type, {8, 8}}}, …});
//     }
//   }
//
// The build reads the macro, which stands at the beginning of a line, from every
// source of the room and writes the list of families.
// docs/tutorial/adding_a_primitive.md has a whole example.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "primitives/catalogue/case.h"
#include "primitives/catalogue/inputs.h"
#include "primitives/lowering/expression.h"

// Opens the definition of a function that adds a family's cases to `cases`.
#define VINTAGE_FAMILY(name)  \
  void name(CaseList& cases); \
  void name(CaseList& cases)

namespace vintage::primitives {

// Builds the body of @main and returns what it returns: from any function of the arguments, or
// of the builder and the arguments, that returns one value or several.
class Emit {
 public:
  Emit() = default;
  template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Emit>)
  Emit(Function function)
      : function_([function](FunctionBuilder& main, Arguments arguments) -> SsaValues {
          if constexpr (std::invocable<const Function&, Arguments>) {
            return listed(function(arguments));
          } else {
            return listed(function(main, arguments));
          }
        }) {}

  explicit operator bool() const { return function_ != nullptr; }
  SsaValues operator()(FunctionBuilder& main) const { return function_(main, main.arguments()); }
  SsaValues operator()(FunctionBuilder& builder, Arguments arguments) const {
    return function_(builder, arguments);
  }

 private:
  std::function<SsaValues(FunctionBuilder&, Arguments)> function_;
};

// The oracle of a case: from any function of the inputs that returns a tensor or
// several, or an error.
class Expect {
 public:
  Expect() = default;
  template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Expect>)
  Expect(Function function)
      : function_([function](Tensors inputs) { return tensors(function(inputs)); }) {}

  Result<std::vector<golden::Tensor>> operator()(Tensors inputs) const { return function_(inputs); }

 private:
  static Result<std::vector<golden::Tensor>> tensors(Result<std::vector<golden::Tensor>> several) {
    return several;
  }
  static Result<std::vector<golden::Tensor>> tensors(Result<golden::Tensor> one) {
    ASSIGN_OR_RETURN(golden::Tensor tensor, std::move(one));
    return tensors(std::move(tensor));
  }
  static Result<std::vector<golden::Tensor>> tensors(golden::Tensor one) {
    return std::vector<golden::Tensor>{std::move(one)};
  }
  static Result<std::vector<golden::Tensor>> tensors(std::vector<golden::Tensor> several) {
    return several;
  }

  std::function<Result<std::vector<golden::Tensor>>(Tensors)> function_;
};

struct CaseSpecification {
  std::string primitive = {};  // The name that the source framework gives it.
  // Distinguishes uses with the same argument types: "axes=0", "k=2"; part of the id.
  std::string label = {};
  std::vector<TensorType> arguments = {};
  std::vector<Domain> domains = {};  // One for each argument, or one for all.
  Emit emit = {};                    // The body of @main for a platform, as JAX lowers it there.
  Expect expect = {};  // More precise than the result, rounded once, and never the engine.
  std::string oracle = "exact";
  std::vector<golden::Comparator> comparators{golden::Comparator{}};  // A loose one says why.
  // Instead of `domains`, where arguments depend on each other.
  std::function<std::vector<golden::Tensor>(Random&)> makeInputs = {};
  std::vector<std::string> platforms{"cpu", "cuda", "rocm", "tpu"};  // Others need a limitation.
  std::string platformsReason = {};
  std::vector<std::string> disabledCustomCallChecks = {};
  std::string variant = "static";
  // Instead of `emit`, where main takes or returns more than arrays, or their
  // shapes are not static.
  std::function<LoweredCase(const std::string& platform, const Profile& profile)> lower = {};
};

// Values of the dimension variables b and c, or their placeholders.
struct Sizes {
  int64_t b = 0, c = 0;
};

using Specification = std::shared_ptr<const CaseSpecification>;

// The domain of one argument: its own, the one for all, or the default.
inline const Domain& domainOf(std::span<const Domain> domains, size_t argument) {
  return domains.empty() ? domains::kPlain : domains[domains.size() == 1 ? 0 : argument];
}

class CaseList {
 public:
  void add(CaseSpecification specification);
  // The same use with dimension variables. Exported once for all sizes, and run at several of them
  // (variants/poly.cpp).
  void addPoly(const std::function<CaseSpecification(Sizes sizes)>& declare);

  std::vector<Case>& cases() { return cases_; }
  // The specifications of the cases, in the same order.
  const std::vector<Specification>& specifications() const { return specifications_; }
  // The first fitting static case of each primitive and combination of element types.
  std::vector<Specification> firstOfEach(
      const std::function<bool(const CaseSpecification&)>& fits) const;

 private:
  std::vector<Case> cases_;
  std::vector<Specification> specifications_;
};

// Every VINTAGE_FAMILY of the room, once each.
using Family = void (*)(CaseList& cases);
std::span<const Family> families();

// Cases that are derived from others (variants/): one artifact for several platforms, with ordered
// effects, with dimension variables, with a nested derivative. Called after all families.
void addDerivedVariants(CaseList& cases);
void addElementwisePolymorphism(CaseList& cases);
void addDerivativeVariants(CaseList& cases);
void addShardedVariants(CaseList& cases);

// A module whose main takes the arrays of `specification` (`fill` may add more) and returns the
// result of `fill`; with the metadata of an Exported.
LoweredCase lowerMain(const CaseSpecification& specification, const std::string& platform,
                      const Profile& profile,
                      const std::function<void(FunctionBuilder& main)>& fill,
                      bool dropsUnused = false);

// Counters, positions and sizes in lowered programs.
inline constexpr golden::ElementType kInt = golden::ElementType::kI32;

// Sets of element types as JAX's documentation names them: every one is a stretch of this row.
namespace types {
using enum golden::ElementType;
inline constexpr golden::ElementType kRow[] = {kI1,   kI8,   kI16, kI32, kI64, kUi8, kUi16, kUi32,
                                               kUi64, kBF16, kF16, kF32, kF64, kC64, kC128};
using Set = std::span<const golden::ElementType>;
inline constexpr Set kAll(kRow);
inline constexpr Set kBooleans = kAll.first(1);
inline constexpr Set kSignedIntegers = kAll.subspan(1, 4);  // 8 to 64 bits
inline constexpr Set kUnsignedIntegers = kAll.subspan(5, 4);
inline constexpr Set kIntegers = kAll.subspan(1, 8);
inline constexpr Set kIntegersAndBool = kAll.first(9);
inline constexpr Set kFloats = kAll.subspan(9, 4);  // bf16, f16, f32, f64
inline constexpr Set kComplexes = kAll.subspan(13, 2);
inline constexpr Set kInexact = kAll.subspan(9, 6);   // floats and complexes
inline constexpr Set kNumbers = kAll.subspan(1, 14);  // inexact and integers
inline constexpr Set kOrdered = kAll.first(13);       // numbers without complexes, and bool
// Narrower than a byte, or a byte with a float in it; in no set above. e8m0 is the last.
inline constexpr golden::ElementType kSmallRow[] = {kI4,     kUi4,           kF4E2M1FN, kF8E3M4,
                                                    kF8E4M3, kF8E4M3B11FNUZ, kF8E4M3FN, kF8E4M3FNUZ,
                                                    kF8E5M2, kF8E5M2FNUZ,    kF8E8M0FNU};
inline constexpr Set kSmall(kSmallRow);
inline constexpr Set kSmallIntegers = kSmall.first(2);     // 4 bits: an Exported cannot name fewer
inline constexpr Set kSmallFloats = kSmall.subspan(2, 8);  // 4 and 8 bits, without e8m0
}  // namespace types

golden::Comparator exactly();
// Real results within `ulps`; complex ones, whose parts can cancel, also within
// `ulps` units of the modulus.
golden::Comparator withinUlps(golden::ElementType type, int64_t ulps);
golden::Comparator withinRelative(double relative, double absolute = 0);
// The spacing of `type` at one.
double epsilonOf(golden::ElementType type);

// "0-1-2" for ids.
std::string dashed(std::span<const int64_t> values);

}  // namespace vintage::primitives
