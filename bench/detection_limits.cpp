// docs/measured/detection_limits.md: which errors of real models fail, by model and output.
//
//   PYTHON bench/models/rounding_faults.py MODELS --date 2026-10-21
//   detection_limits MODELS > docs/measured/detection_limits.md
//
// PYTHON is that of an environment of JAX (docs/howto/jax.md), and the date is that of its release.
// Each folder is one that `vintage import` takes: an artifact with its inputs and the outputs that
// its producer recorded. It is measured as import does, and the engine runs it. For each output:
// whether the engine's values are the same under the comparator alone, and with its noise; the
// detection limit; and whether faults are seen. A fault is either made here (an element of median
// size off by one thousandth of itself, the last row in the place of the one before it), or
// recorded beside the outputs as faulty_NAME_N.npy: what the producer gives where its program
// leaves out a term of a sum, or computes a layer in f16.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "golden/base/file.h"
#include "golden/compare/comparator_kinds.h"
#include "golden/compare/golden.h"
#include "golden/tensor/npy.h"
#include "golden/tensor/visit.h"
#include "harness/importer/import.h"
#include "harness/importer/measure_noise.h"
#include "harness/runtimes/embedded/executor.h"

namespace {

using namespace vintage;
using namespace vintage::golden;
using namespace vintage::harness;
using namespace vintage::archive;
namespace fs = std::filesystem;

constexpr const char* kThousandth = "thousandth";
constexpr const char* kLastRow = "last row";

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An element of median size, which is not zero; none where all are, or none is a float.
std::optional<size_t> medianElement(const Tensor& tensor) {
  Comparator exact;
  std::vector<std::pair<double, size_t>> sizes;
  const auto list = allowances(exact, tensor);
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].magnitude > 0) sizes.emplace_back(list[i].magnitude, i);
  if (sizes.empty()) return std::nullopt;
  const auto middle = sizes.begin() + std::ssize(sizes) / 2;
  std::ranges::nth_element(sizes, middle);
  return middle->second;
}

std::optional<Tensor> withElementOff(const Tensor& sound) {
  const auto at = medianElement(sound);
  if (!at) return std::nullopt;
  Tensor faulty = sound;
  visitElementType(sound.type(), [&]<typename T>() {
    T& value = faulty.mutableValues<T>()[*at];
    if constexpr (kIsComplexStorage<T>)
      value *= static_cast<typename T::value_type>(1.001);
    else if constexpr (kIsFloatStorage<T>)
      value = static_cast<T>(static_cast<double>(value) * 1.001);
  });
  if (faulty.identical(sound)) return std::nullopt;  // Its type has no such number.
  return faulty;
}

std::optional<Tensor> withLastRowRepeated(const Tensor& sound) {
  if (sound.rank() == 0 || sound.shape()[0] < 2 || sound.size() == 0) return std::nullopt;
  Tensor faulty = sound;
  const auto bytes = faulty.mutableBytes();
  const size_t row = bytes.size() / static_cast<size_t>(sound.shape()[0]);
  std::memcpy(bytes.data() + bytes.size() - row, bytes.data() + bytes.size() - 2 * row, row);
  if (faulty.identical(sound)) return std::nullopt;
  return faulty;
}

// Of all outputs of a model.
struct Summary {
  size_t outputs = 0, differ = 0, differWithNoise = 0;
  int64_t elements = 0, notComparable = 0;
  std::vector<double> medians;
  double worst = 0;
  // How many of the faults of a kind are seen, of how many.
  std::map<std::string, std::pair<int, int>> faults;
};

class Model {
 public:
  Model(fs::path folder, Archive::Put put) : folder_(std::move(folder)), put_(std::move(put)) {}

  const std::string& name() const { return put_.record.name; }

  // The section of the page; what it comes to is added to `summary`.
  std::string section(Executor& engine, Summary& summary) {
    std::string text;
    const size_t before = writeGolden(*put_.golden)->size();
    const auto runStart = std::chrono::steady_clock::now();
    const ExecuteReply reply =
        engine.execute(requestOf(put_.record, "cpu", "graph", put_.bytes, put_.golden->inputs));
    const double run = secondsSince(runStart);
    Archive::Put* const one = &put_;
    const auto start = std::chrono::steady_clock::now();
    const std::string problem = measureNoise({&one, 1}, {}).front();
    const size_t after = writeGolden(*put_.golden)->size();
    text += fmt::format(
        "\n## {}\n\nMeasured in {:.2f} s; one execution takes {:.2f} s. The golden has {} bytes, "
        "and {} more for its scales.{}{}\n\n",
        put_.record.name, secondsSince(start), run, before, after - before,
        problem.empty() ? "" : " Not measured: ", problem);
    if (reply.outcome != OutcomeKind::kPass) {
      return text + fmt::format("The engine does not run it: {}\n", reply.detail);
    }
    const auto faults = recordedFaults();
    text += fmt::format(
        "| output | comparator alone | with its noise | fails from | {} |\n| --- | --- | --- | --- "
        "|",
        fmt::join(faults, " | "));
    for (size_t i = 0; i < faults.size(); ++i) text += " --- |";
    const auto limits = detectionLimits(*put_.golden);
    for (size_t i = 0; i < put_.golden->expected.size(); ++i) {
      const Tensor& expected = put_.golden->expected[i];
      const Comparison alone = compared(i, reply.outputs[i], false),
                       within = compared(i, reply.outputs[i], true);
      text += fmt::format("\n| {} {} | {} | {} | {} |", i, vintage::golden::describe(expected),
                          verdict(alone), verdict(within), describe(limits[i]));
      ++summary.outputs;
      summary.differ += alone.same ? 0 : 1;
      summary.differWithNoise += within.same ? 0 : 1;
      summary.elements += limits[i].elements;
      summary.notComparable += limits[i].notComparable;
      if (limits[i].median > 0) summary.medians.push_back(limits[i].median);
      summary.worst = std::max(summary.worst, limits[i].worst);
      for (const std::string& fault : faults) text += seen(i, fault, summary);
    }
    return text + "\n";
  }

 private:
  Comparison compared(size_t output, const Tensor& actual, bool withNoise) const {
    const Golden& golden = *put_.golden;
    const bool byMeaning = golden.comparators.size() == 1 && golden.expected.size() > 1;
    const Comparator& comparator = golden.comparators[golden.comparators.size() == 1 ? 0 : output];
    if (byMeaning) return {.same = true};  // Of all outputs together.
    const std::span<const NoiseScale> noise =
        withNoise && golden.noise ? std::span(golden.noise->outputs).subspan(output, 1)
                                  : std::span<const NoiseScale>();
    return compareOutputs(comparator, golden.inputs, std::span(&golden.expected[output], 1),
                          {&actual, 1}, noise);
  }
  static std::string verdict(const Comparison& comparison) {
    if (!comparison.same)
      return fmt::format("differs: {} elements, {}", comparison.differingElements,
                         comparison.firstDifference);
    return comparison.notComparable == 0
               ? "same"
               : fmt::format("{} not comparable", comparison.notComparable);
  }
  std::string seen(size_t output, const std::string& fault, Summary& summary) const {
    const Tensor& sound = put_.golden->expected[output];
    const auto faulty = fault == kThousandth ? withElementOff(sound)
                        : fault == kLastRow  ? withLastRowRepeated(sound)
                                             : recorded(fault, output);
    if (!faulty || faulty->identical(sound)) return " |";
    const bool same = compared(output, *faulty, true).same;
    auto& [caught, of] = summary.faults[fault];
    caught += same ? 0 : 1;
    ++of;
    return same ? " not seen |" : " seen |";
  }

  std::vector<std::string> recordedFaults() const {
    std::vector<std::string> names{kThousandth, kLastRow};
    for (const auto& file : fs::directory_iterator(folder_)) {
      const std::string name = file.path().stem();
      if (name.starts_with("faulty_") && name.ends_with("_0"))
        names.push_back(name.substr(7, name.size() - 9));
    }
    std::ranges::sort(names.begin() + 2, names.end());
    return names;
  }
  std::optional<Tensor> recorded(const std::string& fault, size_t output) const {
    const fs::path path = folder_ / fmt::format("faulty_{}_{}.npy", fault, output);
    const auto bytes = readFile(path);
    if (!bytes) return std::nullopt;
    auto tensor = readNpy(*bytes, path.string(), put_.golden->expected[output].type());
    return tensor ? std::optional(std::move(*tensor)) : std::nullopt;
  }

  fs::path folder_;
  Archive::Put put_;
};

constexpr const char* kHead = R"(# Which errors of a model fail

Models as JAX 0.12.0.1 exported them, with the outputs that it computed, on the embedded engine.
The engine computes otherwise than that release, and both are sound: *alone* counts outputs that the
comparator by itself calls wrong, *with noise* those that stay wrong within the noise of the golden
([golden_format.md](../reference/golden_format.md#noise)). *Fails from*: the smallest relative error of an element
that fails, the median over outputs and the largest of any element. *Thousandth*: an element of median size,
off by one thousandth of itself. *Last row*: the last row is the one before it. *Term*: what the release
computes where a sum or a matrix product lacks its last term. *F16*: where the factors of a matrix product or
a convolution are rounded to f16. Each is in the first such operation outside of loops that changes an output,
and counts for each output that it changes.

Written by these commands, with the Python of an environment of that release ([jax.md](../howto/jax.md)):

```
python bench/models/rounding_faults.py MODELS --date 2026-10-21
detection_limits MODELS > docs/measured/detection_limits.md
```

| model | outputs | alone | with noise | not comparable | fails from | worst | seen of the faults |
| --- | --- | --- | --- | --- | --- | --- | --- |
)";

std::string row(const std::string& name, Summary summary) {
  std::string faults, median = "-";
  for (const auto& [fault, counts] : summary.faults)
    faults += fmt::format("{}{} {} of {}", faults.empty() ? "" : ", ", fault, counts.first,
                          counts.second);
  if (!summary.medians.empty()) {
    const auto middle = summary.medians.begin() + std::ssize(summary.medians) / 2;
    std::ranges::nth_element(summary.medians, middle);
    median = fmt::format("{:.2g}", *middle);
  }
  return fmt::format("| {} | {} | {} | {} | {} of {} elements | {} | {:.2g} | {} |\n", name,
                     summary.outputs, summary.differ, summary.differWithNoise,
                     summary.notComparable, summary.elements, median, summary.worst, faults);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  const auto entries = findImportEntries(paths);
  if (!entries) {
    fmt::print(stderr, "detection_limits: {}\n", entries.error().message);
    return 2;
  }
  auto read = readImportEntries(*entries, {});
  std::string table, sections;
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i] || !read[i]->put.golden) {
      fmt::print(stderr, "detection_limits: {}: {}\n", (*entries)[i].path.string(),
                 read[i] ? "it has no outputs" : read[i].error().message);
      continue;
    }
    Executor engine(size_t{8} << 30);
    Model model((*entries)[i].path, std::move(read[i]->put));
    Summary summary;
    sections += model.section(engine, summary);
    table += row(model.name(), summary);
  }
  fmt::print("{}{}{}", kHead, table, sections);
}
