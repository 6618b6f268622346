#include "harness/importer/measure_noise.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/isolate.h"
#include "golden/compare/golden.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

const std::vector<int64_t> kSeeds{1, 2, 3, 4, 5};
// Beyond the limit of the runs, for a program that is read and planned.
constexpr std::chrono::seconds kToRead{60};

bool isMeasured(const Archive::Put& put) {
  if (!put.golden || put.record.format == ArtifactRecord::Format::kSavedModel) return false;
  using enum Comparator::Kind;
  const auto looksAtElements = [](const Comparator& comparator) {
    return comparator.kind == kExact || comparator.kind == kElementwise;
  };
  const auto isOfFloats = [](const Tensor& tensor) { return isFloat(realPart(tensor.type())); };
  return std::ranges::any_of(put.golden->comparators, looksAtElements) &&
         (std::ranges::any_of(put.golden->inputs, isOfFloats) ||
          std::ranges::any_of(put.golden->expected, isOfFloats));
}

// In a child. Its bytes move into the engine, so that memory holds a large artifact once.
Result<std::optional<Noise>> measure(Archive::Put& put, std::chrono::milliseconds limit,
                                     Executor& engine) {
  const std::vector<std::string>& platforms = put.record.platforms;
  const bool runsOnCpu =
      platforms.empty() || std::ranges::find(platforms, "cpu") != platforms.end();
  std::vector<std::optional<uint64_t>> seeds{std::nullopt};
  for (const int64_t seed : kSeeds) seeds.emplace_back(static_cast<uint64_t>(seed));
  ASSIGN_OR_RETURN(const TensorRows runs,
                   engine.runWithSeeds(requestOf(put.record, runsOnCpu ? "cpu" : platforms.front(),
                                                 "graph", std::move(put.bytes), put.golden->inputs),
                                       seeds, limit));
  return noiseOf(*put.golden, kSeeds, runs.front(), std::span(runs).subspan(1));
}

// From the child to its parent: a line of JSON and the codes of all outputs. The line alone is an
// error; no codes follow where there is no noise.
std::string textOf(const Result<std::optional<Noise>>& result) {
  if (!result) return jsonText({{"problem", result.error().message}}) + "\n";
  if (!*result) return "{}\n";
  json header;
  std::string codes;
  for (const NoiseScale& scale : (*result)->outputs) {
    header["lowest"].push_back(scale.lowest);
    header["shapes"].push_back(scale.codes.shape());
    const auto bytes = scale.codes.bytes();
    codes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return header.dump() + "\n" + codes;
}

// Takes over what the child said; returns the problem, if any.
std::string take(const std::string& text, Golden& golden) {
  const size_t end = text.find('\n');
  const json header = json::parse(text.substr(0, end), nullptr, false);
  if (end == text.npos || !header.is_object()) return "its measurement was cut off";
  if (header.contains("problem")) return header["problem"].get<std::string>();
  if (!header.contains("lowest")) return "";
  Noise noise{kSeeds, {}};
  auto rest = std::as_bytes(std::span(text).subspan(end + 1));
  for (size_t i = 0; i < header["lowest"].size(); ++i) {
    const auto shape = header["shapes"][i].get<Shape>();
    const auto size = static_cast<size_t>(elementCount(shape));
    auto codes = size <= rest.size() ? Tensor::fromBytes(ElementType::kUi8, shape, rest.first(size))
                                     : badInput("its measurement was cut off");
    if (!codes) return codes.error().message;
    noise.outputs.push_back({std::move(*codes), header["lowest"][i].get<int64_t>()});
    rest = rest.subspan(size);
  }
  golden.noise = std::move(noise);
  return "";
}

}  // namespace

std::vector<std::string> measureNoise(std::span<Archive::Put* const> puts,
                                      const NoiseOptions& options) {
  std::vector<std::string> problems(puts.size());
  std::vector<size_t> measured;
  for (size_t i = 0; i < puts.size(); ++i)
    if (isMeasured(*puts[i])) measured.push_back(i);
  std::optional<Executor> engine;  // A child's, once it has begun.
  const auto work = [&](size_t place) {
    if (!engine) engine.emplace(options.memoryLimitBytes);
    return textOf(measure(*puts[measured[place]], options.limit, *engine));
  };
  const auto sink = [&](size_t place, const Result<std::string>& answer) {
    problems[measured[place]] =
        answer ? take(*answer, *puts[measured[place]]->golden)
               : answer.error().message + "; --timeout and --memory are its limits";
  };
  IsolationLimits limits;
  limits.memoryBytes = options.memoryLimitBytes;
  limits.time = std::chrono::ceil<std::chrono::seconds>(options.limit) + kToRead;
  const int children = std::min(std::max(options.jobs, 1), static_cast<int>(measured.size()));
  const Status status = runIsolatedMany(measured.size(), children, limits, work, sink);
  if (!status)
    for (const size_t i : measured) problems[i] = status.error().message;
  return problems;
}

void takeNoise(const Archive& archive, const ArtifactRecord& record, Archive::Put& put) {
  if (!put.golden || record.golden.empty()) return;
  if (auto golden = archive.readGolden(record)) put.golden->noise = std::move(golden->noise);
}

}  // namespace vintage::harness
