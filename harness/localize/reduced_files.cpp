#include "harness/localize/reduced_files.h"

#include <fmt/format.h>

#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/import/file.h"

namespace vintage {
namespace {

nlohmann::json describeArrays(const std::vector<Tensor>& tensors) {
  nlohmann::json list = nlohmann::json::array();
  for (const Tensor& tensor : tensors)
    list.push_back({std::string(dtypeName(tensor.type())), tensor.shape()});
  return list;
}

Status writeArrays(const std::vector<Tensor>& tensors, const char* stem,
                   const std::filesystem::path& folder) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Status status = writeFile(folder / fmt::format("{}_{}.npy", stem, i), writeNpy(tensors[i]));
        !status)
      return status;
  return {};
}

}  // namespace

nlohmann::json toJson(const Localization& found) {
  nlohmann::json json{
      {"operation", found.operation},
      {"location", found.location},
      {"inside", found.inside},
      {"operands", found.operands},
      {"results", found.results},
      {"failure", found.failure},
      {"alone", found.alone},
      {"notes", found.notes},
      {"executions", found.executions},
      {"reduced", {{"operations", found.reduced.operations}, {"text", found.reduced.text}}}};
  if (found.difference) {
    const ValueDifference& difference = *found.difference;
    json["difference"] = {{"result", difference.output},     {"index", difference.index},
                          {"expected", difference.expected}, {"actual", difference.actual},
                          {"elements", difference.elements}, {"structure", difference.structure}};
    if (difference.ulps) json["difference"]["ulps"] = *difference.ulps;
  }
  return json;
}

Status writeReduced(const Localization& found, const Subject& subject,
                    const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  std::filesystem::create_directories(folder, problem);
  if (problem)
    return failure(Error::Kind::kIo, fmt::format("{}: {}", folder.string(), problem.message()));
  ProgramContext context;
  auto program = context.readPortableArtifact(found.reduced.module, "reduced program");
  if (!program) return tl::unexpected<Error>(program.error());
  const nlohmann::json meta{{"name", fmt::format("reduced from {}", subject.record.name)},
                            {"kind", "module"},
                            {"platform", subject.platform},
                            {"custom_call_targets", program->customCallTargets()},
                            {"serialized_date", formatDate(subject.record.buildDate)},
                            {"calling_convention_version", subject.record.callingConventionVersion},
                            {"nr_devices", 1},
                            {"inputs", describeArrays(found.reduced.arguments)},
                            {"outputs", describeArrays(found.reduced.expected)}};
  if (Status status = writeFile(folder / "module.mlirbc", found.reduced.module); !status)
    return status;
  if (Status status = writeTextFile(folder / "module.mlir.txt", found.reduced.text); !status)
    return status;
  if (Status status = writeArrays(found.reduced.arguments, "input", folder); !status) return status;
  if (Status status = writeArrays(found.reduced.expected, "expected", folder); !status)
    return status;
  return writeTextFile(folder / "meta.json", meta.dump(2) + "\n");
}

}  // namespace vintage
