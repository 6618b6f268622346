#include "harness/model/model_folder.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "archive/store/content_reader.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/compare/comparator.h"
#include "harness/importer/inspect.h"
#include "harness/model/array_files.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "vintage model";
constexpr int kVersion = 1;
constexpr const char *kFacts = "model.json", *kText = "module.mlir";
constexpr const char *kInputs = "inputs.npz", *kOutputs = "outputs.npz", *kScales = "scales.npz",
                     *kSecond = "second.npz";
constexpr size_t kMostFacts = size_t{16} << 20;

const char* artifactFile(ArtifactRecord::Format format) {
  using enum ArtifactRecord::Format;
  return format == kExported           ? "exported.bin"
         : format == kPortableArtifact ? "module.mlirbc"
                                       : "saved_model.bin";
}

json typeNames(const std::vector<Tensor>& tensors) {
  json names = json::array();
  for (const Tensor& tensor : tensors) names.push_back(dtypeName(tensor.type()));
  return names;
}

json goldenJson(const Golden& golden) {
  json comparators = json::array();
  for (const Comparator& comparator : golden.comparators)
    comparators.push_back(comparatorJson(comparator));
  json described{{"oracle", golden.oracle},
                 {"comparators", comparators},
                 {"inputs", typeNames(golden.inputs)},
                 {"outputs", typeNames(golden.expected)}};
  for (const auto& seed : golden.seeds)
    described["seeds"].push_back(seed ? seededInputJson(*seed) : json());
  if (golden.second) described["second_by"] = golden.second->by;
  if (golden.noise) {
    described["noise"] = {{"seeds", golden.noise->seeds}, {"lowest", json::array()}};
    for (const NoiseScale& scale : golden.noise->outputs)
      described["noise"]["lowest"].push_back(scale.lowest);
  }
  return described;
}

std::vector<Tensor> scalesOf(const Golden& golden) {
  std::vector<Tensor> scales;
  if (golden.noise)
    for (const NoiseScale& scale : golden.noise->outputs) scales.push_back(scale.codes);
  return scales;
}

Result<std::vector<Tensor>> readArrays(const json& names, const fs::path& file) {
  std::vector<ElementType> types;
  for (const json& name : names) {
    const auto type = parseDtypeName(name.get_ref<const std::string&>());
    if (!type) return badInput("'{}' is no dtype", name.dump());
    types.push_back(*type);
  }
  if (types.empty()) return std::vector<Tensor>{};
  const std::string path = file;
  if (!fs::exists(file)) return badInput("{}: the file is missing", path);
  return readArrayFiles(std::span(&path, 1), types, file.stem());
}

Result<Golden> readGolden(const json& facts, const fs::path& folder) {
  Golden golden;
  golden.oracle = facts.at("oracle");
  for (const json& described : facts.at("comparators")) {
    ASSIGN_OR_RETURN(auto comparator, comparatorOfJson(described));
    golden.comparators.push_back(std::move(comparator));
  }
  ASSIGN_OR_RETURN(golden.inputs, readArrays(facts.at("inputs"), folder / kInputs));
  ASSIGN_OR_RETURN(golden.expected, readArrays(facts.at("outputs"), folder / kOutputs));
  for (const json& seed : facts.value("seeds", json::array())) {
    golden.seeds.emplace_back();
    if (seed.is_null()) continue;
    ASSIGN_OR_RETURN(golden.seeds.back(), within("\"seeds\"", seededInputOfJson(seed)));
  }
  if (facts.contains("second_by")) {
    golden.second.emplace().by = facts["second_by"];
    ASSIGN_OR_RETURN(golden.second->outputs, readArrays(facts.at("outputs"), folder / kSecond));
  }
  if (!facts.contains("noise")) return golden;
  const auto lowest = facts["noise"].at("lowest").get<std::vector<int64_t>>();
  const json types(lowest.size(), dtypeName(ElementType::kUi8));
  ASSIGN_OR_RETURN(auto codes, readArrays(types, folder / kScales));
  golden.noise.emplace().seeds = facts["noise"].at("seeds").get<std::vector<int64_t>>();
  for (size_t i = 0; i < codes.size(); ++i)
    golden.noise->outputs.push_back({std::move(codes[i]), lowest[i]});
  return golden;
}

Result<Archive::Put> readFolder(const json& facts, const fs::path& folder) {
  if (facts.at("format") != kFormat || facts.at("version") != kVersion)
    return badInput("it is '{}' {}; '{}' {} is read here", facts["format"].dump(),
                    facts["version"].dump(), kFormat, kVersion);
  Archive::Put put;
  ASSIGN_OR_RETURN(put.record, artifactOfJson(facts.at("artifact")));
  ASSIGN_OR_RETURN(put.bytes, readFile(folder / artifactFile(put.record.format)));
  put.record.id = contentHash(put.bytes);
  put.record.golden.clear();
  if (!facts.contains("golden")) return put;
  ASSIGN_OR_RETURN(put.golden, readGolden(facts["golden"], folder));
  return put;
}

}  // namespace

Result<std::vector<std::string>> writeModelFolder(const Archive& archive,
                                                  const ArtifactRecord& record,
                                                  const std::string& folder) {
  std::error_code problem;
  if (fs::exists(folder, problem) && !fs::is_empty(folder, problem))
    return conflict("{} is there and holds something; name a new folder", folder);
  fs::create_directories(folder, problem);
  if (problem) return ioError("{}: {}", folder, problem.message());
  const fs::path place(folder);
  std::vector<std::string> written;
  const auto wrote = [&](const char* file) { written.push_back(place / file); };
  RETURN_IF_ERROR(writeFile(place / artifactFile(record.format), WriteFile([&](WritableFile& file) {
                              return visitContent(archive, record.id,
                                                  [&](auto piece) { return file.append(piece); });
                            })));
  wrote(artifactFile(record.format));
  json facts{{"format", kFormat}, {"version", kVersion}, {"artifact", recordJson(record)}};
  if (!record.golden.empty()) {
    ASSIGN_OR_RETURN(const Golden golden, archive.readGolden(record));
    facts["golden"] = goldenJson(golden);
    const std::vector<Tensor> scales = scalesOf(golden);
    const std::vector<Tensor>* second = golden.second ? &golden.second->outputs : nullptr;
    for (const auto& [file, tensors] : {std::pair{kInputs, &golden.inputs},
                                        {kOutputs, &golden.expected},
                                        {kScales, &scales},
                                        {kSecond, second}}) {
      if (tensors == nullptr || tensors->empty()) continue;
      RETURN_IF_ERROR(writeNpz(place / file, *tensors));
      wrote(file);
    }
  }
  // An artifact that cannot be read has no text; the other files are still useful.
  ASSIGN_OR_RETURN(const auto bytes, archive.read(record.id));
  if (const auto text = textForPeople(bytes, record.name)) {
    RETURN_IF_ERROR(writeTextFile(place / kText, *text));
    wrote(kText);
  }
  RETURN_IF_ERROR(writeTextFile(place / kFacts, facts.dump(2) + "\n"));
  wrote(kFacts);
  return written;
}

Result<Archive::Put> readModelFolder(const std::string& folder) {
  const fs::path path = fs::path(folder) / kFacts;
  auto bytes = readFile(path, kMostFacts);
  if (!bytes)
    return usageError("{} is no folder that 'vintage get' wrote: {}", folder,
                      bytes.error().message);
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  const json facts = json::parse(text, text + bytes->size(), nullptr, false);
  Result<Archive::Put> put = badInput("not a JSON object");
  try {
    if (facts.is_object()) put = readFolder(facts, folder);
  } catch (const json::exception& exception) {
    put = failure(Error::Kind::kBadInput, exception.what());
  }
  return within(path.string(), std::move(put));
}

}  // namespace vintage::harness
