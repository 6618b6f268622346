#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "archive/transfer/proofs.h"
#include "archive/transfer/scrub.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::string scrubText(const ScrubSummary& summary, const std::string& name,
                      const ContentPart& part) {
  std::string rest;
  if (part.parts > 1) rest += fmt::format(" Part {} of {} was read.", part.part, part.parts);
  if (summary.proved > 0) rest += fmt::format(" {} proved without being sent.", summary.proved);
  if (summary.lists > 0) rest += fmt::format(" Signed lists that hold: {}.", summary.lists);
  if (summary.damaged > 0)
    rest +=
        fmt::format(" {} found, {} healed.", counted(summary.damaged, "damage"), summary.healed);
  if (summary.litter > 0) rest += fmt::format(" {}.", counted(summary.litter, "unknown object"));
  if (!summary.protection.empty()) rest += fmt::format(" The bucket: {}.", summary.protection);
  return fmt::format("{} is {}: {}, {} ({} of them read and verified, {}).{}\n", name,
                     summary.whole() ? "whole" : "damaged", counted(summary.artifacts, "artifact"),
                     counted(summary.contents, "content"), summary.read,
                     counted(summary.bytes, "byte"), rest);
}

class ScrubVerb final : public Verb {
 public:
  ScrubVerb()
      : Verb("scrub",
             "Read back a service, a bucket, a registry or a folder, and restore lost contents",
             "vintage scrub s3://backup/vintage --from A --within 30 --repair   (each night)\n"
             "  vintage scrub https://vintage.example.org --from A --token-file token\n"
             "  vintage scrub s3://backup/vintage --public-key public.pem") {}
  void addOptions(CLI::App& app) override {
    app.add_option("PLACE", call_.place,
                   "https://HOST, s3://BUCKET/PREFIX, oci://HOST/NAME:TAG, or a folder")
        ->required();
    app.add_option("--from", call_.from,
                   "The source of this mirror: all of its artifacts must be here too");
    app.add_option("--within", within_,
                   "Read a part each day, by hash and date, so that this many days read everything")
        ->check(CLI::Range(1, 3650));
    today_.addTo(app, "The day whose part is read (YYYY-MM-DD)");
    app.add_flag(
        "--repair", call_.repair,
        "Restore lost or damaged contents, from --from, or from the versions that a bucket keeps");
    app.add_option("--public-key", call_.publicKey, "Check that the signed lists are by this key");
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    if (within_ > 0) call_.part = partOfDay(today_.date(), static_cast<uint32_t>(within_));
    ASSIGN_OR_RETURN(call_.network, network_.placeOptions());
    return runScrub(call_, console);
  }

 private:
  ScrubCall call_;
  TodayOption today_;
  int within_ = 0;
  NetworkOptions network_;
};

// A service that reads large contents from a slow disk says nothing for long.
constexpr std::chrono::minutes kLongestSilence{10};

class ProveVerb final : public Verb {
 public:
  ProveVerb()
      : Verb("prove",
             "Check that a service holds what an archive holds, without sending the contents",
             "vintage prove --archive A https://vintage.example.org --token-file token\n"
             "  vintage prove --archive A https://vintage.example.org --part 3/7   (another part "
             "each day)") {}
  void addOptions(CLI::App& app) override {
    app.add_option("SERVICE", service_, "https://HOST:PORT")->required();
    app.add_option("--archive", archive_, "The archive that the service should hold")->required();
    app.add_option("--part", part_, "N/T: check only part N of T of the contents");
    filter_.addTo(app);
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ProofOptions options;
    options.filter = filter_.filter();
    if (!part_.empty()) {
      ASSIGN_OR_RETURN(options.part, parsePart(part_, "--part"));
    }
    if (console.watched())
      options.progress = [&](size_t done) { console.progress("proofs", done, done); };
    if (!service_.starts_with("http://") && !service_.starts_with("https://"))
      return usageError(
          "'{}' is not a service (https://HOST:PORT), and only a service proves what it holds; "
          "'vintage fsck --read-data' reads a folder, and 'vintage mirror' a bucket",
          service_);
    ASSIGN_OR_RETURN(auto network, network_.placeOptions());
    network.stallTimeout = kLongestSilence;
    ASSIGN_OR_RETURN(auto base, checkedBaseUrl(service_));
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ServiceClient client(std::move(base), network);
    RETURN_IF_ERROR(client.greet());
    nlohmann::json findings = nlohmann::json::array();
    ASSIGN_OR_RETURN(const auto summary,
                     askForProofs(archive, client, options, [&](const ProofFinding& finding) {
                       console.row(findings,
                                   {{"kind", findingName(finding.kind)},
                                    {"content", finding.content},
                                    {"affected", finding.affected},
                                    {"problem", finding.problem}},
                                   "{}: {}\n  content   {}\n  affects   {}",
                                   findingName(finding.kind), finding.problem, finding.content,
                                   fmt::join(finding.affected, ", "));
                     }));
    print(summary, client.counts(), std::move(findings), console);
    if (summary.wrong > 0) return kExitDoesNotHold;
    if (summary.unknown > 0) return kExitCannotTell;
    return summary.contents == 0 ? kExitNothingRan : kExitHolds;
  }

 private:
  void print(const ProofSummary& summary, const TransferCounts& network, nlohmann::json findings,
             Console& console) const {
    std::string rest;
    if (summary.wrong > 0)
      rest += fmt::format(
          " {} missing, damaged or different there: push the missing ones, and run "
          "'vintage fsck --read-data --repair --from PLACE' where the service is.",
          summary.wrong);
    if (summary.unknown > 0) rest += fmt::format(" {} remain unknown.", summary.unknown);
    console.answerLine({{"archive", archive_},
                        {"service", service_},
                        {"artifacts", summary.artifacts},
                        {"contents", summary.contents},
                        {"proved", summary.proved},
                        {"proved_bytes", summary.bytes},
                        {"wrong", summary.wrong},
                        {"unknown", summary.unknown},
                        {"requests", network.requests},
                        {"bytes_received", network.bytesReceived},
                        {"findings", std::move(findings)}},
                       "{} proved {} of {} of {}, {}, in {}.{}", service_, summary.proved,
                       counted(summary.contents, "content"), counted(summary.artifacts, "artifact"),
                       counted(summary.bytes, "byte"), counted(network.requests, "request"), rest);
  }

  std::string archive_, service_, part_;
  FilterOptions filter_;
  NetworkOptions network_;
};

}  // namespace

nlohmann::json findingJson(const FsckFinding& finding) {
  return {{"kind", findingName(finding.kind)}, {"damage", finding.isDamage()},
          {"problem", finding.problem},        {"affected", finding.affected},
          {"healed", finding.healed},          {"remedy", finding.remedy}};
}

std::string findingText(const FsckFinding& finding) {
  std::string text =
      fmt::format("{}: {}: {}\n", findingName(finding.kind), finding.place, finding.problem);
  if (!finding.content.empty()) text += fmt::format("  content   {}\n", finding.content);
  if (!finding.affected.empty())
    text += fmt::format("  affects   {}\n", fmt::join(finding.affected, ", "));
  if (finding.affectedOutcomes > 0)
    text += fmt::format("  results   {} recorded with it\n", finding.affectedOutcomes);
  if (!finding.remedy.empty()) text += fmt::format("  {}\n", finding.remedy);
  return text;
}

Result<int> runScrub(const ScrubCall& call, Console& console) {
  ScrubOptions options;
  options.repair = call.repair;
  options.readData = call.readData;
  options.part = call.part;
  // The source first: a wrong address shows before anything is read.
  std::unique_ptr<Place> source;
  if (!call.from.empty()) {
    ASSIGN_OR_RETURN(source, within("--from", openPlace(call.from, PlaceUse::kRead, call.network)));
    options.source = source.get();
  }
  const PlaceUse use = call.repair ? PlaceUse::kWrite : PlaceUse::kRead;
  // A place that is not there has lost everything; it is not made here.
  if (auto there = openPlace(call.place, PlaceUse::kRead, call.network); !there)
    return tl::unexpected(there.error());
  ASSIGN_OR_RETURN(const auto place, openPlace(call.place, use, call.network));
  ASSIGN_OR_RETURN(const auto key, readPublicKey(call.publicKey));
  if (key) options.publicKey = &*key;
  if (console.watched()) options.progress = std::bind_front(&Console::progress, &console);
  nlohmann::json findings = nlohmann::json::array();
  ASSIGN_OR_RETURN(const auto summary, scrub(*place, options, [&](const FsckFinding& finding) {
                     nlohmann::json json = findingJson(finding);
                     json["what"] = finding.place;
                     console.row(findings, std::move(json), findingText(finding));
                   }));
  console.answer({{"place", call.place},
                  {"from", call.from},
                  {"whole", summary.whole()},
                  {"part", call.part.part},
                  {"parts", call.part.parts},
                  {"artifacts", summary.artifacts},
                  {"contents", summary.contents},
                  {"read", summary.read},
                  {"bytes", summary.bytes},
                  {"proved", summary.proved},
                  {"lists", summary.lists},
                  {"damaged", summary.damaged},
                  {"healed", summary.healed},
                  {"litter", summary.litter},
                  {"protection", summary.protection},
                  {"findings", std::move(findings)}},
                 scrubText(summary, call.place, call.part));
  return summary.whole() ? kExitHolds : kExitDoesNotHold;
}

std::unique_ptr<Verb> makeScrubVerb() { return std::make_unique<ScrubVerb>(); }
std::unique_ptr<Verb> makeProveVerb() { return std::make_unique<ProveVerb>(); }

}  // namespace vintage::harness
