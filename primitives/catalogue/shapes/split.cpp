// split: slices of given sizes along one axis, as several results.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Split {
  Shape shape, sizes;
  int64_t axis;
};
const Split kSplits[] = {{{6}, {2, 4}, 0},
                         {{4, 5}, {1, 2, 2}, 1},
                         {{3, 2}, {3}, 0},
                         {{4, 3}, {0, 4}, 0},
                         {{2, 3, 4}, {1, 1, 1}, 1}};

// Where each piece begins and ends.
std::vector<std::pair<Shape, Shape>> pieces(const Split& split) {
  std::vector<std::pair<Shape, Shape>> result;
  const auto axis = static_cast<size_t>(split.axis);
  int64_t from = 0;
  for (int64_t size : split.sizes) {
    Shape start(split.shape.size(), 0), limit = split.shape;
    start[axis] = from;
    limit[axis] = from += size;
    result.push_back({std::move(start), std::move(limit)});
  }
  return result;
}

CaseSpecification splitCase(ElementType type, const Split& split) {
  return {.primitive = "split",
          .label = fmt::format("sizes={}_axis={}", dashed(split.sizes), split.axis),
          .arguments = {{type, split.shape}},
          .domains = {domains::kComplexEdges},
          .emit =
              [&split](Arguments x) {
                SsaValues results;
                for (const auto& [start, limit] : pieces(split))
                  results.push_back(slice(x[0], start, limit));
                return results;
              },
          .expect = [&split](Tensors inputs) -> Result<std::vector<Tensor>> {
            std::vector<Tensor> results;
            const Shape strides(split.shape.size(), 1);
            for (const auto& [start, limit] : pieces(split))
              results.push_back(oracle::sliced(inputs[0], start, limit, strides));
            return results;
          },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addSplitCases) {
  for (ElementType type : types::kAll) {
    for (const Split& split : kSplits) cases.add(splitCase(type, split));
  }
}

}  // namespace vintage::primitives
