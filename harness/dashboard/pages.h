// The pages of data, each small however many outcomes the archive holds. The served dashboard and
// the static one show the same (docs/reference/dashboard.md).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/typed_words.h"

namespace vintage::harness {

// The text of each artifact's module, in their order. Reads untrusted bytes: the caller chooses
// where and how.
using ModuleTexts = std::function<std::vector<Result<std::string>>(
    const archive::Archive&, std::span<const archive::ArtifactRecord>)>;

struct PageContext {
  const archive::Archive& archive;
  std::string archiveArgument;  // For the commands that reproduce an outcome.
  Date today{};
  ModuleTexts moduleTexts;
};

// By name: "build", "beside", "primitive", "producer", "artifact", "golden", "platform", "mode",
// "run", "after". A missing parameter differs from an empty one.
using PageParameters = std::map<std::string, std::string, std::less<>>;

struct PageKind {
  std::string_view name;
  std::span<const std::string_view> parameters;
  Result<nlohmann::json> (*make)(const PageContext&, const PageParameters&);
};
std::span<const PageKind> pageKinds();
// Null: no page has that name.
const PageKind* findPageKind(std::string_view name);

// kUsage names the missing or wrong parameter; kNotFound the record that the archive lacks.
Result<nlohmann::json> summaryPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> overviewPage(const PageContext&, const PageParameters&);
// Rows of one build's outcomes: primitive, platform, mode, passed, failed as declared, passed
// against a limitation, failed, consumer broke, compiled, not comparable, differs where it may;
// without the zeros at the end.
Result<nlohmann::json> columnPage(const PageContext&, const PageParameters&);
// The same by producer: an outcome counts for each artifact with its content and golden.
Result<nlohmann::json> matrixPage(const PageContext&, const PageParameters&);
// A hundred pairs of a primitive or a producer on one build, failures first.
Result<nlohmann::json> pairsPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> pairPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> textPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> targetsPage(const PageContext&, const PageParameters&);
nlohmann::json targetsJson(std::vector<archive::RuntimeDescription> releases);
Result<nlohmann::json> accuracyPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> speedPage(const PageContext&, const PageParameters&);
// The ranked changes, and for each artifact [before, after, low, ratio, high, rounds] of each
// quantity; the newest measurement of an artifact counts.
Result<nlohmann::json> speedPairPage(const PageContext&, const PageParameters&);
Result<nlohmann::json> healthPage(const PageContext&, const PageParameters&);

// Pairs on one page of them, and runs in the overview.
inline constexpr int64_t kPairsOfPage = 100;
inline constexpr size_t kRunsShown = 24;

// Shared by several pages.
//
// Messages come from consumers: longer ones are cut, at a whole character.
std::string cutText(std::string text, size_t bytes);

// kUsage where it is missing.
Result<std::string> required(const PageParameters& parameters, std::string_view name);
std::string given(const PageParameters& parameters, std::string_view name);

// {"outcome", "stage", "cell", "class", "limitation", "platform", "mode"}
nlohmann::json outcomeJson(const archive::OutcomeRecord& outcome);

// The page "text". For a module that cannot be read, the page gives the reason.
nlohmann::json textJson(const archive::ArtifactRecord& record, Result<std::string> text);

// The record of the parameters "artifact", a whole id, and "golden"; by default the newest golden.
Result<archive::ArtifactRecord> artifactOf(const PageContext& context,
                                           const PageParameters& parameters);

}  // namespace vintage::harness
