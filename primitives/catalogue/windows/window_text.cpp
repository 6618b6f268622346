#include "primitives/catalogue/windows/window_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/module_writer.h"

namespace vintage::primitives::catalogue {

std::string paddingText(const Shape& low, const Shape& high) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < low.size(); ++i) pairs.push_back(fmt::format("[{}, {}]", low[i], high[i]));
  return fmt::format("dense<[{}]> : tensor<{}x2xi64>", fmt::join(pairs, ", "), low.size());
}

std::string windowAttributes(const oracle::Window& window) {
  const Shape ones(window.dimensions.size(), 1), zeros(window.dimensions.size(), 0);
  std::vector<std::string> parts;
  auto add = [&](std::string_view name, const Shape& values, bool always = false) {
    if (always || values != ones) parts.push_back(fmt::format("{} = {}", name, arrayText(values)));
  };
  add("base_dilations", window.baseDilation);
  if (window.paddingLow != zeros || window.paddingHigh != zeros) {
    parts.push_back("padding = " + paddingText(window.paddingLow, window.paddingHigh));
  }
  add("window_dilations", window.windowDilation);
  add("window_dimensions", window.dimensions, true);
  add("window_strides", window.strides);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace vintage::primitives::catalogue
