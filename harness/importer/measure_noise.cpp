#include "harness/importer/measure_noise.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "golden/base/failures.h"
#include "golden/base/isolate.h"
#include "golden/compare/golden.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

const std::vector<int64_t> kSeeds{1, 2, 3, 4, 5};
// Beyond the limit of the runs, for a program that is read and planned.
constexpr std::chrono::seconds kToRead{60};

// Whether roundings have a part in an output that compares element by element.
bool scatters(const Golden& golden) {
  using enum Comparator::Kind;
  const auto looksAtElements = [](const Comparator& comparator) {
    return comparator.kind == kExact || comparator.kind == kElementwise;
  };
  const auto isOfFloats = [](const Tensor& tensor) { return isFloat(realPart(tensor.type())); };
  return std::ranges::any_of(golden.comparators, looksAtElements) &&
         (std::ranges::any_of(golden.inputs, isOfFloats) ||
          std::ranges::any_of(golden.expected, isOfFloats));
}

// Sets noise and second opinion. `bytes` move into the engine, so that memory holds a large
// artifact once.
Status measure(const ArtifactRecord& record, std::vector<std::byte> bytes,
               std::chrono::milliseconds limit, Executor& engine, Golden& golden) {
  const std::vector<std::string>& platforms = record.platforms;
  const bool runsOnCpu =
      platforms.empty() || std::ranges::find(platforms, "cpu") != platforms.end();
  std::vector<std::optional<uint64_t>> seeds{std::nullopt};
  if (scatters(golden))
    for (const int64_t seed : kSeeds) seeds.emplace_back(static_cast<uint64_t>(seed));
  ASSIGN_OR_RETURN(TensorRows runs,
                   engine.runWithSeeds(requestOf(record, runsOnCpu ? "cpu" : platforms.front(),
                                                 "graph", std::move(bytes), golden.inputs),
                                       seeds, limit));
  ASSIGN_OR_RETURN(golden.noise, noiseOf(golden, kSeeds, runs.front(), std::span(runs).subspan(1)));
  if (!compareWith(golden, golden.expected, runs.front()).same)
    golden.second = {embeddedEngineBuild(compiledOn()).name, std::move(runs.front())};
  return {};
}

// From the child to its parent: an error, or a golden without inputs.
constexpr char kProblem = '!', kMeasured = '=';

std::string answerOf(Archive::Put& put, std::chrono::milliseconds limit, Executor& engine) {
  Golden& golden = *put.golden;
  if (Status status = measure(put.record, std::move(put.bytes), limit, engine, golden); !status)
    return kProblem + status.error().message;
  golden.inputs.clear();
  golden.seeds.clear();
  const auto bytes = writeGolden(golden);
  if (!bytes) return kProblem + bytes.error().message;
  return kMeasured + std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// Takes over what the child said; returns the problem, if any.
std::string take(std::string_view text, Golden& golden) {
  if (text.empty()) return "its measurement was cut off";
  const std::string_view rest = text.substr(1);
  if (text.front() == kProblem) return std::string(rest);
  auto said = readGolden(std::as_bytes(std::span(rest)), "its measurement");
  if (!said) return said.error().message;
  golden.noise = std::move(said->noise);
  golden.second = std::move(said->second);
  return "";
}

}  // namespace

std::vector<std::string> measureNoise(std::span<Archive::Put* const> puts,
                                      const NoiseOptions& options) {
  std::vector<std::string> problems(puts.size());
  std::vector<size_t> measured;
  for (size_t i = 0; i < puts.size(); ++i)
    if (puts[i]->golden && puts[i]->record.format != ArtifactRecord::Format::kSavedModel)
      measured.push_back(i);
  std::optional<Executor> engine;  // A child's, once it has begun.
  const auto work = [&](size_t place) {
    if (!engine) engine.emplace(options.memoryLimitBytes);
    return answerOf(*puts[measured[place]], options.limit, *engine);
  };
  const auto sink = [&](size_t place, const Result<std::string>& answer) {
    Golden& golden = *puts[measured[place]]->golden;
    std::string problem = answer
                              ? take(*answer, golden)
                              : answer.error().message + "; --timeout and --memory are its limits";
    if (scatters(golden)) problems[measured[place]] = std::move(problem);
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

Status measureNoiseHere(Archive::Put& put, const NoiseOptions& options) {
  Executor engine(options.memoryLimitBytes);
  return measure(put.record, put.bytes, options.limit, engine, *put.golden);
}

void takeNoise(const Archive& archive, const ArtifactRecord& record, Archive::Put& put) {
  if (!put.golden || record.golden.empty()) return;
  auto golden = archive.readGolden(record);
  if (!golden) return;
  put.golden->noise = std::move(golden->noise);
  put.golden->second = std::move(golden->second);
}

}  // namespace vintage::harness
