#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "archive/transfer/mirror.h"
#include "archive/transfer/place.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kShown = 20;

nlohmann::json refusedJson(const std::vector<RefusedRecord>& records) {
  nlohmann::json list = nlohmann::json::array();
  for (const RefusedRecord& record : records)
    list.push_back({{"artifact", record.name}, {"error", record.error.message}});
  return list;
}

std::string bytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

// How push, pull and mirror name their two places.
enum class PlaceNames { kToOne, kFromOne, kBoth };

// Push, pull and mirror: two places, a filter, the options of the network, and the summary.
class TransferVerb final : public Verb {
 public:
  TransferVerb(const char* name, const char* summary, const char* example, PlaceNames names)
      : Verb(name, summary, example), named_(names) {}

  void addOptions(CLI::App& app) override {
    if (named_ == PlaceNames::kBoth) {
      app.add_option("FROM", from_,
                     "https://HOST, s3://BUCKET/PREFIX, oci://HOST/NAME:TAG, or a folder")
          ->required();
      app.add_option("TO", to_, "The same; a missing folder is created")->required();
    } else {
      const bool isPush = named_ == PlaceNames::kToOne;
      app.add_option("PLACES", names_,
                     std::string(isPush ? "[FROM] TO" : "FROM [TO]") +
                         ": https://HOST, s3://BUCKET/PREFIX, oci://HOST/NAME:TAG, or a folder")
          ->required()
          ->expected(1, 2);
      app.add_option("--archive", archive_,
                     isPush ? "The source if only TO is given"
                            : "The destination if only FROM is given; created if missing");
    }
    filter_.addTo(app);
    app.add_flag("--dry-run", dryRun_, "Print what would be sent; send nothing");
    app.add_flag("--without-results", withoutResults_, "Leave runs and their outcomes out");
    trust_.addTo(app);
    network_.addTo(app);
  }

  Result<int> run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(auto chosen, places());
    const auto& [fromName, toName] = chosen;
    ASSIGN_OR_RETURN(auto options, network_.placeOptions());
    // The source first, so that no archive is made for nothing.
    ASSIGN_OR_RETURN(auto from, openPlace(fromName, PlaceUse::kRead, options));
    ASSIGN_OR_RETURN(auto to, openDestination(toName, options));

    MirrorOptions mirrorOptions;
    mirrorOptions.filter = filter_.filter();
    mirrorOptions.dryRun = dryRun_;
    mirrorOptions.results = !withoutResults_;
    RETURN_IF_ERROR(trust_.prepare(fromName, mirrorOptions));
    if (console.watched()) mirrorOptions.progress = std::bind_front(&Console::progress, &console);
    ASSIGN_OR_RETURN(auto summary, mirror(*from, to.get(), mirrorOptions));
    if (!dryRun_) RETURN_IF_ERROR(trust_.remember(summary));
    TransferCounts network = from->counts();
    if (to != nullptr) network += to->counts();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    print(summary, network, fromName, toName, seconds, console);
    if (!summary.lost.empty()) return kExitCannotTell;
    if (!summary.refused.empty()) return kExitDoesNotHold;
    return summary.artifacts.sent + summary.artifacts.there == 0 ? kExitNothingRan : kExitHolds;
  }

 private:
  // Where from and where to.
  Result<std::pair<std::string, std::string>> places() const {
    if (named_ == PlaceNames::kBoth) return std::pair(from_, to_);
    if (names_.size() == 2 && archive_.empty()) return std::pair(names_[0], names_[1]);
    const bool isPush = named_ == PlaceNames::kToOne;
    if (names_.size() == 1 && !archive_.empty())
      return isPush ? std::pair(archive_, names_[0]) : std::pair(names_[0], archive_);
    if (isPush)
      return usageError(
          "give one source: 'vintage push FROM TO' or 'vintage push --archive FROM TO'");
    return usageError(
        "give one destination: 'vintage pull FROM TO' or 'vintage pull FROM --archive TO'");
  }

  // Null in a dry run where there is none yet.
  Result<std::unique_ptr<Place>> openDestination(const std::string& to,
                                                 const PlaceOptions& options) const {
    if (!dryRun_) return openPlace(to, PlaceUse::kWrite, options);
    auto place = openPlace(to, PlaceUse::kRead, options);
    if (!place && place.error().kind == Error::Kind::kNotFound) return nullptr;
    return place;
  }

  void print(const MirrorSummary& summary, const TransferCounts& network, const std::string& from,
             const std::string& to, double seconds, Console& console) const {
    const std::pair<const char*, const Moved*> kinds[] = {
        {"artifacts", &summary.artifacts}, {"contents", &summary.contents},
        {"builds", &summary.builds},       {"runs", &summary.runs},
        {"outcomes", &summary.outcomes},   {"holds", &summary.holds},
        {"lists", &summary.lists}};
    if (console.json()) {
      nlohmann::json json{{"from", from},
                          {"to", to},
                          {"dry_run", dryRun_},
                          {"bytes", summary.bytes},
                          {"outcomes_left_out", summary.outcomesLeftOut},
                          {"lists_left_out", summary.listsLeftOut},
                          {"verified_list", SourceTrust::toJson(summary.seen)},
                          {"refused", refusedJson(summary.refused)},
                          {"unreadable", refusedJson(summary.lost)},
                          {"network",
                           {{"requests", network.requests},
                            {"retried", network.retries},
                            {"connections", network.connections},
                            {"bytes_sent", network.bytesSent},
                            {"bytes_received", network.bytesReceived}}},
                          {"seconds", seconds}};
      for (const auto& [name, moved] : kinds)
        json[name] = {{"sent", moved->sent}, {"already_there", moved->there}};
      return console.printJson(json);
    }
    for (const auto* list : {&summary.refused, &summary.lost}) {
      for (size_t index = 0; index < std::min(list->size(), kShown); ++index)
        console.error({Error::Kind::kConflict,
                       fmt::format("{}: {}", (*list)[index].name, (*list)[index].error.message)});
      if (list->size() > kShown)
        console.error(
            {Error::Kind::kConflict,
             fmt::format("… and {} more; --format json lists them", list->size() - kShown)});
    }
    console.line("{} to {}", from, to);
    console.line("{:<10} {:>10} {:>14}", "", dryRun_ ? "would go" : "sent", "already there");
    for (const auto& [name, moved] : kinds) {
      if ((moved == &summary.lists || moved == &summary.holds) && moved->sent + moved->there == 0)
        continue;
      console.line("{:<10} {:>10} {:>14}", name, moved->sent, moved->there);
    }
    console.line("{} of contents in {:.1f} s; {} on {}, {} retried", bytesText(summary.bytes),
                 seconds, counted(network.requests, "request"),
                 counted(network.connections, "connection"), network.retries);
    if (summary.seen)
      console.line("list {} of {} by key {} holds", summary.seen->counter, summary.seen->date,
                   summary.seen->key);
    for (const std::string& left : summary.listsLeftOut)
      console.line("a signed list was left out: {}", left);
    if (!summary.refused.empty())
      console.line("refused, as records there contradict them: {}", summary.refused.size());
    if (!summary.lost.empty())
      console.line("{} could not be read whole; run 'vintage fsck'", summary.lost.size());
  }

  const PlaceNames named_;
  std::vector<std::string> names_;
  std::string archive_, from_, to_;
  FilterOptions filter_;
  NetworkOptions network_;
  SourceTrust trust_;
  bool dryRun_ = false, withoutResults_ = false;
};

}  // namespace

std::unique_ptr<Verb> makePushVerb() {
  return std::make_unique<TransferVerb>(
      "push", "Send artifacts and results to a service, a bucket, a registry or a folder",
      "vintage push --archive A https://vintage.example.org --token-file token",
      PlaceNames::kToOne);
}
std::unique_ptr<Verb> makePullVerb() {
  return std::make_unique<TransferVerb>(
      "pull", "Fetch artifacts and results from a service, a bucket, a registry or a folder",
      "vintage pull https://vintage.example.org --archive A --built-from 2026-05-24\n"
      "  vintage pull https://vintage.example.org --archive A --public-key public.pem",
      PlaceNames::kFromOne);
}
std::unique_ptr<Verb> makeMirrorVerb() {
  return std::make_unique<TransferVerb>(
      "mirror", "Copy an archive from one place to another: folders, services, buckets, registries",
      "vintage mirror https://vintage.example.org s3://backup/vintage --token-file token\n"
      "  vintage mirror s3://backup/vintage oci://ghcr.io/team/archive:nightly",
      PlaceNames::kBoth);
}

}  // namespace vintage::harness
