#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/integrity/fsck.h"
#include "archive/integrity/signing.h"
#include "archive/store/archive.h"
#include "archive/transfer/place.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/program/portable_artifact.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

class FsckVerb final : public Verb {
 public:
  FsckVerb()
      : Verb("fsck", "Check that an archive is whole, and heal what is damaged",
             "vintage fsck --archive A --read-data\n"
             "  vintage fsck --archive A --read-data=3/7      (one seventh, another one each day)\n"
             "  vintage fsck --archive A --read-data --repair --from COPY\n"
             "  vintage fsck --archive s3://backup/vintage --read-data\n"
             "  vintage fsck --archive A --repair --from https://vintage.example.org --token-file "
             "token") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_,
                   "The archive; of s3://BUCKET/PREFIX or https://HOST as 'vintage scrub'")
        ->required();
    app.add_flag("--read-data{1/1}", readData_,
                 "Read all content, hash it and parse it; =N/T: only part N of T");
    app.add_flag("--repair", repair_,
                 "Heal what can be healed; fit owners and modes to the folder");
    app.add_option("--public-key", publicKey_,
                   "Check the signatures of this key (docs/reference/archive_format.md)");
    app.add_option(
        "--pins", pins_,
        "With --public-key: where to remember the newest list that was seen, so that an "
        "older state is found (default: ~/.local/state/vintage/pins.json); empty: nowhere");
    app.add_option("--from", from_,
                   "Heal with content from https://HOST, s3://BUCKET/PREFIX or a folder; several "
                   "are tried in turn")
        ->expected(1)
        ->take_all();
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    FsckOptions options;
    options.repair = repair_;
    options.checkPortableArtifact = checkPortableArtifact;
    options.progress = std::bind_front(&Console::progress, &console);
    if (!readData_.empty()) {
      ASSIGN_OR_RETURN(const auto part, parsePart(readData_, "--read-data"));
      options.readData = true;
      options.part = part;
    }
    if (archive_.find("://") != std::string::npos) return scrubPlace(options, console);
    if (!from_.empty() && !repair_) return usageError("--from needs --repair");
    // Before anything is checked, so that a wrong address or token shows at once.
    ASSIGN_OR_RETURN(options.donors, openDonors());
    ASSIGN_OR_RETURN(const auto key, readPublicKey(publicKey_));
    if (key) options.publicKey = &*key;
    const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
    const bool pinning = key && !pins.path().empty();
    const std::string place = placeName(archive_);
    if (pinning) {
      ASSIGN_OR_RETURN(options.pinned, pins.find(place, key->fingerprint()));
    }
    nlohmann::json findings = nlohmann::json::array();
    ASSIGN_OR_RETURN(const auto summary,
                     checkArchive(archive_, options, [&](const FsckFinding& finding) {
                       nlohmann::json json = findingJson(finding);
                       json["place"] = finding.place;
                       json["content"] = finding.content;
                       json["affected_outcomes"] = finding.affectedOutcomes;
                       console.row(findings, std::move(json), findingText(finding));
                     }));
    if (pinning && summary.signatures.seen)
      RETURN_IF_ERROR(pins.put(place, key->fingerprint(), *summary.signatures.seen));
    console.answer(toJson(summary, std::move(findings)), textOf(summary));
    if (!summary.whole()) return kExitDoesNotHold;
    return summary.access > 0 ? kExitCannotTell : kExitHolds;
  }

 private:
  // A service or a bucket has no index to check.
  Result<int> scrubPlace(const FsckOptions& options, Console& console) const {
    if (from_.size() > 1)
      return usageError("--from: a service or a bucket is healed from one place");
    ScrubCall call;
    call.place = archive_;
    call.from = from_.empty() ? "" : from_.front();
    call.publicKey = publicKey_;
    call.readData = options.readData;
    call.part = options.part;
    call.repair = repair_;
    ASSIGN_OR_RETURN(call.network, network_.placeOptions());
    return runScrub(call, console);
  }

  Result<std::vector<ContentDonor>> openDonors() const {
    std::vector<ContentDonor> donors;
    if (from_.empty()) return donors;
    ASSIGN_OR_RETURN(const auto options, network_.placeOptions());
    for (const std::string& from : from_) {
      std::error_code ignored;
      if (std::filesystem::equivalent(from, archive_, ignored))
        return usageError(
            "--from: {} is the archive to heal; name another one that has the same content", from);
      ASSIGN_OR_RETURN(std::shared_ptr<Place> place,
                       within("--from", openPlace(from, PlaceUse::kRead, options)));
      // Sizes are left open: what the damaged archive says of them may be wrong.
      donors.push_back({place->name(), [place](std::span<const ContentId> wanted, const auto& take,
                                               const auto& lost) {
                          std::vector<WantedContent> contents;
                          for (const ContentId& id : wanted) contents.push_back({id});
                          return place->readContents(contents, take, lost);
                        }});
    }
    return donors;
  }

  static nlohmann::json copiedJson(const FsckSummary& summary) {
    nlohmann::json lists = nlohmann::json::array();
    for (const auto& [list, copy] : summary.copied) {
      nlohmann::json json = SourceTrust::toJson(list);
      json.update({{"source", list.source},
                   {"whole", list.whole},
                   {"listed", copy.listed},
                   {"verified", copy.verified},
                   {"filled_in", copy.fuller},
                   {"removed_at_the_source", copy.removedThere},
                   {"removed_here", copy.removedHere},
                   {"not_copied", copy.notHere}});
      lists.push_back(std::move(json));
    }
    return lists;
  }

  nlohmann::json toJson(const FsckSummary& summary, nlohmann::json findings) const {
    return {{"archive", archive_},
            {"whole", summary.whole()},
            {"artifacts", summary.artifacts},
            {"blobs", summary.blobs},
            {"files", summary.files},
            {"blobs_read", summary.blobsRead},
            {"bytes_read", summary.bytesRead},
            {"damaged", summary.damaged},
            {"healed", summary.healed},
            {"litter", summary.litter},
            {"access", summary.access},
            {"in_flight", summary.inFlight},
            {"signatures_verified", summary.signatures.verified},
            {"unsigned", summary.signatures.unsignedYet},
            {"removals_unsigned", summary.signatures.removals},
            {"changes_unsigned", summary.signatures.changes},
            {"list", SourceTrust::toJson(summary.signatures.seen)},
            {"copied_lists", copiedJson(summary)},
            {"copied_lists_of_other_keys", summary.otherKeys},
            {"sqlite", sqliteVersion()},
            {"findings", std::move(findings)}};
  }

  std::string textOf(const FsckSummary& summary) const {
    const std::string read =
        summary.blobsRead == 0 ? "only looked up"
                               : fmt::format("{} of them read and verified, {}", summary.blobsRead,
                                             counted(summary.bytesRead, "byte"));
    std::string rest;
    if (summary.damaged > 0)
      rest +=
          fmt::format(" {} found, {} healed.", counted(summary.damaged, "damage"), summary.healed);
    if (summary.litter > 0) rest += fmt::format(" {} left over for 'vintage gc'.", summary.litter);
    if (summary.access > 0)
      rest += fmt::format(" {} owners or modes will make a command fail.", summary.access);
    for (const auto& [list, copy] : summary.copied)
      rest += fmt::format(
          " List {} of {} by key {} came from {}, with {}: {} here as signed, {} filled in since, "
          "{} not copied, {} removed there and {} here.",
          list.counter, list.date, list.key, list.source, counted(copy.listed, "artifact"),
          copy.verified, copy.fuller, copy.notHere, copy.removedThere, copy.removedHere);
    if (summary.otherKeys > 0)
      rest +=
          fmt::format(" Not checked: {} by other keys.", counted(summary.otherKeys, "copied list"));
    if (!publicKey_.empty() && summary.copied.empty())
      rest += fmt::format(" Signatures that hold: {}; not signed yet: {}, {} and {}.",
                          summary.signatures.verified,
                          counted(summary.signatures.unsignedYet, "artifact"),
                          counted(summary.signatures.removals, "removal"),
                          counted(summary.signatures.changes, "change"));
    if (summary.signatures.seen && summary.copied.empty())
      rest += fmt::format(" List {} of {} is by key {}.", summary.signatures.seen->counter,
                          summary.signatures.seen->date, summary.signatures.seen->key);
    rest += fmt::format(" SQLite is {}.", sqliteVersion());
    if (summary.inFlight > 0) rest += fmt::format(" Under a writer's lease: {}.", summary.inFlight);
    return fmt::format("{} is {}: {}, {} ({}), {}.{}\n", archive_,
                       summary.whole() ? "whole" : "damaged",
                       counted(summary.artifacts, "artifact"), counted(summary.blobs, "content"),
                       read, counted(summary.files, "file"), rest);
  }

  std::string archive_, readData_, publicKey_;
  std::optional<std::string> pins_;
  std::vector<std::string> from_;
  NetworkOptions network_;
  bool repair_ = false;
};

}  // namespace

Status checkPortableArtifact(std::span<const std::byte> bytes, std::string_view name) {
  ASSIGN_OR_RETURN(const auto header, readArtifactHeader(bytes, name));
  if (std::string problem = checkArtifactSections(bytes); !problem.empty())
    return badInput("{}: {}", name, problem);
  return {};
}

std::unique_ptr<Verb> makeFsckVerb() { return std::make_unique<FsckVerb>(); }

}  // namespace vintage::harness
