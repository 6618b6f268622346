#include "harness/importer/import.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/compare/golden.h"
#include "golden/compare/recorded_comparators.h"
#include "golden/oracle/elementwise.h"
#include "golden/tensor/npy.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

constexpr int64_t kMostForgivenUlps = 4096;

Result<Tensor> oracleOf(const std::string& primitive, const std::vector<Tensor>& inputs) {
  if (inputs.size() == 1) return oracle::applyUnary(primitive, inputs[0]);
  const bool suits =
      inputs.size() == 2 && inputs[0].type() == inputs[1].type() &&
      (inputs[0].shape() == inputs[1].shape() || inputs[0].rank() == 0 || inputs[1].rank() == 0);
  if (suits) return oracle::applyBinary(primitive, inputs[0], inputs[1]);
  return unsupported("not an element-wise function");
}

// The least power of two units in the last place under which the two are the same; none up to
// kMostForgivenUlps.
std::optional<int64_t> ulpsBetween(Comparator comparator, const Golden& golden,
                                   const Tensor& truth) {
  if (comparator.kind != Comparator::Kind::kElementwise) return std::nullopt;
  for (int64_t ulps = 1; ulps <= kMostForgivenUlps; ulps *= 2) {
    comparator.tolerance.ulps = ulps;
    if (compareOutputs(comparator, golden.inputs, std::span(&truth, 1), golden.expected).same)
      return ulps;
  }
  return std::nullopt;
}

// Compares an output that a producer recorded with the oracle. Where `primitive` is an elementwise
// function of the oracle and the recorded result is further from the oracle's than its comparator
// allows, returns how far and where, in words; otherwise empty. The comparator then allows that
// distance too, in units in the last place: a producer that computes less exactly must not make a
// consumer wrong that computes better. It stays as it is beyond kMostForgivenUlps, and where values
// are exact.
std::string askOracle(const std::string& primitive, Golden& golden) {
  if (golden.expected.size() != 1 || golden.comparators.size() != 1) return "";
  const Tensor& recorded = golden.expected.front();
  Comparator& comparator = golden.comparators.front();
  const auto truth = oracleOf(primitive, golden.inputs);
  if (!truth || truth->type() != recorded.type() || truth->shape() != recorded.shape()) return "";
  const Comparison comparison =
      compareOutputs(comparator, golden.inputs, std::span(&*truth, 1), golden.expected);
  if (comparison.same) return "";
  if (const auto ulps = ulpsBetween(comparator, golden, *truth))
    comparator.tolerance.ulps = *ulps + comparator.tolerance.ulps.value_or(0);
  return fmt::format("the oracle differs in {} of {} elements: {}", comparison.differingElements,
                     recorded.size(), comparison.firstDifference);
}

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSavedModelKind = "saved model";

// The file of an artifact, by its kind. A module may be a wrapper of TensorFlow's.
const std::map<std::string, const char*> kArtifactFiles{{"module", "module.mlirbc"},
                                                        {"exported", "exported.bin"},
                                                        {kSavedModelKind, "saved_model.tar"}};

// ["float32", [2, 3]]; an input that a seed gives has the seed behind that, and no file.
struct RecordedArray {
  ElementType type = ElementType::kI1;
  Shape shape;  // Only where there is a seed.
  std::optional<SeededInput> seed;
};

// The contents of meta.json. An Exported states the fields of modules itself; they stay empty.
struct Meta {
  std::string name, kind, platform;
  // From a producer of Vintage; empty in folders of others.
  std::string producer, primitive, harness, variant, recordedBy;
  Date date{};
  int callingConvention = 0, devices = 0;
  std::vector<std::string> targets;
  std::vector<RecordedArray> inputs, outputs;
};

Result<std::vector<RecordedArray>> readRecordedArrays(const json& meta, const char* field) {
  std::vector<RecordedArray> arrays;
  for (const json& array : meta.value(field, json::array())) {
    const bool named = array.is_array() && !array.empty() && array[0].is_string();
    const auto type =
        named ? parseDtypeName(array[0].get<std::string>()) : std::optional<ElementType>();
    if (!type)
      return badInput("\"{}\": {} is not an array type; [\"float32\", [2, 3]] is one", field,
                      array.dump());
    RecordedArray& recorded = arrays.emplace_back();
    recorded.type = *type;
    if (array.size() < 3) continue;
    array[1].get_to(recorded.shape);
    ASSIGN_OR_RETURN(recorded.seed,
                     within(fmt::format("\"{}\"", field), seededInputOfJson(array[2])));
  }
  return arrays;
}

Result<Meta> parseMeta(const json& meta) {
  Meta result;
  for (const auto& [field, place] :
       {std::pair{"name", &result.name}, std::pair{"kind", &result.kind}}) {
    if (!meta.contains(field) || !meta[field].is_string())
      return badInput("the string \"{}\" is missing", field);
    *place = meta[field].get<std::string>();
  }
  if (!kArtifactFiles.contains(result.kind))
    return badInput("the kind is '{}'; module, exported and saved model are known", result.kind);
  // The day of an Exported is unknown; it surely existed on that of the commit that added it.
  const char* dateField =
      meta.contains("serialized_date") ? "serialized_date" : "first_commit_date";
  ASSIGN_OR_RETURN(result.date,
                   within(fmt::format("\"{}\"", dateField), parseDate(meta.value(dateField, ""))));
  result.platform = meta.value("platform", "");
  result.producer = meta.value("producer", "");
  result.primitive = meta.value("primitive", "");
  result.harness = meta.value("harness", "");
  result.variant = meta.value("variant", "");
  result.recordedBy = meta.value("recorded_by", "");
  result.callingConvention = meta.value("calling_convention_version", 0);
  result.devices = meta.value("nr_devices", 0);
  result.targets = meta.value("custom_call_targets", std::vector<std::string>{});
  ASSIGN_OR_RETURN(result.inputs, readRecordedArrays(meta, "inputs"));
  ASSIGN_OR_RETURN(result.outputs, readRecordedArrays(meta, "outputs"));
  return result;
}

Result<Meta> readMeta(const fs::path& folder) {
  const fs::path path = folder / "meta.json";
  ASSIGN_OR_RETURN(auto bytes, readFile(path, size_t{16} << 20));
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  const json parsed = json::parse(text, text + bytes.size(), nullptr, false);
  if (!parsed.is_object()) return badInput("{}: not a JSON object", path.string());
  try {
    return within(path.string(), parseMeta(parsed));
  } catch (const json::exception& exception) {
    return badInput("{}: {}", path.string(), exception.what());
  }
}

Result<std::vector<Tensor>> readArrays(const fs::path& folder, const char* stem,
                                       const std::vector<RecordedArray>& arrays) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const fs::path path = folder / fmt::format("{}_{}.npy", stem, i);
    if (arrays[i].seed) {
      ASSIGN_OR_RETURN(
          tensors.emplace_back(),
          within(path.string(), seededTensor(*arrays[i].seed, arrays[i].type, arrays[i].shape)));
      continue;
    }
    ASSIGN_OR_RETURN(auto bytes, readFile(path));
    ASSIGN_OR_RETURN(auto tensor, readNpy(bytes, path.string(), arrays[i].type));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void fillFromMeta(const Meta& meta, ArtifactRecord& record) {
  record.name = meta.name;
  record.buildDate = meta.date;
  record.producer =
      meta.producer.empty() ? fmt::format("jax {}", formatDate(meta.date)) : meta.producer;
  if (!meta.primitive.empty()) record.primitive = meta.primitive;
  if (!meta.variant.empty()) record.variant = meta.variant;
  record.caseId = meta.harness;
  if (meta.kind == kSavedModelKind) record.platforms = {meta.platform};
  if (meta.kind != "module") return;
  record.platforms = {meta.platform};
  record.callingConventionVersion = meta.callingConvention;
  record.deviceCount = std::max(1, meta.devices);
  if (record.deviceCount > 1) record.variant = "sharded";
}

// A wrapper keeps what meta.json says of it; its content is TensorFlow's.
ArtifactRecord savedModelRecord(const Meta& meta) {
  ArtifactRecord record;
  record.format = ArtifactRecord::Format::kSavedModel;
  record.customCallTargets = meta.targets;
  record.primitive = primitiveOfTargets(meta.targets);
  std::set<std::string> dtypes;
  for (const auto* arrays : {&meta.inputs, &meta.outputs})
    for (const RecordedArray& array : *arrays) dtypes.emplace(stablehloName(array.type));
  record.dtypes.assign(dtypes.begin(), dtypes.end());
  return record;
}

Result<Golden> readGoldenOf(const fs::path& folder, const Meta& meta, const std::string& producer,
                            const RecordedProgram& program) {
  Golden golden;
  ASSIGN_OR_RETURN(golden.inputs, readArrays(folder, "input", meta.inputs));
  for (const RecordedArray& input : meta.inputs) golden.seeds.push_back(input.seed);
  ASSIGN_OR_RETURN(golden.expected, readArrays(folder, "expected", meta.outputs));
  golden.comparators = comparatorsForRecorded(program, golden.inputs, golden.expected);
  golden.oracle =
      meta.recordedBy.empty() ? fmt::format("{} {}", producer, meta.platform) : meta.recordedBy;
  if (const std::string note = excessPrecisionNote(program, golden.expected); !note.empty())
    golden.oracle += "; " + note;
  return golden;
}

Result<ReadEntry> finish(const fs::path& folder, const Meta& meta, bool isSavedModel,
                         Inspection inspection) {
  ReadEntry entry;
  Archive::Put& put = entry.put;
  RecordedProgram program;
  if (isSavedModel) {
    put.record = savedModelRecord(meta);
    program.solvers = meta.targets;
  } else {
    put.record = std::move(inspection.record);
    program = std::move(inspection.program);
  }
  fillFromMeta(meta, put.record);
  // A recorded program without outputs ran: it has a golden too.
  const bool givesNothing = !meta.recordedBy.empty() && program.outputs.empty() && !isSavedModel;
  if (!meta.outputs.empty() || givesNothing) {
    ASSIGN_OR_RETURN(put.golden, readGoldenOf(folder, meta, put.record.producer, program));
    // Functions of our own contain the primitive that they are named after, among others.
    if (meta.producer.empty() || !meta.harness.empty())
      entry.oracleSays = askOracle(put.record.primitive, *put.golden);
  }
  return entry;
}

}  // namespace

Result<OpenedEntry> openCompatibilityTest(const fs::path& folder) {
  ASSIGN_OR_RETURN(const Meta meta, readMeta(folder));
  const fs::path path = folder / kArtifactFiles.at(meta.kind);
  OpenedEntry entry;
  entry.name = path.string();
  ASSIGN_OR_RETURN(entry.bytes, readFile(path));
  ASSIGN_OR_RETURN(const auto format, recognizeFormat(entry.bytes, entry.name));
  const bool isSavedModel = format == ArtifactRecord::Format::kSavedModel;
  if (meta.kind == kSavedModelKind && !isSavedModel)
    return badInput(
        "{}: no tar file of a SavedModel; it must hold saved_model.pb (docs/howto/runtimes.md)",
        entry.name);
  if (!isSavedModel) entry.inspect = InspectOptions{.outputs = true};
  entry.finish = [folder, meta, isSavedModel](Inspection inspection) {
    return finish(folder, meta, isSavedModel, std::move(inspection));
  };
  return entry;
}

}  // namespace vintage::harness
