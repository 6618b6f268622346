// docs/measured/detection_limits.md: which errors of real models fail, by model.
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
constexpr const char* kFaults[] = {kThousandth, kLastRow, "term", "f16"};

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
  double seconds = 0;  // To measure the noise.
  size_t bytesOfScales = 0;
  size_t outputs = 0, differ = 0, differWithNoise = 0;
  int64_t elements = 0, notComparable = 0;
  std::vector<double> medians;
  double worst = 0;
  // How many of the faults of a kind are seen, of how many.
  std::map<std::string, std::pair<int, int>> faults;
  // By the faults that are not seen: the median limits of the outputs, 0 where there is none.
  std::map<std::string, std::vector<double>> unseen;
};

class Model {
 public:
  Model(fs::path folder, Archive::Put put) : folder_(std::move(folder)), put_(std::move(put)) {}

  const std::string& name() const { return put_.record.name; }

  // None where the engine does not run it, which is said on stderr.
  std::optional<Summary> measure(Executor& engine) {
    Summary summary;
    const size_t before = writeGolden(*put_.golden)->size();
    const ExecuteReply reply =
        engine.execute(requestOf(put_.record, "cpu", "graph", put_.bytes, put_.golden->inputs));
    Archive::Put* const one = &put_;
    const auto start = std::chrono::steady_clock::now();
    const std::string problem = measureNoise({&one, 1}, {}).front();
    summary.seconds = secondsSince(start);
    summary.bytesOfScales = writeGolden(*put_.golden)->size() - before;
    for (const std::string& said : {problem, reply.detail})
      if (!said.empty()) fmt::print(stderr, "detection_limits: {}: {}\n", name(), said);
    if (reply.outcome != OutcomeKind::kPass) return std::nullopt;
    const auto limits = detectionLimits(*put_.golden);
    for (size_t i = 0; i < put_.golden->expected.size(); ++i) {
      ++summary.outputs;
      summary.differ += compared(i, reply.outputs[i], false).same ? 0 : 1;
      summary.differWithNoise += compared(i, reply.outputs[i], true).same ? 0 : 1;
      summary.elements += limits[i].elements;
      summary.notComparable += limits[i].notComparable;
      if (limits[i].median > 0) summary.medians.push_back(limits[i].median);
      summary.worst = std::max(summary.worst, limits[i].worst);
      std::string unseen;
      for (const char* fault : kFaults)
        if (!isSeen(i, fault, summary))
          unseen += fmt::format("{}{}", unseen.empty() ? "" : ", ", fault);
      if (!unseen.empty()) summary.unseen[unseen].push_back(limits[i].median);
    }
    return summary;
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
  // Also where the output has no such fault.
  bool isSeen(size_t output, const std::string& fault, Summary& summary) const {
    const Tensor& sound = put_.golden->expected[output];
    const auto faulty = fault == kThousandth ? withElementOff(sound)
                        : fault == kLastRow  ? withLastRowRepeated(sound)
                                             : recorded(fault, output);
    if (!faulty || faulty->identical(sound)) return true;
    const bool same = compared(output, *faulty, true).same;
    auto& [caught, of] = summary.faults[fault];
    caught += same ? 0 : 1;
    ++of;
    return !same;
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
and counts for each output that it changes: seen, of all. *Seconds* is the time to measure the noise, and *scales*
the bytes that it adds to the golden.

Written by these commands, with the Python of an environment of that release ([jax.md](../howto/jax.md)):

```
python bench/models/rounding_faults.py MODELS --date 2026-10-21
detection_limits MODELS > docs/measured/detection_limits.md
```

| model | seconds | scales | outputs | alone | with noise | not comparable | fails from | worst | thousandth | last row | term | f16 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
)";
constexpr const char* kUnseen = R"(
## Faults that are not seen

The outputs on which the same faults are not seen, and from where their elements fail. *No limit*: those that are
compared by meaning, or whose every element roundings scatter by as much as it is large.

| model | not seen | outputs | fails from | no limit |
| --- | --- | --- | --- | --- |
)";

std::string row(const std::string& name, Summary summary) {
  std::string faults, median = "-";
  for (const char* fault : kFaults) {
    const auto [seen, all] = summary.faults[fault];
    faults += all == 0 ? " |" : fmt::format(" {}/{} |", seen, all);
  }
  if (!summary.medians.empty()) {
    const auto middle = summary.medians.begin() + std::ssize(summary.medians) / 2;
    std::ranges::nth_element(summary.medians, middle);
    median = fmt::format("{:.2g}", *middle);
  }
  return fmt::format("| {} | {:.2f} | {} | {} | {} | {} | {}/{} | {} | {:.2g} |{}\n", name,
                     summary.seconds, summary.bytesOfScales, summary.outputs, summary.differ,
                     summary.differWithNoise, summary.notComparable, summary.elements, median,
                     summary.worst, faults);
}

std::string unseenRows(const std::string& name, const Summary& summary) {
  std::string rows;
  for (const auto& [faults, medians] : summary.unseen) {
    std::vector<double> limits = medians;
    std::erase(limits, 0);
    std::string range;
    if (!limits.empty()) {
      const auto [least, most] = std::ranges::minmax(limits);
      range = fmt::format("{:.2g}", least);
      if (limits.size() > 1) range += fmt::format(" to {:.2g}", most);
    }
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", name, faults, medians.size(), range,
                        medians.size() - limits.size());
  }
  return rows;
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
  std::string table, unseen;
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i] || !read[i]->put.golden) {
      fmt::print(stderr, "detection_limits: {}: {}\n", (*entries)[i].path.string(),
                 read[i] ? "it has no outputs" : read[i].error().message);
      continue;
    }
    Executor engine(size_t{8} << 30);
    Model model((*entries)[i].path, std::move(read[i]->put));
    if (const auto summary = model.measure(engine)) {
      table += row(model.name(), *summary);
      unseen += unseenRows(model.name(), *summary);
    }
  }
  fmt::print("{}{}{}{}", kHead, table, kUnseen, unseen);
}
