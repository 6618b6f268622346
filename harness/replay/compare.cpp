#include <fmt/format.h>

#include "harness/replay/replay.h"

namespace vintage::harness::replay {

Judged compareWithGolden(const Golden& golden, std::span<const Tensor> actual) {
  const auto mismatch = [](std::string detail) {
    return Judged{OutcomeKind::kMismatch, std::move(detail)};
  };
  if (actual.size() != golden.expected.size())
    return mismatch(fmt::format("{} outputs came out, {} are expected", actual.size(),
                                golden.expected.size()));
  if (golden.comparators.size() == 1) {
    const Comparison comparison =
        compareOutputs(golden.comparators.front(), golden.inputs, golden.expected, actual);
    return comparison.same ? Judged{} : mismatch(comparison.firstDifference);
  }
  if (golden.comparators.size() != golden.expected.size())
    return mismatch(fmt::format("the golden has {} comparators for {} outputs; one, or one for "
                                "each output, would tell when they are the same",
                                golden.comparators.size(), golden.expected.size()));
  for (size_t i = 0; i < actual.size(); ++i) {
    const Comparison comparison =
        compareOutputs(golden.comparators[i], golden.inputs,
                       std::span(golden.expected).subspan(i, 1), actual.subspan(i, 1));
    if (!comparison.same)
      return mismatch(fmt::format("output {}: {}", i, comparison.firstDifference));
  }
  return {};
}

}  // namespace vintage::harness::replay
