#include <algorithm>
#include <utility>

#include "primitives/catalogue/case.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

std::vector<Case> makeCatalogue() {
  CaseList list;
  for (Family addCases : families()) addCases(list);
  addDerivedVariants(list);
  addElementwisePolymorphism(list);
  addDerivativeVariants(list);
  addShardedVariants(list);
  std::vector<Case> cases = std::move(list.cases());
  std::ranges::sort(cases, {}, &Case::id);
  return cases;
}

}  // namespace

std::span<const Case> catalogue() {
  static const std::vector<Case> cases = makeCatalogue();
  return cases;
}

}  // namespace vintage::primitives::catalogue
