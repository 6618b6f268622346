// Dimension variables for primitives that take arrays of any shape: their
// declarations ask nothing of the sizes, so that a case at other sizes is the
// same declaration with other arguments.
#include <algorithm>
#include <set>
#include <string_view>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives::catalogue {
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

// Of several arrays all of one shape, and inputs that are made one by one.
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
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      CaseSpecification other = *base;
      for (CaseArgument& argument : other.arguments) argument.shape = {sizes.b, sizes.c};
      list.add(std::move(other));
    });
  }
}

}  // namespace vintage::primitives::catalogue
