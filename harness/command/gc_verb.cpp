#include "harness/command/collected_json.h"
#include "harness/command/verb.h"

namespace vintage {
namespace {

class GcVerb final : public Verb {
 public:
  const char* name() const override { return "gc"; }
  const char* summary() const override {
    return "Take away what no record names, while others go on pushing";
  }
  const char* example() const override { return "vintage gc --archive A --dry-run"; }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_flag("--dry-run", dryRun_, "Only say how much there is");
  }

  Result<int> run(Console& console) override {
    auto archive = Archive::open(archive_, Archive::Mode::kReadWrite);
    if (!archive) return tl::unexpected<Error>(archive.error());
    CollectOptions options;
    options.dryRun = dryRun_;
    options.progress = [&](std::string_view what, size_t done, size_t total) {
      console.progress(what, done, total);
    };
    const auto report = collectGarbage(*archive, options);
    if (!report) return tl::unexpected<Error>(report.error());
    if (console.json()) {
      nlohmann::json json = toJson(*report);
      json["archive"] = archive_;
      json["dry_run"] = dryRun_;
      console.printJson(json);
    } else {
      console.line(textOf(*report, dryRun_));
    }
    return kExitHolds;
  }

 private:
  std::string archive_;
  bool dryRun_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeGcVerb() { return std::make_unique<GcVerb>(); }

}  // namespace vintage
