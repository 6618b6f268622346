#include "harness/command/consumer_tables.h"

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "golden/base/file.h"
#include "harness/command/verb.h"
#include "harness/tables/comparison.h"
#include "harness/tables/consumer_pages.h"

namespace vintage::harness::command {
namespace {

// The page to a file, or printed: as JSON where that is asked for.
Result<int> show(const std::string& page, const nlohmann::ordered_json& json,
                 const std::string& out, Console& console) {
  if (!out.empty()) {
    RETURN_IF_ERROR(writeTextFile(out, page));
    console.line(fmt::format("written to {}", out));
  } else if (console.json()) {
    console.printJson(json);
  } else {
    console.print(page);
  }
  return kExitHolds;
}

}  // namespace

void ConsumerTables::addTo(CLI::App& app) {
  app.add_option("--producer", producers_,
                 "With --consumers, --against and --published: only artifacts of these")
      ->type_name("NAME ...");
  app.add_flag("--consumers", asked_,
               "Instead: what works where, of all consumers (or --build) side by side; with --out, "
               "a file that ends with .md, .html, .json or .csv, or text");
  app.add_option("--against", against_, "Instead: what --build cannot do and this consumer can")
      ->type_name("BUILD");
  app.add_option("--published", published_,
                 "Instead: the limitations of this file beside what is recorded on --build")
      ->type_name("FILE");
}

Result<int> ConsumerTables::run(const std::string& archiveName, const std::string& build,
                                const std::vector<std::string>& modes, const std::string& out,
                                Console& console) const {
  if (build.empty() && !(against_.empty() && published_.empty()))
    return failure(Error::Kind::kUsage,
                   "--against and --published compare one consumer: name it with --build");
  ASSIGN_OR_RETURN(auto archive, Archive::open(archiveName, Archive::Mode::kReadOnly));
  std::vector<std::string> builds;
  if (!build.empty()) builds.push_back(build);
  if (!against_.empty()) builds.push_back(against_);
  ASSIGN_OR_RETURN(auto table, makeConsumerTable(archive, {builds, modes, producers_}));
  if (!published_.empty()) {
    ASSIGN_OR_RETURN(auto bytes, readFile(published_));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ASSIGN_OR_RETURN(auto published, parsePublished(text, published_));
    const PublishedComparison comparison = comparePublished(table, build, std::move(published));
    return show(publishedPage(comparison), publishedJson(comparison), out, console);
  }
  if (!against_.empty()) {
    const auto lacking = lackingAgainst(table, build, against_);
    return show(lackingText(lacking, build, against_), lackingJson(lacking), out, console);
  }
  return show(consumerTable(table, tableFormOf(out)), consumerTableJson(table), out, console);
}

}  // namespace vintage::harness::command
