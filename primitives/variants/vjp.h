// Derivatives nested in an Exported (vjp): a rule for each primitive, and how a
// case and its rule become a case with a derivative.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "primitives/case_list.h"

namespace vintage {

// Of the cases of `primitive` with `label` (empty: any) the first one of each
// float type is taken.
struct DerivativeRule {
  std::string primitive;
  std::string label;
  // Where the derivative is tame; unset: the case's own.
  std::optional<Domain> domain;
  // From the inputs and then the cotangents of the outputs to the cotangents of
  // the inputs, as JAX's rule computes them.
  std::function<SsaValues(FunctionWriter&, std::span<const SsaValue>)> emit;
  // The same, by definition and more precise.
  std::function<std::vector<Tensor>(std::span<const Tensor>)> oracle;
  // Of the cotangents of the inputs; 0: they are exact. In units of the type's
  // spacing, relative and, times 8, absolute: inputs and cotangents lie in
  // [-2, 2], and a rule adds and multiplies a few rounded numbers.
  double units = 0;
};

std::vector<DerivativeRule> elementwiseDerivatives();
std::vector<DerivativeRule> structuralDerivatives();

}  // namespace vintage
