// Exports with dimension variables (poly): the main that JAX writes around the
// program finds their values from the shapes that it gets, checks that the
// shapes fit, and passes them on.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Every export is run at each of these.
constexpr Sizes kSizes[] = {{3, 5}, {6, 2}};

std::vector<std::string> symbolicShape(const Shape& shape) {
  std::vector<std::string> texts;
  for (int64_t size : shape) texts.push_back(dimensionText(size));
  return texts;
}

// The checks and the solution of main's dimension variables.
class DimensionSolver {
 public:
  explicit DimensionSolver(FunctionBuilder& main) : main_(main) {
    std::vector<std::string> specifications;
    for (const SsaValue& argument : main_.arguments()) {
      specifications.push_back(fmt::format("({})", fmt::join(symbolicShape(argument.shape), ", ")));
    }
    specification_ = fmt::format("{}", fmt::join(specifications, ", "));
  }

  void solve() {
    SsaValues values;
    for (const std::string& name : main_.module().dimensionVariables())
      values.push_back(find(name));
    main_.setDimensionValues(std::move(values));
    checkTheOthers();
  }

 private:
  struct Place {
    size_t argument, axis;
    auto operator<=>(const Place&) const = default;
  };

  static std::string text(const Place& place) {
    return fmt::format("args[{}].shape[{}]", place.argument, place.axis);
  }

  SsaValue size(const Place& place) {
    const SsaValue& argument = main_.arguments()[place.argument];
    const auto [known, isNew] = sizes_.try_emplace(place);
    if (isNew) known->second = dimensionSize(argument, place.axis);
    return known->second;
  }

  void require(const SsaValue& holds, Arguments operands, const std::string& message) {
    SsaValues all{holds};
    all.insert(all.end(), operands.begin(), operands.end());
    const std::string text = fmt::format(
        "Input shapes do not match the polymorphic shapes specification. {} Using "
        "the following polymorphic shapes specifications: {}.",
        message, specification_);
    main_.customCall("shape_assertion", all, {},
                     {{"api_version", {int64_t{2}, ElementType::kI32}},
                      {"error_message", text},
                      {"has_side_effect", true}});
  }

  // From the first dimension in which the variable stands alone, as
  // factor * variable + offset.
  SsaValue find(const std::string& name) {
    const auto& arguments = main_.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t axis = 0; axis < arguments[i].shape.size(); ++axis) {
        const auto symbolic = symbolicDimension(arguments[i].shape[axis]);
        if (!symbolic || symbolic->bc != 0) continue;
        const int64_t factor = name == "b" ? symbolic->b : symbolic->c;
        if (factor == 0 || (name == "b" ? symbolic->c : symbolic->b) != 0) continue;
        return solved(name, {i, axis}, factor, symbolic->constant);
      }
    }
    return main_.constant(kInt, 1);
  }

  SsaValue solved(const std::string& name, const Place& place, int64_t factor, int64_t offset) {
    const SsaValue found = size(place);
    SsaValue value = found;
    if (offset != 0) value = value - main_.constant(kInt, offset);
    if (factor != 1) {
      const SsaValue divisor = main_.constant(kInt, factor);
      const SsaValue remainder = same("stablehlo.remainder", value, divisor);
      const SsaValue holds = compare("EQ", remainder, main_.constant(kInt, 0));
      const SsaValue operands[] = {remainder, found};
      require(holds, operands,
              fmt::format("Division had remainder {{0}} when computing the value of '{}' from "
                          "dimension {} (= {{1}}).",
                          name, text(place)));
      value = value / divisor;
    }
    const SsaValue holds = compare("GE", value, main_.constant(kInt, 1));
    require(holds, {&value, 1},
            fmt::format("Expected value >= 1 for dimension variable '{}'. Obtained '{}' = {{0}} "
                        "from dimension {}.",
                        name, name, text(place)));
    used_.insert(place);
    return value;
  }

  // Every other dimension must be what its expression gives.
  void checkTheOthers() {
    const auto& arguments = main_.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t axis = 0; axis < arguments[i].shape.size(); ++axis) {
        const int64_t expression = arguments[i].shape[axis];
        const Place place{i, axis};
        if (!isSymbolic(expression) || used_.contains(place)) continue;
        const SsaValue found = size(place), wanted = main_.dimension(expression);
        const SsaValue holds = compare("EQ", found, wanted);
        const SsaValue operands[] = {found, wanted};
        require(holds, operands,
                fmt::format("Found inconsistency between dimension size {} (= {{0}}) and the "
                            "specification '{}' (= {{1}}).",
                            text(place), dimensionText(expression)));
      }
    }
  }

  FunctionBuilder& main_;
  std::string specification_;
  std::map<Place, SsaValue> sizes_;
  std::set<Place> used_;
};

// `symbolic` is the case declared with the variables in place of the sizes of
// `concrete`.
LoweredCase lowerPolymorphic(const CaseSpecification& symbolic, const CaseSpecification& concrete,
                             Sizes sizes, const std::string& platform, const Profile& profile) {
  LoweredCase lowered = lowerMain(symbolic, platform, profile, [&](FunctionBuilder& main) {
    FunctionBuilder& wrapped =
        main.module().function("_wrapped_jax_export_main", symbolic.arguments);
    wrapped.finish(symbolic.emit(wrapped));
    DimensionSolver(main).solve();
    main.finish(main.call("_wrapped_jax_export_main", main.arguments(), wrapped.results()));
  });
  lowered.inputs = concrete.arguments;
  for (const TensorType& argument : symbolic.arguments)
    lowered.symbolicInputs.push_back(symbolicShape(argument.shape));
  for (TensorType& output : lowered.outputs) {
    lowered.symbolicOutputs.push_back(symbolicShape(output.shape));
    for (int64_t& size : output.shape) {
      const auto terms = symbolicDimension(size);
      if (!terms) continue;
      size =
          terms->constant + terms->b * sizes.b + terms->c * sizes.c + terms->bc * sizes.b * sizes.c;
    }
  }
  return lowered;
}

// --- Primitives that take arrays of any shape: their declarations ask nothing of the
// sizes, so that a case at other sizes is the same declaration with other arguments.

// Element by element: the leading dimension becomes b, the second one c.
constexpr std::string_view kElementwise =
    " abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil"
    " clz complex conj convert_element_type copy cos cosh digamma div eq erf erf_inv erfc exp"
    " exp2 expm1 floor ge gt igamma igamma_grad_a igammac imag integer_pow is_finite le lgamma"
    " log log1p logistic lt max min mul ne neg nextafter not or polygamma population_count pow"
    " real reduce_precision regularized_incomplete_beta rem round rsqrt shift_left"
    " shift_right_arithmetic shift_right_logical sign sin sinh sqrt square stop_gradient sub tan"
    " tanh xor zeta ";

// Whether all arrays have one shape, and each input is made by itself.
bool isUniform(const CaseSpecification& specification) {
  if (specification.arguments.empty() || specification.makeInputs) return false;
  const Shape& first = specification.arguments[0].shape;
  return first.size() == 2 &&
         std::ranges::all_of(specification.arguments,
                             [&](const TensorType& a) { return a.shape == first; });
}

}  // namespace

void CaseList::addPoly(const std::function<CaseSpecification(Sizes sizes)>& declare) {
  const auto symbolic =
      std::make_shared<const CaseSpecification>(declare({kDimensionB, kDimensionC}));
  for (Sizes sizes : kSizes) {
    const auto concrete = std::make_shared<const CaseSpecification>(declare(sizes));
    CaseSpecification variant = *concrete;
    variant.variant = "poly";
    variant.lower = [symbolic, concrete, sizes](const std::string& platform,
                                                const Profile& profile) {
      return lowerPolymorphic(*symbolic, *concrete, sizes, platform, profile);
    };
    add(std::move(variant));
  }
}

void addElementwisePolymorphism(CaseList& cases) {
  for (const Specification& base : cases.firstOfEach([](const CaseSpecification& base) {
         return kElementwise.find(" " + base.primitive + " ") != kElementwise.npos &&
                isUniform(base) && elementCount(base.arguments[0].shape) != 0;
       })) {
    cases.addPoly([&](Sizes s) {
      CaseSpecification other = *base;
      for (TensorType& argument : other.arguments) argument.shape = {s.b, s.c};
      return other;
    });
  }
}

}  // namespace vintage::primitives
