#include "harness/dashboard/report_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "harness/dashboard/lookup_site.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness {
using namespace archive;

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Made by web/Bundle.cmake: the modules as one script, the styles as one sheet.
constexpr std::string_view kIndex =
#include "harness/dashboard/index.html.inc"
    ;
constexpr std::string_view kScript =
#include "harness/dashboard/dashboard.js.inc"
    ;
constexpr std::string_view kStyle =
#include "harness/dashboard/dashboard.css.inc"
    ;
constexpr std::string_view kPlots =
#include "harness/dashboard/chart.js.inc"
    ;
constexpr std::string_view kPlotsLicence =
#include "harness/dashboard/chart.LICENSE.inc"
    ;
constexpr std::string_view kIcon =
#include "harness/dashboard/icon.svg.inc"
    ;

constexpr std::array kFiles{
    SiteFile{"index.html", "text/html; charset=utf-8", kIndex},
    SiteFile{"dashboard/dashboard.js", "text/javascript; charset=utf-8", kScript},
    SiteFile{"dashboard/dashboard.css", "text/css; charset=utf-8", kStyle},
    SiteFile{"dashboard/chart.js", "text/javascript; charset=utf-8", kPlots},
    SiteFile{"dashboard/chart.LICENSE", "text/plain; charset=utf-8", kPlotsLicence},
    SiteFile{"dashboard/icon.svg", "image/svg+xml", kIcon},
};

constexpr std::string_view kDataMark = "name=\"vintage-data\"";
constexpr size_t kTextsAtOnce = 64;
// The number of passing pairs of a cell that get a page of their own.
constexpr int kPassedOfCell = 2;

// As plain() in web/src/data.js.
std::string plainName(std::string_view text) {
  std::string name;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte))
      name += character;
    else
      name += fmt::format("_{:x}", byte);
  }
  return name;
}

bool isGood(const json& pair) { return pair["cell"] == "pass" || pair["cell"] == "compiled"; }

// Names files like fileName() in web/src/data.js: by positions in the overview's lists.
class Writer {
 public:
  Writer(const PageContext& context, const ReportOptions& options,
         const std::function<void(size_t, size_t)>& progress)
      : context_(context), options_(options), progress_(progress) {}

  Result<WrittenReport> write() {
    RETURN_IF_ERROR(prepareFolder());
    RETURN_IF_ERROR(writeSite());
    ASSIGN_OR_RETURN(overview_, overviewPage(context_, {}));
    if (!options_.history.is_null()) RETURN_IF_ERROR(writeHistory());
    RETURN_IF_ERROR(writeData("overview", overview_));
    for (const char* name : {"summary", "health"}) {
      ASSIGN_OR_RETURN(const auto page, findPageKind(name)->make(context_, {}));
      RETURN_IF_ERROR(writeData(name, page));
    }
    ASSIGN_OR_RETURN(const auto targets, options_.releases ? targetsJson(*options_.releases)
                                                           : targetsPage(context_, {}));
    RETURN_IF_ERROR(writeData("targets", targets));
    for (size_t run = 0; run < overview_["runs"].size(); ++run) {
      ASSIGN_OR_RETURN(const auto page,
                       accuracyPage(context_, {{"run", overview_["runs"][run]["id"]}}));
      RETURN_IF_ERROR(writeData(fmt::format("accuracy-r{}", run), page));
    }
    RETURN_IF_ERROR(writeSpeed());
    RETURN_IF_ERROR(writeBuilds());
    RETURN_IF_ERROR(writeTexts());
    return written_;
  }

 private:
  // Writes only to a folder that holds nothing else.
  Status prepareFolder() {
    std::error_code problem;
    const fs::path folder = options_.folder;
    // Also one that was interrupted: its first file is there, and pages are not.
    const auto index = readTextFile(options_.folder + "/index.html");
    const bool earlier = index && index->find(kDataMark) != std::string::npos;
    if (fs::exists(folder, problem) && !earlier && !fs::is_empty(folder, problem))
      return usageError(
          "{}: the folder holds something else than an earlier report; name an empty or a new one",
          options_.folder);
    // Removes pages of earlier builds and pairs, and what an earlier history added.
    if (earlier)
      for (const char* name : {"data", "badge", "feed.xml"}) fs::remove_all(folder / name, problem);
    fs::create_directories(folder / "data", problem);
    fs::create_directories(folder / "dashboard", problem);
    if (problem) return ioError("{}: cannot be created: {}", options_.folder, problem.message());
    return {};
  }

  Status writeSite() {
    for (const SiteFile& file : siteFiles())
      RETURN_IF_ERROR(writeText(std::string(file.name), file.name == "index.html"
                                                            ? staticIndex()
                                                            : std::string(file.text)));
    return {};
  }

  Status writeHistory() {
    overview_["history"] = true;
    overview_["title"] = options_.title;
    RETURN_IF_ERROR(writeData("history", options_.history));
    overview_["others"] = !options_.others.is_null();
    if (overview_["others"]) RETURN_IF_ERROR(writeData("others", options_.others));
    RETURN_IF_ERROR(
        writeText("feed.xml", breaksFeed(options_.history, options_.title, options_.address)));
    ASSIGN_OR_RETURN(const auto badges, badgeFiles(context_, options_.history));
    std::error_code problem;
    fs::create_directories(fs::path(options_.folder) / "badge", problem);
    if (problem)
      return ioError("{}/badge: cannot be created: {}", options_.folder, problem.message());
    for (const auto& [name, svg] : badges) RETURN_IF_ERROR(writeText(name, svg));
    return {};
  }

  Status writeText(const std::string& name, const std::string& text) {
    RETURN_IF_ERROR(writeTextFile(fs::path(options_.folder) / name, text));
    ++written_.files;
    written_.bytes += static_cast<int64_t>(text.size());
    return {};
  }

  Status writeData(const std::string& name, const json& page) {
    return writeText(fmt::format("data/{}.js", name),
                     fmt::format("vintageDashboard.take({}, {});\n", json(name).dump(),
                                 page.dump(-1, ' ', false, json::error_handler_t::replace)));
  }

  Status writeSpeed() {
    ASSIGN_OR_RETURN(const json page, speedPage(context_, {}));
    RETURN_IF_ERROR(writeData("speed", page));
    for (const json& pair : page["pairs"]) {
      const std::string build = pair["build"], beside = pair["beside"];
      ASSIGN_OR_RETURN(const json compared,
                       speedPairPage(context_, {{"build", build}, {"beside", beside}}));
      RETURN_IF_ERROR(writeData(
          fmt::format("speed-pair-{}-{}", plainName(build), plainName(beside)), compared));
    }
    return {};
  }

  // The newest first: their pairs matter most if not all get a page.
  Status writeBuilds() {
    const json& builds = overview_["builds"];
    size_t newest = 0;
    for (size_t place = builds.size(); place-- > 0;) {
      if (progress_) progress_(builds.size() - place, builds.size());
      if (builds[place]["outcomes"] == 0) continue;
      const std::string build = builds[place]["name"];
      const PageParameters ofBuild{{"build", build}};
      ASSIGN_OR_RETURN(const auto column, columnPage(context_, ofBuild));
      RETURN_IF_ERROR(writeData(fmt::format("column-b{}", place), column));
      ASSIGN_OR_RETURN(const auto matrix, matrixPage(context_, ofBuild));
      RETURN_IF_ERROR(writeData(fmt::format("matrix-b{}", place), matrix));
      if (newest++ >= options_.buildsWithPairs) continue;
      RETURN_IF_ERROR(writeCells(place, build, column, "primitive", 'p', "primitives"));
      RETURN_IF_ERROR(writeCells(place, build, matrix, "producer", 'x', "producers"));
    }
    return {};
  }

  Status writeCells(size_t place, const std::string& build, const json& tallies,
                    const char* parameter, char letter, const char* list) {
    std::set<std::string> names;
    for (const json& row : tallies["cells"]) names.insert(row[0].get<std::string>());
    const json& all = overview_[list];
    for (size_t index = 0; index < all.size(); ++index) {
      const std::string name = all[index].is_object() ? all[index]["name"] : all[index];
      if (!names.contains(name)) continue;
      RETURN_IF_ERROR(writePairs(place, fmt::format("pairs-b{}-{}{}", place, letter, index),
                                 {{"build", build}, {parameter, name}}));
    }
    return {};
  }

  // Writes pages until the last pair of one passed: passing pairs are only counted in the total.
  Status writePairs(size_t place, const std::string& file, PageParameters parameters) {
    std::string after;
    for (int passed = 0;;) {
      if (!after.empty()) parameters["after"] = after;
      ASSIGN_OR_RETURN(auto page, pairsPage(context_, parameters));
      bool lastPassed = true;
      for (json& pair : page["pairs"]) {
        lastPassed = isGood(pair);
        const bool wanted = !lastPassed || passed++ < kPassedOfCell;
        ASSIGN_OR_RETURN(const bool held, writePair(place, parameters.at("build"), pair, wanted));
        pair["page"] = held;
      }
      if (lastPassed) page["next"] = nullptr;
      RETURN_IF_ERROR(writeData(after.empty() ? file : file + "-after" + after, page));
      if (page["next"].is_null()) return {};
      after = std::to_string(page["next"].get<int64_t>());
    }
  }

  // Whether the pair has a page of its own.
  Result<bool> writePair(size_t place, const std::string& build, const json& pair, bool wanted) {
    const std::string artifact = pair["artifact"], golden = pair["golden"];
    const std::string platform = pair["platform"], mode = pair["mode"];
    const std::string file = fmt::format("pair-b{}-{}-{}-{}-{}", place, artifact.substr(0, 16),
                                         golden.substr(0, 8), plainName(platform), plainName(mode));
    if (pairs_.contains(file)) return true;
    if (!wanted) return false;
    if (pairs_.size() >= options_.mostPairs) {
      if (!isGood(pair) && leftOut_.insert(file).second) ++written_.pairsLeftOut;
      return false;
    }
    const PageParameters parameters{{"artifact", artifact},
                                    {"golden", golden},
                                    {"build", build},
                                    {"platform", platform},
                                    {"mode", mode}};
    ASSIGN_OR_RETURN(const auto page, pairPage(context_, parameters));
    RETURN_IF_ERROR(writeData(file, page));
    pairs_.insert(file);
    artifacts_.insert(artifact);
    ++written_.pairs;
    return true;
  }

  Status writeTexts() {
    std::vector<ArtifactRecord> records;
    for (const std::string& id : artifacts_) {
      ASSIGN_OR_RETURN(auto record, artifactOf(context_, {{"artifact", id}}));
      records.push_back(std::move(record));
    }
    for (size_t first = 0; first < records.size(); first += kTextsAtOnce) {
      const auto some =
          std::span(records).subspan(first, std::min(kTextsAtOnce, records.size() - first));
      auto texts = context_.moduleTexts(context_.archive, some);
      for (size_t index = 0; index < some.size(); ++index)
        RETURN_IF_ERROR(writeData("text-" + some[index].id.substr(0, 16),
                                  textJson(some[index], std::move(texts[index]))));
    }
    return {};
  }

  const PageContext& context_;
  const ReportOptions& options_;
  const std::function<void(size_t, size_t)>& progress_;
  WrittenReport written_;
  json overview_;
  std::set<std::string> pairs_, leftOut_, artifacts_;
};

}  // namespace

std::span<const SiteFile> siteFiles() { return kFiles; }

std::string staticIndex() {
  constexpr std::string_view kServed = "name=\"vintage-data\" content=\"service\"";
  constexpr std::string_view kStatic = "name=\"vintage-data\" content=\"files\"";
  std::string index(kIndex);
  if (const size_t at = index.find(kServed); at != std::string::npos)
    index.replace(at, kServed.size(), kStatic);
  return index;
}

std::string_view contentSecurityPolicy() {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
         "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'; trusted-types vintage";
}

Result<WrittenReport> writeReport(const PageContext& context, const ReportOptions& options,
                                  const std::function<void(size_t, size_t)>& progress) {
  return Writer(context, options, progress).write();
}

}  // namespace vintage::harness
