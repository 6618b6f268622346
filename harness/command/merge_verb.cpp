#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/verb.h"
#include "harness/judge/window/merge_archives.h"
#include "reports/window_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

class MergeVerb final : public Verb {
 public:
  MergeVerb()
      : Verb("merge",
             "Merge shards: results of 'vintage window --shard', or the archives that "
             "recorded them",
             "vintage merge part1.json part2.json\n"
             "  vintage merge B C --into A && vintage window --archive A --no-run") {}
  void addOptions(CLI::App& app) override {
    app.add_option("SHARD", shards_, "Results as 'vintage window -o' wrote them, or archives")
        ->required();
    app.add_option("--into", into_, "The archive that takes what the archives recorded");
    app.add_option("--out,-o", out_, "Write the merged result as JSON");
  }

  Result<int> run(Console& console) override {
    return into_.empty() ? mergeResults(console) : mergeArchives(console);
  }

 private:
  Result<int> mergeResults(Console& console) {
    std::optional<WindowReport> whole;
    for (const std::string& path : shards_) {
      std::error_code problem;
      if (std::filesystem::is_directory(path, problem))
        return usageError("{}: this is a folder; merge archives with --into", path);
      ASSIGN_OR_RETURN(auto bytes, readFile(path));
      ASSIGN_OR_RETURN(
          auto report,
          parseWindowReport({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
      if (!whole)
        whole = std::move(report);
      else if (Status status = whole->add(report); !status)
        return within(path, status.error());
    }
    const nlohmann::json json = reports::toJson(*whole);
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, json.dump(2) + "\n"));
    console.answer(json, windowText(*whole));
    return exitStatus(whole->verdict());
  }

  Result<int> mergeArchives(Console& console) {
    ASSIGN_OR_RETURN(auto into, Archive::open(into_, Archive::Mode::kCreate));
    nlohmann::json merged = nlohmann::json::array();
    for (const std::string& folder : shards_) {
      ASSIGN_OR_RETURN(auto from, Archive::open(folder, Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(auto counts, mergeArchive(from, into));
      merged.push_back({{"archive", folder},
                        {"artifacts", counts.artifacts},
                        {"new_artifacts", counts.newArtifacts},
                        {"builds", counts.builds},
                        {"new_builds", counts.newBuilds},
                        {"new_runs", counts.runs},
                        {"outcomes", counts.outcomes}});
      if (!console.json())
        console.line(
            "{}: {} artifacts ({} new), {} builds ({} new), {} new runs, {} outcomes; archive: {}",
            folder, counts.artifacts, counts.newArtifacts, counts.builds, counts.newBuilds,
            counts.runs, counts.outcomes, into_);
    }
    if (console.json()) console.printJson(merged);
    return kExitHolds;
  }

  std::vector<std::string> shards_;
  std::string into_, out_;
};

}  // namespace

std::unique_ptr<Verb> makeMergeVerb() { return std::make_unique<MergeVerb>(); }

}  // namespace vintage::harness
