#include "harness/runtimes/builds/producing.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/importer/import.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProduceReport::Reason, primitive, reason, example, count)

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kImportedAtOnce = 256;

constexpr const char* kSavedModel = "saved-model";

// As --format spells it.
std::string formatOf(const PythonEnvironment& environment) {
  std::string format = environment.produces;
  std::ranges::replace(format, ' ', '-');
  return format;
}

// Whether the release makes what is asked for.
Status checkRequest(const BuildRecord& build, const PythonEnvironment& environment,
                    const ProduceRequest& request) {
  const std::string made = formatOf(environment);
  if (!request.format.empty() && request.format != made)
    return usageError("--format {}: build '{}' makes {}; a release of {} makes the other",
                      request.format, build.name, made, made == kSavedModel ? "JAX" : "TensorFlow");
  if (!(request.wrapped.empty() && request.jax2tf.empty()) && made != kSavedModel)
    return usageError(
        "--wrap and --jax2tf make SavedModels, and build '{}' makes {}; name a release of "
        "TensorFlow",
        build.name, made);
  if (!request.with.empty() && request.jax2tf.empty() && made == kSavedModel)
    return usageError(
        "--with {}: beside TensorFlow its models need --jax2tf BUILD, a release of JAX",
        request.with);
  return {};
}

// The environment of the release of JAX; empty: none is asked for.
Result<std::string> environmentOfJax(const ProduceRequest& request, const Archive& archive,
                                     ProcessHost& host) {
  if (request.jax2tf.empty()) return std::string();
  ASSIGN_OR_RETURN(const BuildRecord named, findBuild(archive, request.jax2tf));
  if (!named.details.environment || named.details.environment->framework != "jax")
    return usageError(
        "--jax2tf {}: it is no release of JAX; 'vintage builds add --jax RELEASE' "
        "registers one",
        named.name);
  ASSIGN_OR_RETURN(const BuildRecord ready, readyToStart(named, host));
  return ready.start->environment;
}

// Installs the package that is asked for beside the release, whose own process has no network.
// Returns it with its version; as it was asked for where the environment is the user's own.
Result<std::string> packageBeside(const BuildRecord& ready, const ProduceRequest& request,
                                  const std::string& jax, ProcessHost& host,
                                  const PythonProgress& progress) {
  const StartCommand& start = *ready.start;
  if (request.with.empty() || start.environment.empty()) return request.with;
  ASSIGN_OR_RETURN(const auto interpreter, findInterpreter(host));
  const std::string& programs = start.exporter.at(1);
  std::vector<std::string> command{interpreter,       programs, "environment", "--beside",
                                   start.environment, "--with", request.with};
  if (!jax.empty()) command.insert(command.end(), {"--together", jax});
  ASSIGN_OR_RETURN(const auto answer, askPython(std::move(command), ready.name, host, progress));
  return understood(programs, [&]() -> Result<std::string> {
    return answer.result.at("environments").at(0).at("with").get<std::string>();
  });
}

// Archived Exported as files in `folder`, for a program that reads no archive.
Result<std::vector<std::string>> writeWrapped(const std::vector<std::string>& artifacts,
                                              const Archive& archive, const fs::path& folder) {
  std::vector<std::string> files;
  for (const std::string& name : artifacts) {
    ASSIGN_OR_RETURN(auto record, archive.find(name));
    if (record.format != ArtifactRecord::Format::kExported)
      return usageError("--wrap {}: it is a {}; an Exported is wrapped", name,
                        formatName(record.format));
    ASSIGN_OR_RETURN(auto bytes, archive.read(record.id));
    constexpr size_t kCharactersOfId = 12;
    const fs::path file = folder / fmt::format("{}.exported", record.id.substr(0, kCharactersOfId));
    std::error_code problem;
    fs::create_directories(folder, problem);
    RETURN_IF_ERROR(writeFile(file, bytes));
    files.push_back(file.string());
  }
  return files;
}

std::vector<std::string> command(const BuildRecord& build, const ProduceRequest& request,
                                 const fs::path& folder, const std::vector<std::string>& wrapped,
                                 const std::string& jax, const std::string& with) {
  std::vector<std::string> command = build.start->exporter;
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    if (values.empty()) return;
    command.emplace_back(option);
    command.insert(command.end(), values.begin(), values.end());
  };
  add("--out", {folder.string()});
  add("--filter", request.filters);
  add("--jobs", {std::to_string(request.jobs)});
  add("--shard", {request.shard});
  if (!with.empty()) add("--with", {with});
  if (formatOf(*build.details.environment) == kSavedModel) {
    add("--exported", wrapped);
    if (!jax.empty()) add("--jax2tf", {jax});
  } else {
    add("--platform", request.platforms);
    add("--mode", request.modes);
    add("--cases", request.cases);
    if (request.callingConvention != 0)
      add("--calling-convention", {std::to_string(request.callingConvention)});
    if (!request.harnessFile.empty())
      add("--harness-file", {fs::absolute(request.harnessFile).string()});
    if (!request.oneOfEach.empty()) add("--one-of-each", {request.oneOfEach});
  }
  if (request.retry) command.emplace_back("--retry");
  return command;
}

// Parts of the work are done side by side, so each has a place of its own.
fs::path workingFolder(const BuildRecord& build, const ProduceRequest& request,
                       const Archive& archive) {
  if (!request.keep.empty()) return request.keep;
  fs::path folder = fs::path(archive.folder()) / "produced" / build.name;
  if (request.callingConvention != 0) folder /= fmt::format("v{}", request.callingConvention);
  if (request.shard != "1/1") {
    std::string part = request.shard;
    std::ranges::replace(part, '/', '-');
    folder /= "part-" + part;
  }
  return folder;
}

ProduceReport readSummary(const json& summary) {
  ProduceReport report;
  report.exported = summary.at("exported").get<size_t>();
  report.withoutGolden = summary.at("without_golden").get<size_t>();
  report.unimplemented = summary.at("unimplemented").get<size_t>();
  report.refused = summary.at("refused").get<size_t>();
  std::map<std::tuple<std::string, std::string, std::string>, ProduceReport::Kind> kinds;
  for (const json& row : summary.at("kinds")) {
    const auto text = [&](const char* field) { return row.at(field).get<std::string>(); };
    ProduceReport::Kind& kind = kinds[{text("platforms"), text("variant"), text("mode")}];
    kind.platforms = text("platforms");
    kind.variant = text("variant");
    kind.mode = text("mode");
    const std::string status = text("status");
    (status == "exported"        ? kind.exported
     : status == "unimplemented" ? kind.unimplemented
                                 : kind.refused) += row.at("count").get<size_t>();
  }
  for (auto& [key, kind] : kinds) report.kinds.push_back(std::move(kind));
  summary.at("reasons").get_to(report.reasons);
  return report;
}

// Adds to the report what came of it. Folders that are not to be kept go once they are imported.
Status importArtifacts(const json& artifacts, const fs::path& folder, bool keep, Archive& archive,
                       const PythonProgress& progress, ProduceReport& report) {
  std::set<std::string> known;
  ArtifactFilter filter;
  filter.producers = {report.producer};
  RETURN_IF_ERROR(archive.forEach(filter, [&](const ArtifactRecord& record) {
    known.insert(record.name);
    return true;
  }));
  std::vector<std::string> waiting;
  std::error_code problem;
  for (const json& artifact : artifacts) {
    const fs::path place = folder / artifact.at("folder").get<std::string>();
    if (!fs::exists(place / "meta.json", problem)) continue;  // Imported by an earlier call.
    if (!known.contains(artifact.at("name").get<std::string>()))
      waiting.push_back(place.string());
    else if (!keep)
      fs::remove_all(place, problem);
  }
  for (size_t done = 0; done < waiting.size();) {
    const size_t count = std::min(kImportedAtOnce, waiting.size() - done);
    ASSIGN_OR_RETURN(auto imported,
                     importPaths(std::span(waiting).subspan(done, count), {}, archive));
    for (const ImportReport::Line& line : imported.taken) {
      report.added += line.isNew;
      if (!line.oracleSays.empty())
        report.oracleSays.push_back(fmt::format("{}: {}", line.record.name, line.oracleSays));
      if (!line.inDoubt.empty())
        report.inDoubt.push_back(
            fmt::format("{}: {}{}", line.record.name, kGoldenInDoubt, line.inDoubt));
      if (!keep) fs::remove_all(line.path, problem);
    }
    std::ranges::move(imported.refused, std::back_inserter(report.notImported));
    done += count;
    if (progress.step) progress.step("import", done, waiting.size());
  }
  return {};
}

}  // namespace

std::vector<std::string> ProduceReport::problems() const {
  std::vector<std::string> problems;
  if (!broke.empty()) problems.push_back(broke);
  for (const Error& error : notImported) problems.push_back(error.message);
  return problems;
}

std::string producerName(const BuildRecord& build) {
  const BuildDetails& details = build.details;
  if (!details.environment || details.environment->produces.empty()) return "";
  std::string name = details.said ? details.said->name : build.name;
  if (const std::string end = " " + details.environment->condition; name.ends_with(end))
    name.resize(name.size() - end.size());
  return name;
}

Result<ProduceReport> produce(const BuildRecord& build, const ProduceRequest& request,
                              Archive& archive, ProcessHost& host, const PythonProgress& progress) {
  const std::string producer = producerName(build);
  if (producer.empty())
    return usageError(
        "build '{}' exports nothing by itself; a release that 'vintage builds add --jax RELEASE' "
        "or '--tensorflow RELEASE' registered does",
        build.name);
  RETURN_IF_ERROR(checkRequest(build, *build.details.environment, request));
  ASSIGN_OR_RETURN(const auto ready, readyToStart(build, host));
  const fs::path folder = fs::absolute(workingFolder(build, request, archive));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return ioError("{}: cannot be made: {}", folder.string(), problem.message());
  ASSIGN_OR_RETURN(auto wrapped, writeWrapped(request.wrapped, archive, folder / "wrapped"));
  ASSIGN_OR_RETURN(const std::string jax, environmentOfJax(request, archive, host));
  ASSIGN_OR_RETURN(const auto with, packageBeside(ready, request, jax, host, progress));
  ASSIGN_OR_RETURN(auto words, sandboxed(command(ready, request, folder, wrapped, jax, with),
                                         sandboxFor(build, request.sandbox), host, folder));
  ASSIGN_OR_RETURN(const auto answer, askPython(std::move(words), build.name, host, progress));
  ASSIGN_OR_RETURN(
      auto report, understood(producer, [&]() -> Result<ProduceReport> {
        ProduceReport imported = readSummary(answer.result);
        imported.producer = producer;
        RETURN_IF_ERROR(importArtifacts(answer.result.at("artifacts"), folder,
                                        !request.keep.empty(), archive, progress, imported));
        return imported;
      }));
  if (answer.status != 0 && answer.status != 4)
    report.broke = fmt::format(
        "{} ended with status {} before all was exported; the same command "
        "goes on from here",
        producer, answer.status);
  return report;
}

}  // namespace vintage::harness
