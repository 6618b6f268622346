#include "harness/bisect/localize/side.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/compare/comparator_kinds.h"
#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

Comparison compare(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual) {
  Comparison comparison;
  const bool exact = !tolerance.absolute && !tolerance.relative && !tolerance.ulps;
  if (exact || !(isFloat(expected.type()) || isComplex(expected.type())))
    compareExactly(expected, actual, "", comparison);
  else
    compareElements(tolerance, expected, actual, "", comparison);
  return comparison;
}

Tensor elementOf(const Tensor& tensor, int64_t index) {
  const size_t width = byteWidth(tensor.type());
  auto element = Tensor::fromBytes(
      tensor.type(), {}, tensor.bytes().subspan(static_cast<size_t>(index) * width, width));
  return element ? *element : Tensor();
}

}  // namespace

std::optional<ValueDifference> firstDifference(std::span<const Tensor> expected,
                                               std::span<const Tensor> actual,
                                               const Tolerance& tolerance) {
  ValueDifference difference;
  if (expected.size() != actual.size()) {
    difference.structure =
        fmt::format("{} values were expected, {} were found", expected.size(), actual.size());
    return difference;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    difference.output = i;
    if (expected[i].type() != actual[i].type() || expected[i].shape() != actual[i].shape()) {
      difference.structure =
          fmt::format("expected {}, found {}", describe(expected[i]), describe(actual[i]));
      return difference;
    }
    if (expected[i].identical(actual[i])) continue;
    const Comparison comparison = compare(tolerance, expected[i], actual[i]);
    if (comparison.differingElements == 0) continue;
    difference.elements = comparison.differingElements;
    for (int64_t element = 0; element < expected[i].size(); ++element) {
      if (compare(tolerance, elementOf(expected[i], element), elementOf(actual[i], element))
              .differingElements == 0)
        continue;
      difference.index = formatIndex(expected[i].shape(), element);
      difference.expected = formatElement(expected[i], element);
      difference.actual = formatElement(actual[i], element);
      if (isFloat(expected[i].type()) || isComplex(expected[i].type()))
        if (const int64_t ulps = ulpDistance(expected[i], element, actual[i], element);
            ulps != kFarApart)
          difference.ulps = ulps;
      return difference;
    }
  }
  return std::nullopt;
}

std::string describe(const ValueDifference& difference) {
  if (!difference.structure.empty())
    return fmt::format("result {}: {}", difference.output, difference.structure);
  return fmt::format("result {} at {}: expected {}, found {}{}; {} elements differ",
                     difference.output, difference.index, difference.expected, difference.actual,
                     difference.ulps ? fmt::format(" ({} ulps)", *difference.ulps) : "",
                     difference.elements);
}

Side::Side(const std::vector<std::string>& command, std::string platform, std::string mode,
           const WorkerLimits& limits)
    : platform_(std::move(platform)),
      mode_(std::move(mode)),
      host_(makePosixProcessHost()),
      pool_(poolOptions(command, limits), *host_) {}

Result<std::vector<std::byte>> writeModule(const Program& program) {
  if (const auto version = program.artifactVersion())
    if (auto bytes = program.writePortableArtifact(*version)) return bytes;
  ASSIGN_OR_RETURN(auto minimum, program.minimumVersion());
  return program.writePortableArtifact(minimum.version);
}

Result<ExecuteRequest> requestFor(const Program& program, std::span<const Tensor> arguments,
                                  const std::string& platform, const std::string& mode) {
  ASSIGN_OR_RETURN(auto module, writeModule(program));
  ExecuteRequest request;
  request.name = "part of a program";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = platform;
  // One platform: a platform index is among the arguments already.
  request.platforms = {platform};
  request.mode = mode;
  request.artifact = std::move(module);
  request.inputs.assign(arguments.begin(), arguments.end());
  return request;
}

Result<Executed> Side::run(const Program& program, std::span<const Tensor> arguments) {
  ASSIGN_OR_RETURN(auto request, requestFor(program, arguments, platform_, mode_));
  request.id = static_cast<uint64_t>(executions_++);
  ASSIGN_OR_RETURN(auto result, pool_.execute(std::move(request)));
  return Executed{std::move(result)};
}

std::string describeFailure(const Executed& executed) {
  return fmt::format("{}: {}", executed.kind(), executed.detail);
}

Result<SeenOnBoth> BothSides::run(const Program& program, std::span<const Tensor> arguments) {
  ASSIGN_OR_RETURN(auto expected, within("the reference", reference_.run(program, arguments)));
  if (!expected.ran())
    return usageError("the reference fails as well: {}: {}; choose another with --reference",
                      expected.kind(), expected.detail);
  ASSIGN_OR_RETURN(auto actual, within("the failing consumer", failing_.run(program, arguments)));
  SeenOnBoth seen;
  seen.failure = !actual.ran();
  if (!seen.failure) seen.difference = firstDifference(expected.outputs, actual.outputs, {});
  seen.expected = std::move(expected);
  seen.actual = std::move(actual);
  return seen;
}

}  // namespace vintage::harness
