#include "harness/bisect/localize_culprit.h"

#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <boost/algorithm/hex.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/bisect/localize/localize.h"
#include "harness/bisect/localize/slow_part.h"

namespace vintage::harness {
using namespace golden;

namespace {

using nlohmann::json;

json describeArrays(const std::vector<Tensor>& tensors) {
  json list = json::array();
  for (const Tensor& tensor : tensors)
    list.push_back({std::string(dtypeName(tensor.type())), tensor.shape()});
  return list;
}

Status writeArrays(const std::vector<Tensor>& tensors, const char* stem,
                   const std::filesystem::path& folder) {
  for (size_t i = 0; i < tensors.size(); ++i)
    RETURN_IF_ERROR(writeFile(folder / fmt::format("{}_{}.npy", stem, i), writeNpy(tensors[i])));
  return {};
}

std::string hexOf(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
  std::string text;
  boost::algorithm::hex_lower(first, first + bytes.size(), std::back_inserter(text));
  return text;
}

std::optional<std::vector<std::byte>> bytesOf(const std::string& hex) try {
  const std::string bytes = boost::algorithm::unhex(hex);
  const auto view = std::as_bytes(std::span(bytes));
  return std::vector(view.begin(), view.end());
} catch (const boost::algorithm::hex_decode_error&) {
  return std::nullopt;
}

// "meta.json", "input_0.npy"
bool isPlainName(std::string_view name) {
  return !name.empty() && name.front() != '.' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string_view::npos;
}

json toJson(const Localization& found) {
  json out{{"operation", found.operation},
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
    out["difference"] = {{"result", difference.output},     {"index", difference.index},
                         {"expected", difference.expected}, {"actual", difference.actual},
                         {"elements", difference.elements}, {"structure", difference.structure}};
    if (difference.ulps) out["difference"]["ulps"] = *difference.ulps;
  }
  if (found.measured) {
    const archive::Ratio& ratio = found.measured->ratio;
    out["measured"] = {{"quantity", archive::quantityName(found.measured->quantity)},
                       {"before", found.measured->before},
                       {"after", found.measured->after},
                       {"ratio", ratio.value},
                       {"low", ratio.low},
                       {"high", ratio.high},
                       {"rounds", ratio.rounds}};
  }
  return out;
}

// Writes the reduced program into `folder` as a compatibility test for `vintage import`: meta.json,
// module.mlirbc, module.mlir.txt, inputs and expected outputs as NumPy files.
Status writeReduced(const Localization& found, const Subject& subject,
                    const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::remove_all(folder, problem);
  std::filesystem::create_directories(folder, problem);
  if (problem) return ioError("{}: {}", folder.string(), problem.message());
  ProgramContext context;
  ASSIGN_OR_RETURN(auto program,
                   context.readPortableArtifact(found.reduced.module, "reduced program"));
  const json meta{{"name", fmt::format("reduced from {}", subject.record.name)},
                  {"kind", "module"},
                  {"platform", subject.platform},
                  {"custom_call_targets", program.customCallTargets()},
                  {"serialized_date", formatDate(subject.record.buildDate)},
                  {"calling_convention_version", subject.record.callingConventionVersion},
                  {"nr_devices", 1},
                  {"inputs", describeArrays(found.reduced.arguments)},
                  {"outputs", describeArrays(found.reduced.expected)}};
  RETURN_IF_ERROR(writeFile(folder / "module.mlirbc", found.reduced.module));
  RETURN_IF_ERROR(writeTextFile(folder / "module.mlir.txt", found.reduced.text));
  RETURN_IF_ERROR(writeArrays(found.reduced.arguments, "input", folder));
  RETURN_IF_ERROR(writeArrays(found.reduced.expected, "expected", folder));
  return writeTextFile(folder / "meta.json", meta.dump(2) + "\n");
}

// The files of such a folder as JSON, for a record that travels without it, and back. Rejects names
// that are not plain file names.
Result<json> reducedFilesJson(const std::filesystem::path& folder) {
  json files = json::object();
  std::error_code problem;
  for (std::filesystem::directory_iterator file(folder, problem), end; !problem && file != end;
       file.increment(problem)) {
    ASSIGN_OR_RETURN(auto bytes, readFile(file->path()));
    files[file->path().filename().string()] = hexOf(bytes);
  }
  if (problem) return ioError("{}: {}", folder.string(), problem.message());
  return files;
}

Status writeReducedFiles(const json& files, const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return ioError("{}: {}", folder.string(), problem.message());
  for (const auto& [name, hex] : files.items()) {
    const auto bytes =
        isPlainName(name) && hex.is_string() ? bytesOf(hex.get<std::string>()) : std::nullopt;
    if (!bytes) return badInput("'{}' is no file of a reduced program", name.substr(0, 80));
    RETURN_IF_ERROR(writeFile(folder / name, *bytes));
  }
  return {};
}

// Larger programs stay only where they were made.
constexpr size_t kLargestKeptProgram = size_t{4} << 20;

std::string whereReducedLies(const std::filesystem::path& folder) {
  return fmt::format("\nthe reduced module: {} (vintage import takes the folder)", folder.string());
}

CulpritOperation recalled(const json& found, const std::filesystem::path& folder) {
  CulpritOperation operation;
  operation.remembered = true;
  operation.text = found.value("text", "");
  operation.details = found.value("details", json());
  const json files = found.value("files", json::object());
  const bool isThere = std::filesystem::exists(folder);
  if (!isThere && files.empty()) {
    operation.text += "\nthe reduced module is on the machine that made it; --fresh makes it again";
    return operation;
  }
  if (!isThere)
    if (Status status = writeReducedFiles(files, folder); !status) {
      operation.text += "\ncannot write the reduced module: " + status.error().message;
      return operation;
    }
  operation.text += whereReducedLies(folder);
  return operation;
}

}  // namespace

CulpritOperation localizeCulprit(const Subject& subject, const LocalizedConsumer& failing,
                                 const LocalizedConsumer& reference, const WorkerLimits& limits,
                                 const std::optional<SpeedQuestion>& speed, Journal& journal,
                                 const std::filesystem::path& folder) {
  const auto inVain = [](const Error& error) {
    return CulpritOperation{"cannot localize: " + error.message, {}, false};
  };
  if (const json* known = journal.localization(failing.identity, reference.identity))
    return recalled(*known, folder);
  auto bad = failing.prepare();
  if (!bad) return inVain(bad.error());
  auto good = reference.prepare();
  if (!good) return inVain(good.error());
  LocalizeOptions options;
  options.limits = limits;
  auto found = speed ? localizeSlow(subject, *bad, *good, *speed, options)
                     : localize(subject, *bad, *good, options);
  if (!found) return inVain(found.error());
  CulpritOperation operation{describe(*found), toJson(*found), false};
  json kept{{"text", operation.text}, {"details", operation.details}};
  if (!found->reduced.module.empty()) {
    if (Status status = writeReduced(*found, subject, folder); !status) {
      operation.text += "\ncannot write the reduced module: " + status.error().message;
    } else {
      operation.text += whereReducedLies(folder);
      if (auto files = reducedFilesJson(folder);
          files && files->dump().size() <= kLargestKeptProgram)
        kept["files"] = std::move(*files);
    }
  }
  if (Status status = journal.keepLocalization(failing.identity, reference.identity, kept); !status)
    operation.text += "\nthe next search tries again: " + status.error().message;
  return operation;
}

}  // namespace vintage::harness
