// eq, ne, lt, le, gt, ge.
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct ComparisonPrimitive {
  const char* name;
  const char* direction;
  oracle::Ordering ordering;
};

const ComparisonPrimitive kComparisons[] = {
    {"eq", "EQ", oracle::Ordering::kEq}, {"ne", "NE", oracle::Ordering::kNe},
    {"lt", "LT", oracle::Ordering::kLt}, {"le", "LE", oracle::Ordering::kLe},
    {"gt", "GT", oracle::Ordering::kGt}, {"ge", "GE", oracle::Ordering::kGe},
};

CaseSpecification comparisonCase(const ComparisonPrimitive& primitive, ElementType type,
                                 const Shape& left, const Shape& right) {
  // Ties matter more than range for complex numbers.
  const Domain domain = isComplex(type) ? domains::kTies : domains::kFewEdges;
  return {.primitive = primitive.name,
          .arguments = {{type, left}, {type, right}},
          .domains = {domain, domain},
          .emit =
              [&primitive](Arguments x) {
                SsaValue a = x[0], b = x[1];
                if (a.shape.size() < b.shape.size()) a = broadcast(a, b.shape);
                if (b.shape.size() < a.shape.size()) b = broadcast(b, a.shape);
                const std::string_view direction = primitive.direction;
                if (!isComplex(a.type) || direction == "EQ" || direction == "NE")
                  return compare(direction, a, b);
                // JAX orders complex numbers by their real parts, then by the imaginary ones.
                return compareLexicographically(direction, a, b);
              },
          .expect =
              [&primitive](Tensors inputs) {
                return oracle::applyComparison(primitive.ordering, inputs[0], inputs[1]);
              }};
}

}  // namespace

VINTAGE_FAMILY(addComparisonCases) {
  for (const ComparisonPrimitive& primitive : kComparisons) {
    for (ElementType type : types::kAll) {
      cases.add(comparisonCase(primitive, type, {9, 10}, {9, 10}));
      cases.add(comparisonCase(primitive, type, {}, {}));
    }
    for (ElementType type : types::kSmall)
      cases.add(comparisonCase(primitive, type, {9, 10}, {9, 10}));
    cases.add(comparisonCase(primitive, ElementType::kF32, {}, {2, 3}));
    cases.add(comparisonCase(primitive, ElementType::kF32, {2, 3}, {}));
    cases.add(comparisonCase(primitive, ElementType::kF32, {0, 2}, {0, 2}));
  }
}

}  // namespace vintage::primitives
