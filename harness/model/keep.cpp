#include "harness/model/keep.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/memory_pages.h"
#include "golden/compare/recorded_comparators.h"
#include "harness/importer/import.h"
#include "harness/importer/measure_noise.h"
#include "harness/model/execute.h"
#include "harness/model/model_folder.h"
#include "harness/model/signature.h"
#include "harness/runtimes/builds/builds.h"
#include "primitives/catalogue/inputs.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;
using namespace archive;

namespace {

Result<Date> producedOn(const ModelToKeep& model, const std::string& release,
                        const Archive& archive) {
  if (model.buildDate) return *model.buildDate;
  if (!release.empty()) {
    ASSIGN_OR_RETURN(const auto builds, ownBuilds(archive));
    for (const BuildRecord& build : builds)
      if (build.version == release) return build.buildDate;
  }
  const std::string says = release.empty()
                               ? "it does not say which release exported it"
                               : fmt::format(
                                     "jax {} exported it, and no build of the archive is that "
                                     "release ('vintage builds add --jax {}')",
                                     release, release);
  return usageError(
      "{}: the day of its producer decides which promise covers it, and {}; give it with "
      "--build-date YYYY-MM-DD",
      model.file, says);
}

constexpr Domain kFloats{.low = -1, .high = 1};
constexpr Domain kIntegers{.low = 0, .high = 7, .wholeNumbers = true};
constexpr int64_t kMostElements = int64_t{1} << 30;
// Among them even sizes, squares and multiples of 8, as modules require them.
constexpr int64_t kSizes[] = {3, 4, 8, 2, 16, 6, 12, 24, 32, 64, 1, 128};

// Values between -1 and 1, whole numbers from 0 to 7, the same for the same signature.
Result<std::vector<Tensor>> makeInputs(const Signature& signature, const DimensionValues& values) {
  Random random(hashOf("inputs of a model"));
  std::vector<Tensor> tensors;
  for (const ArrayType& value : signature.inputs) {
    Shape shape;
    for (const DimensionExpression& dimension : value.shape) {
      ASSIGN_OR_RETURN(shape.emplace_back(), dimension.evaluate(values));
    }
    const auto elements = checkedElementCount(shape);
    if (!elements || *elements > kMostElements)
      return usageError("an input would be {}; inputs of up to {} elements are made",
                        describe(value.type, shape), kMostElements);
    const bool whole = isInteger(value.type) || isPredicate(value.type);
    tensors.push_back(makeInput(value.type, shape, whole ? kIntegers : kFloats, random));
  }
  return tensors;
}

// Values for the variables that the caller has not chosen. They are tried in turn, as a module may
// require more of its sizes than its shapes state.
std::vector<DimensionValues> proposeSizes(const Signature& signature,
                                          const DimensionValues& chosen) {
  std::vector<std::string> open;
  for (const std::string& name : signature.variables())
    if (!chosen.contains(name)) open.push_back(name);
  if (open.empty()) return {chosen};
  std::vector<DimensionValues> proposals;
  const auto propose = [&](const auto& sizeOf) {
    DimensionValues values = chosen;
    for (size_t i = 0; i < open.size(); ++i) values[open[i]] = sizeOf(static_cast<int64_t>(i));
    proposals.push_back(std::move(values));
  };
  const auto count = static_cast<int64_t>(open.size());
  for (const int64_t size : kSizes) {
    propose([&](int64_t) { return size; });
    if (count == 1) continue;
    propose([&](int64_t i) { return size * (i + 1); });
    propose([&](int64_t i) { return size * (count - i); });
  }
  return proposals;
}

class Keeper {
 public:
  Keeper(const ModelToKeep& model, ProcessHost& host) : model_(model), host_(host) {}

  Result<Archive::Put> read(const Archive& archive) {
    ASSIGN_OR_RETURN(put_.bytes, readFile(model_.file));
    ASSIGN_OR_RETURN(inspection_, inspectArtifact(put_.bytes, model_.file, {.outputs = true}));
    const std::string release = inspection_.details.value("jax_version", "");
    put_.record = inspection_.record;
    ArtifactRecord& record = put_.record;
    RETURN_IF_ERROR(refuseText(inspection_, model_.file));
    ASSIGN_OR_RETURN(record.buildDate, producedOn(model_, release, archive));
    record.name =
        model_.name.empty() ? std::filesystem::path(model_.file).filename().string() : model_.name;
    record.producer =
        model_.producer.empty() ? producerOf(inspection_, record.buildDate) : model_.producer;
    // A model that also calls a primitive's target is no use of that primitive, and
    // what is declared of those does not hold for it.
    record.primitive = model_.primitive;
    if (record.platforms.empty())
      record.platforms =
          model_.platforms.empty() ? std::vector<std::string>{"cpu"} : model_.platforms;
    record.id = contentHash(put_.bytes);
    auto signature = signatureOf(inspection_.details, model_.file);
    if (!signature)
      said_.noGolden = signature.error().message;
    else
      RETURN_IF_ERROR(addGolden(*signature));
    RETURN_IF_ERROR(haveBytes());
    return std::move(put_);
  }

  KeptModel said() && { return std::move(said_); }

 private:
  Status addGolden(const Signature& signature) {
    Golden golden;
    if (!model_.inputs.empty() || signature.inputs.empty()) {
      ASSIGN_OR_RETURN(golden.inputs, signature.readInputs(model_.inputs));
      said_.inputsFrom = "given";
    }
    if (!model_.outputs.empty() && !said_.inputsFrom.empty()) {
      ASSIGN_OR_RETURN(golden.expected, signature.readOutputs(model_.outputs));
      golden.oracle = model_.recordedBy.empty()
                          ? fmt::format("{} {}", put_.record.producer, put_.record.platforms[0])
                          : model_.recordedBy;
      said_.outputsFrom = "given";
    } else if (!model_.outputs.empty()) {
      return usageError("{}: outputs are given and inputs are not; give both, or neither",
                        model_.file);
    }
    RETURN_IF_ERROR(within(model_.file, signature.checkShapes(golden.inputs, golden.expected)));
    if (said_.outputsFrom.empty()) {
      ASSIGN_OR_RETURN(const bool ran, compute(signature, golden));
      if (!ran) return {};
    }
    golden.comparators =
        comparatorsForRecorded(inspection_.program, golden.inputs, golden.expected);
    put_.golden = std::move(golden);
    return {};
  }

  // A large artifact moves to the worker, so that it is in memory once, and is read again.
  Status haveBytes() {
    if (!put_.bytes.empty()) return {};
    ASSIGN_OR_RETURN(put_.bytes, readFile(model_.file));
    if (contentHash(put_.bytes) == put_.record.id) return {};
    return conflict("{}: it changed while it was read; put it again", model_.file);
  }

  // By the engine, with the first sizes that the program takes. False: it does not run it.
  Result<bool> compute(const Signature& signature, Golden& golden) {
    ASSIGN_OR_RETURN(const BuildRecord engine, engineHere());
    const bool given = !said_.inputsFrom.empty();
    const auto proposals =
        given ? std::vector<DimensionValues>{{}} : proposeSizes(signature, model_.sizes);
    for (const DimensionValues& sizes : proposals) {
      if (!given) {
        ASSIGN_OR_RETURN(golden.inputs, makeInputs(signature, sizes));
      }
      RETURN_IF_ERROR(haveBytes());
      const bool large = put_.bytes.size() > kHeldWhole;
      auto result =
          executeOn(engine, put_.record, large ? std::exchange(put_.bytes, {}) : put_.bytes,
                    golden.inputs, model_.limits, host_);
      if (!result || result->outcome != OutcomeKind::kPass) {
        said_.noGolden = result ? failureText(*result) : result.error().message;
        // One that does not end would not with other sizes either.
        if (!result || result->outcome == OutcomeKind::kTimeout) return false;
        continue;
      }
      golden.expected = std::move(result->outputs);
      golden.oracle = engine.name + ", not the producer";
      said_.noGolden.clear();
      said_.outputsFrom = "computed by the embedded engine, not by the producer";
      if (!given) said_.inputsFrom = madeWith(sizes);
      return true;
    }
    return false;
  }

  static std::string madeWith(const DimensionValues& sizes) {
    std::string text = "made here";
    for (const auto& [name, size] : sizes)
      text += fmt::format("{} {} = {}", text.ends_with("here") ? ", with" : ",", name, size);
    return text;
  }

  const ModelToKeep& model_;
  ProcessHost& host_;
  Archive::Put put_;
  Inspection inspection_;
  KeptModel said_;
};

}  // namespace

Result<KeptModel> keepModel(const ModelToKeep& model, Archive& archive, ProcessHost& host) {
  KeptModel kept;
  Archive::Put put;
  std::error_code problem;
  const bool isFolder = std::filesystem::is_directory(model.file, problem);
  if (isFolder) {
    ASSIGN_OR_RETURN(put, readModelFolder(model.file));
    kept.inputsFrom = kept.outputsFrom = put.golden ? "given" : "";
  } else {
    Keeper keeper(model, host);
    ASSIGN_OR_RETURN(put, keeper.read(archive));
    kept = std::move(keeper).said();
  }
  const auto known = archive.find(put.record.id);
  kept.isNew = !known || known->name != put.record.name || known->producer != put.record.producer;
  // A folder has what was measured.
  Archive::Put* const one = &put;
  if (!kept.isNew)
    takeNoise(archive, *known, put);
  else if (!isFolder)
    kept.notMeasured = measureNoise({&one, 1}, {.limit = model.limits.timeout,
                                                .memoryLimitBytes = model.limits.memoryLimitBytes})
                           .front();
  if (put.golden) {
    kept.limits = detectionLimits(*put.golden);
    kept.inDoubt = doubtOf(*put.golden);
  }
  kept.record = put.record;
  ASSIGN_OR_RETURN(const auto ids, archive.putAll(std::span(&put, 1)));
  kept.record.id = ids.front();
  return kept;
}

}  // namespace vintage::harness
