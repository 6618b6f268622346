// argmax, argmin.
#include <limits>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives::catalogue {
namespace {

void addArgumentReduction(CaseList& cases, bool largest, ElementType type, const Shape& shape,
                          int64_t dimension, ElementType index) {
  const char* name = largest ? "argmax" : "argmin";
  cases.add(
      {.primitive = name,
       .label = fmt::format("axis={}_index={}", dimension, dtypeName(index)),
       .arguments = {{type, shape}},
       // A NaN decides everything: only long rows keep other contests.
       .domains = {shape[static_cast<size_t>(dimension)] > 12 ? domains::kFewEdges
                                                              : domains::kTies},
       .emit = [=](FunctionBuilder& main, Arguments arguments) {
         return main.module().callPrivate(main, name, arguments, [&](FunctionBuilder& callee) {
           callee.finish(
               {argumentReduce(callee, callee.arguments()[0], largest, dimension, index)});
         });
       },
       .expect = [=](Tensors inputs) {
         return oracle::argumentReduced(inputs[0], dimension, largest, index);
       }});
}

}  // namespace

VINTAGE_FAMILY(addArgumentReductionCases) {
  for (bool largest : {true, false}) {
    for (ElementType type : types::ordered()) {
      for (ElementType index : {ElementType::kI32, ElementType::kI64, ElementType::kUi32,
                                ElementType::kUi64}) {
        addArgumentReduction(cases, largest, type, {15}, 0, index);
      }
      addArgumentReduction(cases, largest, type, {4, 5}, 1, ElementType::kI32);
      cases.addPoly([&](CaseList& list, Sizes s) {
        addArgumentReduction(list, largest, type, {s.b, s.c}, 1, ElementType::kI32);
      });
    }
    for (ElementType index : {ElementType::kI32, ElementType::kI8, ElementType::kUi8}) {
      addArgumentReduction(cases, largest, ElementType::kF32, {18, 12}, 0, index);
      addArgumentReduction(cases, largest, ElementType::kF32, {18, 12}, 1, index);
    }
    addArgumentReduction(cases, largest, ElementType::kF32, {2, 3, 4}, 1, ElementType::kI64);
    addArgumentReduction(cases, largest, ElementType::kI32, {1}, 0, ElementType::kI32);
  }
}

}  // namespace vintage::primitives::catalogue
