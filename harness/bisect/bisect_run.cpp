#include "harness/bisect/bisect_run.h"

#include <algorithm>

#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

namespace {

using nlohmann::json;

constexpr const char* kFormat = "vintage bisect";
constexpr int kVersion = 1;

json subjectJson(const Subject& subject) {
  return {{"artifact", subject.record.id},
          {"golden", subject.record.golden},
          {"platform", subject.platform},
          {"mode", subject.mode}};
}

// The lines in a verdict of this format about this subject; empty for another.
std::vector<json> linesOf(const json& verdict, const Subject& subject, const std::string& what) {
  if (!verdict.is_object() || verdict.value("format", json()) != kFormat ||
      verdict.value("version", json()) != kVersion ||
      verdict.value("subject", json()) != subjectJson(subject))
    return {};
  const json journals = verdict.value("journals", json::object());
  if (!journals.is_object()) return {};
  const json lines = journals.value(what, json::array());
  if (!lines.is_array()) return {};
  std::vector<json> out;
  for (const json& line : lines)
    if (line.is_object()) out.push_back(line);
  return out;
}

}  // namespace

BisectRun::BisectRun(Archive& archive, const Subject& subject, std::string commandLine, Date today)
    : archive_(archive), subject_(subject), commandLine_(std::move(commandLine)), today_(today) {}

Result<std::string> BisectRun::begin() {
  if (begun()) return id_;
  RunRecord run;
  run.kind = kProbingRun;
  run.commandLine = commandLine_;
  auto id = archive_.putRun(run, limitations());
  if (id) id_ = *id;
  return id;
}

Status BisectRun::keepOutcome(const std::string& build, const ProbeReport& report) {
  if (!report.answer.started || report.outcome == OutcomeKind::kRunnerError) return {};
  ASSIGN_OR_RETURN(auto id, begin());
  const ArtifactRecord& record = subject_.record;
  OutcomeRecord outcome;
  outcome.artifact = record.id;
  outcome.golden = record.golden;
  outcome.build = build;
  outcome.platform = subject_.platform;
  outcome.mode = subject_.mode;
  outcome.run = id;
  outcome.outcome = report.outcome;
  outcome.stage = report.stage;
  outcome.detail = report.detail;
  outcome.seconds = report.seconds / std::max<double>(1, double(report.answer.executions().size()));
  if (const auto* found = match(limitations(), record, outcome, today_))
    outcome.limitation = found->id;
  return archive_.putOutcomes({&outcome, 1});
}

Status BisectRun::finish(const std::map<std::string, json>& journals, const json& record) {
  if (!begun()) return {};
  const json verdict{{"format", kFormat},
                     {"version", kVersion},
                     {"subject", subjectJson(subject_)},
                     {"journals", journals},
                     {"record", record}};
  return archive_.finishRun(id_, verdict.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<std::vector<ArchivedJournal>> archivedJournals(const Archive& archive,
                                                      const Subject& subject,
                                                      const std::string& what) {
  ASSIGN_OR_RETURN(auto runs, archive.runs());
  std::vector<ArchivedJournal> journals;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->kind != kProbingRun || !run->reporter.empty() || run->finished.empty()) continue;
    ASSIGN_OR_RETURN(auto whole, archive.run(run->id));
    auto lines = linesOf(json::parse(whole.verdict, nullptr, false), subject, what);
    if (!lines.empty()) journals.push_back({run->id, std::move(lines)});
  }
  return journals;
}

}  // namespace vintage::harness
