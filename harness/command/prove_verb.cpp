#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/transfer/proofs.h"
#include "archive/transfer/url.h"
#include "golden/base/failures.h"
#include "harness/command/place_options.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

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
    ASSIGN_OR_RETURN(options.filter, filter_.filter());
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
                       if (console.json())
                         findings.push_back({{"kind", findingName(finding.kind)},
                                             {"content", finding.content},
                                             {"affected", finding.affected},
                                             {"problem", finding.problem}});
                       else
                         console.line("{}: {}\n  content   {}\n  affects   {}",
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
    if (console.json()) {
      console.printJson({{"archive", archive_},
                         {"service", service_},
                         {"artifacts", summary.artifacts},
                         {"contents", summary.contents},
                         {"proved", summary.proved},
                         {"proved_bytes", summary.bytes},
                         {"wrong", summary.wrong},
                         {"unknown", summary.unknown},
                         {"requests", network.requests},
                         {"bytes_received", network.bytesReceived},
                         {"findings", std::move(findings)}});
      return;
    }
    std::string rest;
    if (summary.wrong > 0)
      rest += fmt::format(
          " {} are missing, damaged or different there: push what is missing, and run "
          "'vintage fsck --read-data --repair --from PLACE' where the service is.",
          summary.wrong);
    if (summary.unknown > 0) rest += fmt::format(" {} remain unknown.", summary.unknown);
    console.line("{} proved {} of {} contents of {} artifacts, {} bytes, in {} requests.{}",
                 service_, summary.proved, summary.contents, summary.artifacts, summary.bytes,
                 network.requests, rest);
  }

  std::string archive_, service_, part_;
  FilterOptions filter_;
  NetworkOptions network_;
};

}  // namespace

std::unique_ptr<Verb> makeProveVerb() { return std::make_unique<ProveVerb>(); }

}  // namespace vintage::harness
