#include "primitives/catalogue/indexing/indexing_cases.h"

#include <algorithm>

namespace vintage::primitives {
using namespace golden;

namespace {

const IndexingUse kIndexingUses[] = {
    {"points", {5}, {2, 1}, {1}, {{}, {0}, {}, {}, {0}, 1}},
    {"windows", {10}, {3, 1}, {2}, {{1}, {}, {}, {}, {0}, 1}},
    {"rows", {10, 5}, {3, 1}, {1, 3}, {{1}, {0}, {}, {}, {0}, 1}},
    {"pairs", {4, 5}, {3, 2}, {1, 1}, {{}, {0, 1}, {}, {}, {0, 1}, 1}},
    {"columns", {5, 4}, {2, 1}, {3, 1}, {{1}, {1}, {}, {}, {1}, 1}},
    {"batched", {2, 6}, {2, 3, 1}, {1, 1}, {{}, {1}, {0}, {0}, {1}, 2}},
};

}  // namespace

const char* indexModeName(IndexMode mode) {
  switch (mode) {
    case IndexMode::kClip:
      return "clip";
    case IndexMode::kFillOrDrop:
      return "fill";
    case IndexMode::kPromiseInBounds:
      return "promise";
  }
  return "";
}

std::span<const IndexingUse> indexingUses() { return kIndexingUses; }

Tensor makeIndices(const IndexingUse& use, bool distinct, bool someOutside, Random& random) {
  const auto coordinates = static_cast<int64_t>(use.dimensions.startIndexMap.size());
  const int64_t vectors = elementCount(use.indices) / coordinates;
  Tensor indices(ElementType::kI32, use.indices);
  int64_t position = 0;
  for (int64_t v = 0; v < vectors; ++v) {
    for (int64_t axis : use.dimensions.startIndexMap) {
      const auto i = static_cast<size_t>(axis);
      const int64_t last = use.operand[i] - use.slice[i];
      // Disjoint windows: overlapping ones are not unique.
      const int64_t places = last / use.slice[i];
      int64_t index = distinct ? std::min(v, places) : random.integer(0, places);
      index *= use.slice[i];
      if (someOutside && v % 3 == 1)
        index = random.next() % 2 == 0 ? -use.operand[i] - 2 : use.operand[i] + 3;
      oracle::store(indices, position++, {index});
    }
  }
  return indices;
}

Shape highestStarts(const IndexingUse& use) {
  Shape highest;
  for (int64_t axis : use.dimensions.startIndexMap) {
    const auto i = static_cast<size_t>(axis);
    highest.push_back(use.operand[i] - use.slice[i]);
  }
  return highest;
}

}  // namespace vintage::primitives
