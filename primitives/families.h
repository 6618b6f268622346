// One function for each file that declares cases; catalogue.cpp calls them all.
// A new primitive is a new file, a line here and a line there.
#pragma once

#include "primitives/case_list.h"

namespace vintage {

// elementwise/
void addUnaryCases(CaseList& cases);
void addBinaryCases(CaseList& cases);
void addComparisonCases(CaseList& cases);
void addComplexPartCases(CaseList& cases);
void addConversionCases(CaseList& cases);
void addIntegerPowerCases(CaseList& cases);
void addSelectionCases(CaseList& cases);
// reductions/
void addReductionCases(CaseList& cases);
void addGenericReductionCases(CaseList& cases);
void addArgumentReductionCases(CaseList& cases);
void addCumulativeCases(CaseList& cases);
// shapes/
void addShapeCases(CaseList& cases);
void addPadCases(CaseList& cases);
void addIotaCases(CaseList& cases);
void addIdentityCases(CaseList& cases);
// indexing/
void addDynamicSliceCases(CaseList& cases);
void addGatherCases(CaseList& cases);
void addScatterCases(CaseList& cases);
// sorting/
void addSortCases(CaseList& cases);
void addTopKCases(CaseList& cases);
// contractions/
void addDotGeneralCases(CaseList& cases);
void addConvolutionCases(CaseList& cases);
void addFourierCases(CaseList& cases);
// windows/
void addReduceWindowCases(CaseList& cases);
void addSelectAndScatterCases(CaseList& cases);
void addSelectAndGatherCases(CaseList& cases);
// random/
void addThreefryCases(CaseList& cases);
// linear_algebra/
void addCholeskyCases(CaseList& cases);
void addEighCases(CaseList& cases);
void addEigCases(CaseList& cases);
void addLuCases(CaseList& cases);
void addQrCases(CaseList& cases);
void addSvdCases(CaseList& cases);
void addTriangularSolveCases(CaseList& cases);
// variants/
void addVariantCases(CaseList& cases);
// control_flow/
void addControlFlowCases(CaseList& cases);

}  // namespace vintage
