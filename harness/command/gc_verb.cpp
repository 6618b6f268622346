#include "archive/store/repack.h"
#include "harness/command/collected_json.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class GcVerb final : public Verb {
 public:
  GcVerb()
      : Verb("gc", "Delete contents that no record names, while others keep pushing",
             "vintage gc --archive A --dry-run\n  vintage gc --archive A --repack") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    auto* dryRun = app.add_flag("--dry-run", dryRun_, "Only print how much it would free");
    auto* repack = app.add_flag("--repack", repack_,
                                "Also pack the small contents again, with a dictionary of what "
                                "they have in common, and give free pages back to the disk");
    app.add_flag("--new-dictionary", newDictionary_, "With --repack: train another dictionary")
        ->needs(repack);
    repack->excludes(dryRun);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    CollectOptions options;
    options.dryRun = dryRun_;
    options.progress = [&](std::string_view what, size_t done, size_t total) {
      console.progress(what, done, total);
    };
    ASSIGN_OR_RETURN(const auto report, collectGarbage(archive, options));
    nlohmann::json json = toJson(report);
    json["archive"] = archive_;
    json["dry_run"] = dryRun_;
    if (!console.json()) console.line(textOf(report, dryRun_));
    if (repack_) {
      RETURN_IF_ERROR(repack(archive, json, console));
    }
    if (console.json()) console.printJson(json);
    return kExitHolds;
  }

 private:
  Status repack(Archive& archive, nlohmann::json& json, Console& console) const {
    RepackOptions options;
    options.newDictionary = newDictionary_;
    options.progress = [&](size_t done, size_t total) { console.progress("repack", done, total); };
    ASSIGN_OR_RETURN(const auto report, repackSmallContents(archive, options));
    ASSIGN_OR_RETURN(const auto shrunk,
                     shrinkIndex(archive, report.bytesBefore - report.bytesAfter));
    json["repacked"] = {{"too_few", report.tooFew},
                        {"dictionary", report.dictionary},
                        {"new_dictionary", report.trained},
                        {"contents", report.looked},
                        {"packed", report.packed},
                        {"damaged", report.damaged},
                        {"stored_bytes_before", report.bytesBefore},
                        {"stored_bytes_after", report.bytesAfter},
                        {"index_shrank_by", shrunk}};
    if (console.json()) return {};
    if (report.tooFew) {
      console.line(
          "Nothing was packed again: a dictionary takes {} small artifacts; the archive has {}.",
          kFewestDictionarySamples, report.looked);
      return {};
    }
    console.line(
        "Packed {} of {} small contents again with {}dictionary {}: {} bytes were stored, {} are "
        "now; the index shrank by {} bytes.{}",
        report.packed, report.looked, report.trained ? "the new " : "", report.dictionary,
        report.bytesBefore, report.bytesAfter, shrunk,
        report.damaged == 0
            ? ""
            : fmt::format(" {} are damaged: run 'vintage fsck --read-data'.", report.damaged));
    return {};
  }

  std::string archive_;
  bool dryRun_ = false, repack_ = false, newDictionary_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeGcVerb() { return std::make_unique<GcVerb>(); }

}  // namespace vintage::harness::command
