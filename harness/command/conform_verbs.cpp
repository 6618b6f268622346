#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/isolate.h"
#include "golden/base/visible_text.h"
#include "golden/program/program.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/conform/self_check.h"
#include "harness/model/fidelity/fidelity.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Outcome = SelfCheck::Outcome;

constexpr int kFilesPerContext = 300;

// The .mlir files of a path, sorted.
Result<std::vector<std::string>> findPrograms(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& text : paths) {
    std::error_code problem;
    if (!fs::exists(text, problem)) return notFound("{}: no such file or folder", text);
    if (!fs::is_directory(text, problem)) {
      files.push_back(text);
      continue;
    }
    const size_t before = files.size();
    for (fs::recursive_directory_iterator place(text, problem), end; !problem && place != end;
         place.increment(problem))
      if (place->path().extension() == ".mlir") files.push_back(place->path().string());
    if (files.size() == before) return usageError("{}: the folder holds no *.mlir files", text);
  }
  std::ranges::sort(files);
  return files;
}

struct ConformOptions {
  ExecutionMode mode = ExecutionMode::kGraph;
  std::optional<StablehloVersion> viaBytecode;
  bool roundTrip = false;
};

json line(const char* outcome, std::vector<std::string> messages) {
  return {{"outcome", outcome}, {"messages", std::move(messages)}};
}

json failed(const Error& error) { return line("error", {error.message}); }

json checkForm(ProgramContext& context, const Program& program, const std::string& name) {
  Status status = checkRoundTrip(context, program, name);
  if (status) return line("passed", {});
  const bool differs = status.error().kind == Error::Kind::kMismatch;
  return line(differs ? "mismatch" : "error", {status.error().message});
}

json checkValues(ProgramContext& context, Program& program, const std::string& name,
                 const ConformOptions& options) {
  std::optional<Program> read;
  if (options.viaBytecode) {
    auto bytes = program.writePortableArtifact(*options.viaBytecode);
    if (!bytes) return failed(bytes.error());
    auto again = context.readPortableArtifact(*bytes, name);
    if (!again) return failed(again.error());
    read.emplace(std::move(*again));
  }
  auto tree = (read ? *read : program).tree();
  if (!tree) return failed(tree.error());
  SelfCheck check = runSelfCheck(*tree, options.mode);
  return line(harness::name(check.outcome), std::move(check.messages));
}

// One JSON list for a file: a line for each of its modules. Runs in a child.
std::string checkFile(ProgramContext& context, const std::string& path,
                      const ConformOptions& options) {
  json lines = json::array();
  auto bytes = readFile(path);
  if (!bytes) return json::array({failed(bytes.error())}).dump();
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  auto programs = context.parseSplitText(text, path);
  if (!programs)
    return json::array({failed(programs.error())})
        .dump(-1, ' ', false, json::error_handler_t::replace);
  for (Program& program : *programs)
    lines.push_back(options.roundTrip ? checkForm(context, program, path)
                                      : checkValues(context, program, path, options));
  return lines.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string inOneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

class ConformVerb final : public Verb {
 public:
  ConformVerb()
      : Verb("conform", "Run programs that check their own values (check.* operations)",
             "vintage conform stablehlo/testdata --jobs 2 --via-bytecode 1.0.0") {}
  void addOptions(CLI::App& app) override {
    app.add_option("PATH", paths_, "*.mlir files, or folders that are searched for them")
        ->required();
    app.add_option("--jobs", jobs_, "Child processes (default: one for each processor)")
        ->check(CLI::Range(1, 256));
    addDefaulted(app, "--mode", mode_, "graph or eager", CLI::IsMember({"graph", "eager"}));
    app.add_option("--via-bytecode", viaBytecode_,
                   "Write each program at this StableHLO version and read it back before it runs");
    app.add_flag("--round-trip", options_.roundTrip,
                 "Check form instead of values: text, portable artifact, and the same text");
    limits_.addTo(app, "one file");
  }

  Result<int> run(Console& console) override {
    options_.mode = mode_ == "eager" ? ExecutionMode::kEager : ExecutionMode::kGraph;
    if (!viaBytecode_.empty()) {
      auto version = viaBytecode_ == "current" ? Result<StablehloVersion>(kCurrentStablehloVersion)
                                               : parseStablehloVersion(viaBytecode_);
      if (!version) return usageError("--via-bytecode: {}", version.error().message);
      options_.viaBytecode = *version;
    }
    ASSIGN_OR_RETURN(auto files, findPrograms(paths_));
    std::vector<json> results(files.size());
    size_t done = 0;
    std::optional<ProgramContext> context;  // A child's, once it has begun.
    int read = 0;
    IsolationLimits limits;
    limits.time = std::chrono::ceil<std::chrono::seconds>(limits_.timeout());
    limits.memoryBytes = limits_.memoryBytes();
    RETURN_IF_ERROR(runIsolatedMany(
        files.size(), orProcessors(jobs_), limits,
        [&](size_t index) {
          if (read++ % kFilesPerContext == 0) context.emplace();
          return checkFile(*context, files[index], options_);
        },
        [&](size_t index, Result<std::string> result) {
          results[index] =
              result ? json::parse(*result, nullptr, false)
                     : json::array({line("error", {result.error().message +
                                                   "; --timeout and --memory are its limits"})});
          console.progress("conform", ++done, files.size());
        }));
    return print(files, results, console);
  }

 private:
  static int print(const std::vector<std::string>& files, const std::vector<json>& results,
                   Console& console) {
    size_t passed = 0, failures = 0, skipped = 0;
    json details = json::array();
    for (size_t i = 0; i < files.size(); ++i) {
      for (size_t part = 0; part < results[i].size(); ++part) {
        const json& one = results[i][part];
        const std::string outcome = one.at("outcome");
        (outcome == "passed" ? passed : outcome == "skipped" ? skipped : failures) += 1;
        if (outcome == "passed") continue;
        const std::string where =
            results[i].size() > 1 ? fmt::format("{} (module {})", files[i], part + 1) : files[i];
        std::vector<std::string> messages = one.at("messages");
        if (messages.empty()) messages.emplace_back("");
        for (const std::string& message : messages)
          if (!console.json()) console.line("{}: {}: {}", outcome, where, inOneLine(message));
        details.push_back({{"program", where}, {"outcome", outcome}, {"messages", messages}});
      }
    }
    console.answerLine(
        {{"passed", passed}, {"failed", failures}, {"skipped", skipped}, {"programs", details}},
        "{} passed, {} failed, {} skipped", passed, failures, skipped);
    return failures > 0 ? kExitDoesNotHold : passed > 0 ? kExitHolds : kExitNothingRan;
  }

  std::vector<std::string> paths_;
  std::string mode_ = "graph", viaBytecode_;
  int jobs_ = 0;
  LimitOptions limits_;
  ConformOptions options_;
};

class FidelityVerb final : public Verb {
 public:
  FidelityVerb()
      : Verb("fidelity",
             "Hold the catalogue's exports against those of a release of JAX, operation by "
             "operation",
             "vintage fidelity COUNTERPARTS --at-least 95 -o docs/measured/fidelity.md") {}
  void addOptions(CLI::App& app) override {
    app.add_option(
           "COUNTERPARTS", options_.folder,
           "The folder that 'vintage_jax produce --counterparts-of' wrote (docs/howto/jax.md)")
        ->required();
    app.add_option("--profile", profile_, "The profile of ours (default: the newest)");
    addDefaulted(app, "--platform", options_.platform, "cpu, cuda, rocm or tpu");
    app.add_option("--primitive", options_.primitives, "Only these primitives");
    app.add_option("--at-least", atLeast_, "Fail where fewer percent are identical")
        ->check(CLI::Range(0.0, 100.0));
    app.add_flag("--all", all_, "Print every difference, not the first one of each primitive");
    app.add_option("-o,--out", out_, "Write the page to this file");
  }

  Result<int> run(Console& console) override {
    if (!profile_.empty()) {
      ASSIGN_OR_RETURN(options_.profile, findProfile(profile_));
    }
    options_.progress = [&](size_t done, size_t of) { console.progress("compare", done, of); };
    ASSIGN_OR_RETURN(const FidelityReport report, measureFidelity(options_));
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, visible(fidelityPage(report))));
    console.answer(json(report), fidelityText(report, all_));
    const PrimitiveFidelity total = report.total();
    if (total.comparable == 0) return kExitNothingRan;
    const double identical =
        100.0 * static_cast<double>(total.identical) / static_cast<double>(total.comparable);
    return identical >= atLeast_ ? kExitHolds : kExitDoesNotHold;
  }

 private:
  static nlohmann::json json(const FidelityReport& report) {
    nlohmann::json primitives = nlohmann::json::object();
    for (const auto& [name, each] : report.primitives) {
      nlohmann::json differences = nlohmann::json::array();
      for (const Difference& difference : each.differences)
        differences.push_back(
            {{"case", difference.caseId}, {"ours", difference.ours}, {"jax", difference.jax}});
      primitives[name] = {{"cases", each.cases},
                          {"comparable", each.comparable},
                          {"identical", each.identical},
                          {"differences", differences}};
    }
    const PrimitiveFidelity total = report.total();
    return {{"producer", report.producer},    {"profile", report.profile},
            {"platform", report.platform},    {"cases", total.cases},
            {"comparable", total.comparable}, {"identical", total.identical},
            {"primitives", primitives}};
  }

  FidelityOptions options_;
  std::string profile_, out_;
  double atLeast_ = 0;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeConformVerb() { return std::make_unique<ConformVerb>(); }
std::unique_ptr<Verb> makeFidelityVerb() { return std::make_unique<FidelityVerb>(); }

}  // namespace vintage::harness
