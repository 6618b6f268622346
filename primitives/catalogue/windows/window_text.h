// The attributes of windows as StableHLO prints them.
#pragma once

#include <string>

#include "golden/oracle/window.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

// "base_dilations = array<…>, padding = dense<…> : tensor<2x2xi64>, …": those
// that are not the default, window_dimensions always, in alphabetical order.
std::string windowAttributes(const oracle::Window& window);
// "dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>"
std::string paddingText(const Shape& low, const Shape& high);

}  // namespace vintage::primitives::catalogue
