// The windows that cases and their derivatives go over.
#pragma once

#include "golden/oracle/reduction.h"

namespace vintage::primitives {

struct WindowUse {
  const char* name;
  golden::Shape operand;
  golden::oracle::Window window;
};

inline const WindowUse kReduceWindowUses[] = {
    {"valid", {4, 6}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"same", {4, 6}, {{2, 3}, {1, 1}, {0, 1}, {1, 1}, {1, 1}, {1, 1}}},
    {"strides", {4, 6}, {{2, 2}, {1, 2}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"padding", {3, 4}, {{2, 2}, {1, 1}, {1, 2}, {1, 1}, {1, 1}, {1, 1}}},
    {"base_dilation", {3, 4}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {2, 3}, {1, 1}}},
    {"window_dilation", {5, 6}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {2, 2}}},
};
inline const WindowUse kSelectAndScatterUses[] = {
    {"apart", {4, 6}, {{2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"overlapping", {4, 5}, {{2, 3}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"padding", {4, 5}, {{2, 2}, {2, 2}, {0, 1}, {0, 0}, {1, 1}, {1, 1}}},
};
inline const WindowUse kSelectAndGatherUses[] = {
    {"apart", {4, 6}, {{2, 3}, {2, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"overlapping", {4, 5}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}},
    {"padding", {4, 5}, {{2, 2}, {1, 2}, {1, 0}, {0, 1}, {1, 1}, {1, 1}}},
    {"base_dilation", {3, 4}, {{3, 3}, {1, 1}, {0, 0}, {0, 0}, {2, 2}, {1, 1}}},
    {"window_dilation", {5, 6}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {2, 2}}},
};

}  // namespace vintage::primitives
