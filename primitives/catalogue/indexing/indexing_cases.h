// Shared by gather and scatter cases: shapes, dimension numbers, indices.
#pragma once

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {

enum class IndexMode { kClip, kFillOrDrop, kPromiseInBounds };
inline constexpr IndexMode kIndexModes[] = {IndexMode::kClip, IndexMode::kFillOrDrop,
                                            IndexMode::kPromiseInBounds};
const char* indexModeName(IndexMode mode);  // "clip", "fill", "promise"

struct IndexingUse {
  const char* name;
  golden::Shape operand, indices, slice;
  golden::oracle::IndexingDimensions dimensions;
};
std::span<const IndexingUse> indexingUses();

// Indices of i32: sorted and without overlapping windows if `distinct`; occasionally outside with
// `someOutside`, so far that no window is partly outside.
golden::Tensor makeIndices(const IndexingUse& use, bool distinct, bool someOutside, Random& random);

// The highest start index of each indexed dimension.
golden::Shape highestStarts(const IndexingUse& use);

}  // namespace vintage::primitives
