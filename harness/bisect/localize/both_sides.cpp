#include "harness/bisect/localize/both_sides.h"

#include <fmt/format.h>

namespace vintage::harness::bisect {

std::string describeFailure(const Executed& executed) {
  return fmt::format("{}: {}", executed.kind(), executed.detail);
}

Result<SeenOnBoth> BothSides::run(const Program& program, std::span<const Tensor> arguments) {
  auto expected = reference_.run(program, arguments);
  if (!expected) return within("the reference", expected.error());
  if (!expected->ran())
    return failure(Error::Kind::kUsage,
                   fmt::format("the reference fails as well: {}: {}; choose another with "
                               "--reference",
                               expected->kind(), expected->detail));
  auto actual = failing_.run(program, arguments);
  if (!actual) return within("the failing consumer", actual.error());
  SeenOnBoth seen;
  seen.failure = !actual->ran();
  if (!seen.failure) seen.difference = firstDifference(expected->outputs, actual->outputs, {});
  seen.expected = std::move(*expected);
  seen.actual = std::move(*actual);
  return seen;
}

}  // namespace vintage::harness::bisect
