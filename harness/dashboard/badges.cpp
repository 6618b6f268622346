#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "archive/records/pair.h"
#include "archive/records/window_policy.h"
#include "golden/base/content_hash.h"
#include "golden/base/counted.h"
#include "golden/base/visible_text.h"
#include "harness/dashboard/lookup_site.h"
#include "reports/run_report.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;
using reports::xmlText;

namespace {

// Those of the page in its light theme, dark enough for white text.
constexpr std::string_view kGood = "#2b5a86", kBad = "#a64406", kNothing = "#5c6570";

struct Badge {
  std::string label, words;
  std::string_view colour = kNothing;
};

// `textLength` fits each text to its half, whatever the viewer's font is.
std::string svgOf(const Badge& badge) {
  const auto width = [](const std::string& text) {
    const auto letters =
        std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; });
    return 7 * letters;
  };
  const std::string label = visible(badge.label), words = visible(badge.words);
  const auto left = width(label) + 12, right = width(words) + 12;
  const auto half = [](std::string_view colour, auto from, auto size) {
    return fmt::format("<rect x=\"{}\" width=\"{}\" height=\"20\" fill=\"{}\"/>", from, size,
                       colour);
  };
  const auto write = [](const std::string& text, auto from, auto size) {
    return fmt::format("<text x=\"{}\" y=\"14\" textLength=\"{}\">{}</text>", from + 6, size - 12,
                       xmlText(text));
  };
  const std::string all = xmlText(label + ": " + words);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"20\" role=\"img\" "
      "aria-label=\"{}\"><title>{}</title>{}{}<g fill=\"#fff\" font-size=\"11\" "
      "font-family=\"Verdana,DejaVu Sans,sans-serif\">{}{}</g></svg>\n",
      left + right, all, all, half("#3a4047", 0, left), half(badge.colour, left, right),
      write(label, 0, left), write(words, left, right));
}

// As plain() in web/src/data.js, with what is usual in names and versions. File systems take names
// of 255 bytes.
std::string fileOf(std::string_view name) {
  constexpr size_t kLongest = 200, kDigits = 12;
  std::string file;
  for (const char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) || character == '-' || (character == '.' && !file.empty()))
      file += character;
    else
      file += fmt::format("_{:x}", byte);
  }
  if (file.size() > kLongest)
    file = file.substr(0, kLongest) + "-" + contentHash(name).substr(0, kDigits);
  return "badge/" + file + ".svg";
}

Badge ofRelease(const json& history, const std::string& version) {
  const auto known = std::ranges::count_if(history["breaks"], [&](const json& found) {
    return std::ranges::find(found["consumers"], json(version)) != found["consumers"].end();
  });
  return {"jax " + version, known == 0 ? "no known break" : counted(known, "known break"),
          known == 0 ? kGood : kBad};
}

// By the latest outcomes on the builds that the promises cover.
Result<Badge> ofModel(const PageContext& context, const ArtifactRecord& record,
                      const std::map<std::string, Date>& built) {
  OutcomeFilter filter;
  filter.artifacts = {record.id};
  ASSIGN_OR_RETURN(auto outcomes, context.archive.outcomes(filter));
  const WindowPolicy policy = jaxPolicy();
  std::erase_if(outcomes, [&](const OutcomeRecord& outcome) {
    const auto build = built.find(outcome.build);
    return build == built.end() || !policy.covers(record.buildDate, build->second) ||
           (!outcome.golden.empty() && outcome.golden != record.golden) ||
           outcome.outcome == OutcomeKind::kRunnerError;
  });
  std::ranges::stable_sort(outcomes, {},
                           [&](const OutcomeRecord& outcome) { return built.at(outcome.build); });
  const auto failed =
      std::ranges::find(outcomes, Cell::kFail, [](const OutcomeRecord& one) { return judge(one); });
  if (failed != outcomes.end()) return Badge{record.name, "fails on " + failed->build, kBad};
  if (outcomes.empty()) return Badge{record.name, "not tried"};
  const Date until = policy.promise(Promise::kBackward).consumers(record.buildDate).last;
  const std::string month = formatDate(until).substr(0, 7);
  if (until < context.today) return Badge{record.name, "held until " + month};
  return Badge{record.name, "holds until " + month, kGood};
}

}  // namespace

Result<std::map<std::string, std::string>> badgeFiles(const PageContext& context,
                                                      const json& history) {
  std::map<std::string, std::string> files;
  for (const json& release : history["releases"])
    files[fileOf("jax-" + release["version"].get<std::string>())] =
        svgOf(ofRelease(history, release["version"]));
  ASSIGN_OR_RETURN(const auto builds, context.archive.builds());
  std::map<std::string, Date> built;
  for (const BuildRecord& build : builds) built[build.name] = build.buildDate;
  ArtifactFilter models;
  models.primitives = {""};
  ASSIGN_OR_RETURN(const auto records, context.archive.list(models));
  std::map<std::string, ArtifactRecord> newest;
  for (const ArtifactRecord& record : records) {
    if (!record.caseId.empty()) continue;
    const auto [place, isNew] = newest.emplace(record.name, record);
    if (!isNew && place->second.buildDate <= record.buildDate) place->second = record;
  }
  for (const auto& [name, record] : newest) {
    ASSIGN_OR_RETURN(const auto badge, ofModel(context, record, built));
    files[fileOf(name)] = svgOf(badge);
  }
  return files;
}

}  // namespace vintage::harness
