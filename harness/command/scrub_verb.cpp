#include "harness/command/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/transfer/open_place.h"
#include "golden/base/failures.h"
#include "harness/command/place_options.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

nlohmann::json toJson(const ScrubFinding& finding) {
  return {{"kind", findingName(finding.kind)},
          {"damage", finding.isDamage()},
          {"what", finding.what},
          {"problem", finding.problem},
          {"affected", finding.affected},
          {"healed", finding.healed},
          {"remedy", finding.remedy}};
}

void print(const ScrubFinding& finding, Console& console) {
  console.line("{}: {}: {}", findingName(finding.kind), finding.what, finding.problem);
  if (!finding.affected.empty()) console.line("  affects   {}", fmt::join(finding.affected, ", "));
  if (!finding.remedy.empty()) console.line("  {}", finding.remedy);
}

void print(const ScrubSummary& summary, const std::string& name, const ContentPart& part,
           Console& console) {
  std::string rest;
  if (part.parts > 1) rest += fmt::format(" Part {} of {} was read.", part.part, part.parts);
  if (summary.proved > 0)
    rest += fmt::format(" {} were proved without sending them.", summary.proved);
  if (summary.lists > 0) rest += fmt::format(" {} signed lists hold.", summary.lists);
  if (summary.damaged > 0)
    rest += fmt::format(" {} damage{} found, {} healed.", summary.damaged,
                        summary.damaged == 1 ? "" : "s", summary.healed);
  if (summary.litter > 0) rest += fmt::format(" {} unknown objects.", summary.litter);
  if (!summary.protection.empty()) rest += fmt::format(" The bucket: {}.", summary.protection);
  console.line("{} is {}: {} artifacts, {} contents ({} of them read and verified, {} bytes).{}",
               name, summary.whole() ? "whole" : "damaged", summary.artifacts, summary.contents,
               summary.read, summary.bytes, rest);
}

class ScrubVerb final : public Verb {
 public:
  ScrubVerb()
      : Verb("scrub",
             "Read back what a folder, a service or a bucket keeps, and put again what is lost",
             "vintage scrub s3://backup/vintage --from A --within 30 --repair   (each night)\n"
             "  vintage scrub https://vintage.example.org --from A --token-file token\n"
             "  vintage scrub s3://backup/vintage --public-key public.pem") {}
  void addOptions(CLI::App& app) override {
    app.add_option("PLACE", place_, "https://HOST, s3://BUCKET/PREFIX, or a folder")->required();
    app.add_option("--from", from_,
                   "The place that this one is a mirror of: what it has must be here too");
    app.add_option("--within", within_,
                   "Read another part each day, by hash and date, all of them within so many days")
        ->check(CLI::Range(1, 3650));
    app.add_option("--today", today_, "The day whose part is read (YYYY-MM-DD)");
    app.add_flag(
        "--repair", repair_,
        "Put again what is lost or damaged, from --from, or from the versions that a bucket "
        "keeps");
    app.add_option("--public-key", publicKey_, "Check that the signed lists are by this key");
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ScrubCall call;
    call.place = place_;
    call.from = from_;
    call.repair = repair_;
    call.publicKey = publicKey_;
    ASSIGN_OR_RETURN(const auto today, parseDateOption(today_, "--today"));
    if (within_ > 0)
      call.part = partOfDay(today.value_or(currentDate()), static_cast<uint32_t>(within_));
    ASSIGN_OR_RETURN(call.network, network_.placeOptions());
    return runScrub(call, console);
  }

 private:
  std::string place_, from_, today_, publicKey_;
  int within_ = 0;
  bool repair_ = false;
  NetworkOptions network_;
};

}  // namespace

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
  std::optional<SigningKey> key;
  if (!call.publicKey.empty()) {
    ASSIGN_OR_RETURN(key, SigningKey::readPublicFile(call.publicKey));
    options.publicKey = &*key;
  }
  if (console.watched()) options.progress = std::bind_front(&Console::progress, &console);
  nlohmann::json findings = nlohmann::json::array();
  ASSIGN_OR_RETURN(const auto summary, scrub(*place, options, [&](const ScrubFinding& finding) {
                     if (console.json())
                       findings.push_back(toJson(finding));
                     else
                       print(finding, console);
                   }));
  if (console.json())
    console.printJson({{"place", call.place},
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
                       {"findings", std::move(findings)}});
  else
    print(summary, call.place, call.part, console);
  return summary.whole() ? kExitHolds : kExitDoesNotHold;
}

std::unique_ptr<Verb> makeScrubVerb() { return std::make_unique<ScrubVerb>(); }

}  // namespace vintage::harness
