#include "harness/bisect/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr int kJournalFormat = 2;           // 1 had one process in a probe.
constexpr int kMostExecutionsAsked = 1000;  // Bound for journals that others wrote.
constexpr const char* kLocalization = "localization";
constexpr const char* kFresh = "fresh";
// No sequence has this hash: answers from other journals count as asked earlier.
constexpr const char* kElsewhere = "elsewhere";

tl::unexpected<Error> ioFailure(const std::filesystem::path& path) {
  return ioError("{}: {}", path.string(), strerror(errno));
}

nlohmann::json toJson(const ProbeReport& report) {
  return {{"started", report.answer.started},
          {"problem", report.answer.problem},
          {"processes", report.answer.processes},
          {"outcome", outcomeName(report.outcome)},
          {"stage", stageName(report.stage)},
          {"detail", report.detail},
          {"seconds", report.seconds}};
}

// Throws nlohmann's exceptions, which load() turns into an error.
ProbeReport reportFrom(const nlohmann::json& json) {
  ProbeReport report;
  report.answer.started = json.at("started").get<bool>();
  report.answer.problem = json.at("problem").get<std::string>();
  if (json.contains("failures"))  // Format 1.
    report.answer.processes = {json["failures"].get<std::vector<std::string>>()};
  else
    json.at("processes").get_to(report.answer.processes);
  report.outcome =
      parseOutcome(json.at("outcome").get<std::string>()).value_or(OutcomeKind::kRunnerError);
  report.stage = parseStage(json.at("stage").get<std::string>()).value_or(Stage::kLoad);
  report.detail = json.at("detail").get<std::string>();
  report.seconds = json.at("seconds").get<double>();
  return report;
}

ProbeEffort effortFrom(const nlohmann::json& round) {
  return {round.value("processes", 1), round.at("executions").get<int>()};
}

std::string hashOf(const std::vector<SequenceMember>& sequence) {
  ContentHasher hasher;
  for (const SequenceMember& one : sequence)
    hasher.update(fmt::format("{}\n{}\n", one.name, one.identity));
  return hasher.finish().substr(0, 16);
}

// Whether a line from another journal can be read.
bool isSound(const nlohmann::json& line) try {
  const std::string event = line.at("event").get<std::string>();
  if (line.at("format").get<int>() > kJournalFormat || !line.at("sequence").is_string() ||
      !line.value("run", nlohmann::json("")).is_string())
    return false;
  if (event == "round") {
    const ProbeEffort effort = effortFrom(line);
    if (std::min(effort.processes, effort.executions) < 1 ||
        std::max(effort.processes, effort.executions) > kMostExecutionsAsked)
      return false;
    line.at("names").get<std::vector<std::string>>();
    return line.at("purpose").is_string();
  }
  if (event == kFresh) return line.at("up_to").is_string();
  if (event == kLocalization)
    return line.at("failing").is_string() && line.at("reference").is_string() &&
           line.at("found").at("text").is_string();
  if (event != "probe") return false;
  reportFrom(line.at("report"));
  return line.at("name").is_string() && line.at("identity").is_string();
} catch (const nlohmann::json::exception&) {
  return false;
}

// The name and identity of the program that was started.
std::pair<std::string, std::string> startOf(const nlohmann::json& probe) {
  return {probe.at("name").get<std::string>(), probe.at("identity").get<std::string>()};
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path,
                              std::vector<SequenceMember> sequence,
                              std::span<const ArchivedJournal> elsewhere) {
  Journal journal;
  journal.path_ = path;
  journal.sequence_ = std::move(sequence);
  journal.sequenceHash_ = hashOf(journal.sequence_);
  for (size_t i = 0; i < journal.sequence_.size(); ++i)
    journal.positionOf_.emplace(journal.sequence_[i].name, i);
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  journal.file_.reset(std::fopen(path.c_str(), "a+e"));
  if (!journal.file_) return ioFailure(path);
  if (::flock(::fileno(journal.file_.get()), LOCK_EX | LOCK_NB) != 0)
    return ioError(
        "{}: another bisect of the same artifact is running; wait for it, or stop it and start "
        "again: nothing is lost",
        path.string());
  RETURN_IF_ERROR(journal.load(elsewhere));
  return journal;
}

Status Journal::load(std::span<const ArchivedJournal> elsewhere) {
  ASSIGN_OR_RETURN(auto bytes, readFile(path_));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // A kill in the middle of a write leaves a line without an end.
  const size_t whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size()) {
    if (::ftruncate(::fileno(file_.get()), static_cast<off_t>(whole)) != 0) return ioFailure(path_);
    text = text.substr(0, whole);
  }
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    lines_.push_back(nlohmann::json::parse(text.substr(0, end), nullptr, false));
    text.remove_prefix(end + 1);
    if (!lines_.back().is_object())
      return badInput(
          "{}: line {} is not a JSON object: the file is damaged; remove it to ask everything "
          "again",
          path_.string(), number);
  }
  for (const nlohmann::json& line : lines_)
    if (isSound(line)) noteForgotten(line);
  RETURN_IF_ERROR(takeOver(elsewhere));
  for (const nlohmann::json& line : lines_)
    if (isSound(line) && line["event"] == "probe" && !line["report"]["started"].get<bool>())
      ++failedStarts_[startOf(line)];
  // Answers of other sequences come first, whatever their order in the file.
  for (bool sameSequence : {false, true})
    for (size_t i = 0; i < lines_.size(); ++i) try {
        RETURN_IF_ERROR(read(lines_[i], sameSequence));
      } catch (const nlohmann::json::exception& exception) {
        return badInput("{}: line {}: {}; remove the file to ask everything again", path_.string(),
                        i + 1, exception.what());
      }
  return {};
}

Status Journal::takeOver(std::span<const ArchivedJournal> elsewhere) {
  // Two lines about the same probe differ in their sequence at most.
  const auto keyOf = [](nlohmann::json line) {
    line.erase("sequence");
    line.erase("run");
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::set<std::string> known;
  for (const nlohmann::json& line : lines_) known.insert(keyOf(line));
  bool isWhole = lines_.empty();
  std::vector<nlohmann::json> added;
  for (const ArchivedJournal& journal : elsewhere) {
    if (journal.run <= forgottenUpTo_) continue;
    for (const nlohmann::json& line : journal.lines) {
      if (!isSound(line)) continue;
      noteForgotten(line);
      const bool probe = line["event"] == "probe", found = line["event"] == kLocalization;
      if (probe && !line["report"]["started"].get<bool>()) continue;
      if (!isWhole && !probe && !found) continue;  // Rounds of another search.
      if (!known.insert(keyOf(line)).second && (probe || found)) continue;
      added.push_back(line);
      if (!isWhole) added.back()["sequence"] = kElsewhere;
    }
    isWhole = false;
  }
  return write(added);
}

void Journal::noteForgotten(const nlohmann::json& line) {
  if (line["event"] == kFresh)
    forgottenUpTo_ = std::max(forgottenUpTo_, line["up_to"].get<std::string>());
}

Status Journal::forgetUpTo(const std::string& run) {
  forgottenUpTo_ = std::max(forgottenUpTo_, run);
  return append({{"event", kFresh}, {"up_to", run}});
}

Status Journal::read(const nlohmann::json& line, bool sameSequence) {
  if (line.at("format").get<int>() > kJournalFormat)
    return unsupported("{}: format {}; this build reads formats up to {}; use a newer Vintage",
                       path_.string(), line.at("format").get<int>(), kJournalFormat);
  if ((line.at("sequence").get<std::string>() == sequenceHash_) != sameSequence) return {};
  const std::string event = line.at("event").get<std::string>();
  if (const auto run = line.find("run"); run != line.end()) runs_.insert(run->get<std::string>());
  if (event == "round" && sameSequence) {
    Round round;
    round.purpose =
        parsePurpose(line.at("purpose").get<std::string>()).value_or(RoundPurpose::kNarrow);
    round.effort = effortFrom(line);
    for (const std::string& name : line.at("names").get<std::vector<std::string>>())
      if (const auto place = positionOf_.find(name); place != positionOf_.end())
        round.positions.push_back(place->second);
    history_.push_back(std::move(round));
  } else if (event == "probe") {
    const auto place = positionOf_.find(line.at("name").get<std::string>());
    if (place == positionOf_.end() ||
        sequence_[place->second].identity != line.at("identity").get<std::string>())
      return {};
    const ProbeReport report = reportFrom(line.at("report"));
    const size_t position = place->second;
    if (!sameSequence && (history_.empty() || history_.back().answers.contains(position))) {
      Round& earlier = history_.emplace_back();
      earlier.purpose = RoundPurpose::kEarlier;
    }
    if (history_.empty()) return {};
    Round& round = history_.back();
    // A full disk or an absent network is not an answer of the build. The next search retries a
    // build that failed to start once, and remembers it once it failed twice.
    if (!report.answer.started && sameSequence && failedStarts_[startOf(line)] == 1) {
      std::erase(round.positions, position);
      if (round.positions.empty()) history_.pop_back();
      return {};
    }
    if (!sameSequence) round.positions.push_back(position);
    round.answers[position] = report.answer;
    reports_[position] = report;
    ++remembered_;
  }
  return {};
}

const ProbeReport* Journal::lastReport(size_t position) const {
  const auto found = reports_.find(position);
  return found == reports_.end() ? nullptr : &found->second;
}

Status Journal::beginRound(const Round& round) {
  std::vector<std::string> names;
  for (size_t position : round.positions) names.push_back(sequence_[position].name);
  RETURN_IF_ERROR(append({{"event", "round"},
                          {"purpose", purposeName(round.purpose)},
                          {"processes", round.effort.processes},
                          {"executions", round.effort.executions},
                          {"names", names}}));
  history_.push_back(round);
  history_.back().answers.clear();
  return {};
}

Status Journal::record(size_t position, const ProbeReport& report, const std::string& run) {
  nlohmann::json line{{"event", "probe"},
                      {"name", sequence_[position].name},
                      {"identity", sequence_[position].identity},
                      {"report", toJson(report)}};
  if (!run.empty()) line["run"] = run;
  RETURN_IF_ERROR(append(line));
  if (!run.empty()) runs_.insert(run);
  history_.back().answers[position] = report.answer;
  reports_[position] = report;
  return {};
}

Status Journal::append(const nlohmann::json& line) {
  nlohmann::json whole = line;
  whole["format"] = kJournalFormat;
  whole["sequence"] = sequenceHash_;
  return write({&whole, 1});
}

Status Journal::write(std::span<const nlohmann::json> lines) {
  if (lines.empty()) return {};
  std::string text;
  for (const nlohmann::json& line : lines)
    text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  // One write, so that a kill leaves at most one line without an end.
  const int file = ::fileno(file_.get());
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::fdatasync(file) != 0)
    return ioFailure(path_);
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  return {};
}

const nlohmann::json* Journal::localization(const std::string& failing,
                                            const std::string& reference) const {
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line)
    if (line->value("event", nlohmann::json()) == kLocalization &&
        line->value("failing", nlohmann::json()) == failing &&
        line->value("reference", nlohmann::json()) == reference && line->contains("found"))
      return &(*line)["found"];
  return nullptr;
}

Status Journal::keepLocalization(const std::string& failing, const std::string& reference,
                                 const nlohmann::json& found) {
  return append(
      {{"event", kLocalization}, {"failing", failing}, {"reference", reference}, {"found", found}});
}

}  // namespace vintage::harness
