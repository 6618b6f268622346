#include "harness/dashboard/pages.h"

#include <algorithm>

#include "archive/records/failure_class.h"
#include "archive/records/pair.h"
#include "golden/base/failures.h"
#include "golden/base/utf8.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

namespace {

constexpr std::string_view kOfBuild[] = {"build"};
constexpr std::string_view kOfPairs[] = {"build",    "primitive", "producer",
                                         "platform", "mode",      "after"};
constexpr std::string_view kOfPair[] = {"artifact", "golden", "build", "platform", "mode"};
constexpr std::string_view kOfText[] = {"artifact"};
constexpr std::string_view kOfRun[] = {"run"};

constexpr PageKind kKinds[] = {
    {"overview", {}, overviewPage},   {"column", kOfBuild, columnPage},
    {"matrix", kOfBuild, matrixPage}, {"pairs", kOfPairs, pairsPage},
    {"pair", kOfPair, pairPage},      {"text", kOfText, textPage},
    {"targets", {}, targetsPage},     {"accuracy", kOfRun, accuracyPage},
    {"health", {}, healthPage},
};

}  // namespace

std::span<const PageKind> pageKinds() { return kKinds; }

const PageKind* findPageKind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &PageKind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

std::string cutText(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  text.resize(wholeCharacters(text, bytes).size());
  return text + "…";
}

Result<std::string> required(const PageParameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return usageError("the parameter '{}' is missing", name);
  return found->second;
}

std::string given(const PageParameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

json outcomeJson(const OutcomeRecord& outcome) {
  const auto failure = failureClassOf(outcome);
  return {{"outcome", outcomeName(outcome.outcome)},
          {"stage", stageName(outcome.stage)},
          {"cell", cellName(judge(outcome))},
          {"class", failure ? json(failureClassName(*failure)) : json()},
          {"limitation", outcome.limitation},
          {"platform", outcome.platform},
          {"mode", outcome.mode}};
}

}  // namespace vintage::harness
