// Exports with dimension variables (poly): the main that JAX writes around the
// program finds their values from the shapes that it gets, checks that the
// shapes fit, and passes them on.
#include <algorithm>
#include <array>
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

std::vector<std::string> variablesOf(const CaseSpecification& specification) {
  bool b = false, c = false;
  for (const CaseArgument& argument : specification.arguments) {
    for (int64_t size : argument.shape) {
      const auto symbolic = symbolicDimension(size);
      if (!symbolic) continue;
      b = b || symbolic->b != 0 || symbolic->bc != 0;
      c = c || symbolic->c != 0 || symbolic->bc != 0;
    }
  }
  std::vector<std::string> names;
  if (b) names.emplace_back("b");
  if (c) names.emplace_back("c");
  return names;
}

// The checks and the solution of main's dimension variables.
class DimensionSolver {
 public:
  DimensionSolver(FunctionBuilder& main, std::vector<std::string> names)
      : main_(main), names_(std::move(names)) {
    const auto& arguments = main_.arguments();
    std::vector<std::string> specifications;
    for (const SsaValue& argument : arguments) {
      specifications.push_back(
          fmt::format("({})", fmt::join(symbolicShape(argument.shape), ", ")));
    }
    specification_ = fmt::format("{}", fmt::join(specifications, ", "));
  }

  SsaValues solve() {
    SsaValues values;
    for (const std::string& name : names_) values.push_back(find(name));
    main_.setDimensionValues(values);
    checkTheOthers();
    return values;
  }

 private:
  struct Place {
    size_t argument, axis;
    bool operator<(const Place& other) const {
      return std::pair(argument, axis) < std::pair(other.argument, other.axis);
    }
  };

  static std::string text(const Place& place) {
    return fmt::format("args[{}].shape[{}]", place.argument, place.axis);
  }

  SsaValue size(const Place& place) {
    const SsaValue& argument = main_.arguments()[place.argument];
    const auto [known, isNew] = sizes_.try_emplace(place);
    if (isNew) {
      known->second = main_.dimensionSize(argument, place.axis);
    }
    return known->second;
  }

  void require(const SsaValue& holds, Arguments operands, const std::string& message) {
    SsaValues all{holds};
    all.insert(all.end(), operands.begin(), operands.end());
    const std::string text = fmt::format(
        "Input shapes do not match the polymorphic shapes specification. {} Using "
        "the following polymorphic shapes specifications: {}.",
        message, specification_);
    main_.customCall(
        "shape_assertion", all, {},
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
    if (offset != 0) {
      value = main_.same("stablehlo.subtract", value, main_.constant(kInt, offset));
    }
    if (factor != 1) {
      const SsaValue divisor = main_.constant(kInt, factor);
      const SsaValue remainder = main_.same("stablehlo.remainder", value, divisor);
      const SsaValue holds = main_.compare("EQ", remainder, main_.constant(kInt, 0));
      const SsaValue operands[] = {remainder, found};
      require(holds, operands,
              fmt::format("Division had remainder {{0}} when computing the value of '{}' from "
                          "dimension {} (= {{1}}).",
                          name, text(place)));
      value = main_.same("stablehlo.divide", value, divisor);
    }
    const SsaValue holds = main_.compare("GE", value, main_.constant(kInt, 1));
    require(holds, {&value, 1},
            fmt::format("Expected value >= 1 for dimension variable '{}'. Obtained '{}' = {{0}} "
                        "from dimension {}.",
                        name, name, text(place)));
    used_.insert({place, true});
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
        const SsaValue holds = main_.compare("EQ", found, wanted);
        const SsaValue operands[] = {found, wanted};
        require(holds, operands,
                fmt::format("Found inconsistency between dimension size {} (= {{0}}) and the "
                            "specification '{}' (= {{1}}).",
                            text(place), dimensionText(expression)));
      }
    }
  }

  FunctionBuilder& main_;
  std::vector<std::string> names_;
  std::string specification_;
  std::map<Place, SsaValue> sizes_;
  std::map<Place, bool> used_;
};

// `symbolic` is the case declared with the variables in place of the sizes of
// `concrete`.
LoweredCase lowerPolymorphic(const CaseSpecification& symbolic, const CaseSpecification& concrete,
                             Sizes sizes, const std::string& platform, const Profile& profile) {
  ModuleBuilder module("jit_" + symbolic.primitive, profile);
  const std::vector<std::string> names = variablesOf(symbolic);
  module.setDimensionVariables(names);
  std::vector<TensorType> types;
  for (const CaseArgument& argument : symbolic.arguments) {
    types.push_back({argument.type, argument.shape});
  }
  FunctionBuilder& main = module.function("main", types);
  FunctionBuilder& wrapped = module.function("_wrapped_jax_export_main", types);
  wrapped.finish(symbolic.emit(wrapped, wrapped.arguments(), platform));
  DimensionSolver(main, names).solve();
  main.finish(main.call("_wrapped_jax_export_main", main.arguments(), wrapped.results()));

  LoweredCase lowered = describeLowering(concrete, main.results(), platform);
  lowered.module = module.tree();
  for (const CaseArgument& argument : symbolic.arguments) {
    lowered.symbolicInputs.push_back(symbolicShape(argument.shape));
  }
  for (CaseArgument& output : lowered.outputs) {
    lowered.symbolicOutputs.push_back(symbolicShape(output.shape));
    for (int64_t& size : output.shape) {
      const auto terms = symbolicDimension(size);
      if (!terms) continue;
      size = terms->constant + terms->b * sizes.b + terms->c * sizes.c +
             terms->bc * sizes.b * sizes.c;
    }
  }
  return lowered;
}

}  // namespace

void CaseList::addPoly(
    const std::function<void(CaseList& list, Sizes sizes)>& declare) {
  CaseList once;
  declare(once, {kDimensionB, kDimensionC});
  const std::shared_ptr<const CaseSpecification> symbolic = once.specifications().front();
  for (Sizes sizes : kSizes) {
    CaseList list;
    declare(list, sizes);
    const std::shared_ptr<const CaseSpecification> concrete = list.specifications().front();
    CaseSpecification variant = *concrete;
    variant.variant = "poly";
    variant.lower = [symbolic, concrete, sizes](const std::string& platform,
                                                 const Profile& profile) {
      return lowerPolymorphic(*symbolic, *concrete, sizes, platform, profile);
    };
    add(std::move(variant));
  }
}

// --- Primitives that take arrays of any shape: their declarations ask nothing of the
// sizes, so that a case at other sizes is the same declaration with other arguments.
namespace {

// Element by element: the leading dimension becomes b, the second one c.
constexpr std::string_view kElementwise[] = {
    "abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh",
    "bessel_i0e", "bessel_i1e", "cbrt", "ceil", "clz", "complex", "conj", "convert_element_type",
    "copy", "cos", "cosh", "digamma", "div", "eq", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1",
    "floor", "ge", "gt", "igamma", "igamma_grad_a", "igammac", "imag", "integer_pow", "is_finite",
    "le", "lgamma", "log", "log1p", "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter",
    "not", "or", "polygamma", "population_count", "pow", "real", "reduce_precision",
    "regularized_incomplete_beta", "rem", "round", "rsqrt", "shift_left", "shift_right_arithmetic",
    "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square", "stop_gradient", "sub", "tan",
    "tanh", "xor", "zeta",
};

// Whether all arrays have one shape, and each input is made by itself.
bool isUniform(const CaseSpecification& specification) {
  if (specification.arguments.empty() || specification.makeInputs) return false;
  const Shape& first = specification.arguments[0].shape;
  return first.size() == 2 &&
         std::ranges::all_of(specification.arguments,
                             [&](const CaseArgument& a) { return a.shape == first; });
}

}  // namespace

void addElementwisePolymorphism(CaseList& cases) {
  std::vector<std::shared_ptr<const CaseSpecification>> chosen;
  std::set<std::pair<std::string, std::vector<ElementType>>> seen;
  for (size_t i = 0; i < cases.cases().size(); ++i) {
    const auto& base = cases.specifications()[i];
    if (base->variant != "static" || !base->emit || base->platforms.empty()) continue;
    if (!std::ranges::binary_search(kElementwise, std::string_view(base->primitive))) continue;
    if (!isUniform(*base) || elementCount(base->arguments[0].shape) == 0) continue;
    if (seen.emplace(base->primitive, cases.cases()[i].dtypes).second) chosen.push_back(base);
  }
  for (const auto& base : chosen) {
    cases.addPoly([&](CaseList& list, Sizes s) {
      CaseSpecification other = *base;
      for (CaseArgument& argument : other.arguments) argument.shape = {s.b, s.c};
      list.add(std::move(other));
    });
  }
}

}  // namespace vintage::primitives
