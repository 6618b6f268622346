#include <algorithm>
#include <utility>

#include "primitives/case.h"
#include "primitives/families.h"

namespace vintage {
namespace {

std::vector<Case> makeCatalogue() {
  CaseList list;
  for (auto* addCases : {
           addUnaryCases, addBinaryCases, addComparisonCases, addComplexPartCases,
           addConversionCases, addIntegerPowerCases, addSelectionCases,
           addReductionCases, addArgumentReductionCases, addCumulativeCases,
           addShapeCases, addPadCases, addIotaCases, addIdentityCases,
           addDynamicSliceCases, addSortCases, addDotGeneralCases,
           addCholeskyCases, addEighCases, addEigCases, addLuCases, addQrCases,
           addSvdCases, addTriangularSolveCases, addControlFlowCases,
           addGatherCases, addScatterCases, addConvolutionCases, addReduceWindowCases,
           addTopKCases, addFourierCases, addSelectAndScatterCases, addGenericReductionCases,
           addSelectAndGatherCases, addThreefryCases, addVariantCases,
       }) {
    addCases(list);
  }
  std::vector<Case> cases = std::move(list.cases());
  std::ranges::sort(cases, {}, &Case::id);
  return cases;
}

}  // namespace

std::span<const Case> catalogue() {
  static const std::vector<Case> cases = makeCatalogue();
  return cases;
}

}  // namespace vintage
