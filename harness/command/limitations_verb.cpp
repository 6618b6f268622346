#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/tables/propose.h"
#include "harness/judge/tables/reconcile.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

class LimitationsVerb final : public Verb {
 public:
  LimitationsVerb()
      : Verb("limitations",
             "Compare the declared limitations with recorded outcomes, and print the edit",
             "vintage limitations reconcile --archive A\n"
             "  vintage limitations --propose --archive A --build tensorflow-2.21.0 -o "
             "limitations.json\n"
             "  vintage limitations declare limitations.json --archive A") {}
  void addOptions(CLI::App& app) override {
    common_.addTo(app);
    app.add_flag("--propose", propose_,
                 "Propose declarations of what fails on real consumers (of --build, or all), and "
                 "name those that are not needed");
    app.add_option("--producer", producers_, "With --propose: only artifacts of these")
        ->type_name("NAME ...");
    app.add_option("--expires-after", days_,
                   "With --propose: the days after which a declaration is looked at again")
        ->check(CLI::Range(1, 3660))
        ->capture_default_str();
    app.add_option("-o,--out", out_,
                   "With --propose: write what would be declared to this file, which 'declare' "
                   "reads");
    reconcile_ = app.add_subcommand(
        "reconcile",
        "Print new failures of the catalogue to declare, and declarations that no longer fail");
    declare_ = app.add_subcommand(
        "declare",
        "Declare the limitations of a file for an archive, in the place of those before");
    declare_->add_option("FILE", file_, "As --propose -o wrote it (docs/verdicts.md)")->required();
    for (CLI::App* each : {reconcile_, declare_}) each->fallthrough();
    app.require_subcommand(0, 1);
  }

  Result<int> run(Console& console) override {
    if (int(propose_) + int(reconcile_->parsed()) + int(declare_->parsed()) != 1)
      return usageError("say what to do: --propose, reconcile or declare FILE");
    ASSIGN_OR_RETURN(auto options, common_.options());
    ASSIGN_OR_RETURN(auto archive, Archive::open(common_.archive, Archive::Mode::kReadOnly));
    if (declare_->parsed()) return declare(archive, console);
    return propose_ ? propose(options, archive, console) : reconcile(options, archive, console);
  }

 private:
  static Result<int> reconcile(const TableOptions& options, const Archive& archive,
                               Console& console) {
    ASSIGN_OR_RETURN(auto recorded, readTables(options, archive));
    const auto edits = reconcileLimitations(recorded.tables);
    console.answer(editsJson(edits), editsText(edits));
    return edits.empty() ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> propose(const TableOptions& options, const Archive& archive, Console& console) const {
    ConsumerChoice choice;
    if (!options.build.empty()) choice.builds = {options.build};
    choice.modes = options.modes;
    choice.producers = producers_;
    ASSIGN_OR_RETURN(auto table, makeConsumerTable(archive, choice));
    ASSIGN_OR_RETURN(auto declared, consumerLimitations(archive));
    const Proposals proposals = proposeLimitations(table, declared, {options.today, days_});
    console.answer(proposalsJson(proposals), proposalsText(proposals));
    const bool asDeclared = proposals.declare.empty() && proposals.needless.empty();
    if (out_.empty()) return asDeclared ? kExitHolds : kExitDoesNotHold;
    RETURN_IF_ERROR(writeTextFile(out_, toJson(asProposed(declared, proposals)).dump(1) + "\n"));
    if (!console.json())
      console.line("written to {}; 'vintage limitations declare {} --archive {}' declares it", out_,
                   out_, common_.archive);
    return kExitHolds;
  }

  Result<int> declare(const Archive& archive, Console& console) const {
    ASSIGN_OR_RETURN(auto text, readTextFile(file_));
    ASSIGN_OR_RETURN(auto limitations, parseConsumerLimitations(text, file_));
    RETURN_IF_ERROR(declareLimitations(archive, limitations));
    console.answerLine({{"declared", limitations.size()}}, "{} limitations are declared for {}",
                       limitations.size(), common_.archive);
    return kExitHolds;
  }

  TableOptionsOfVerb common_;
  CLI::App *reconcile_ = nullptr, *declare_ = nullptr;
  std::vector<std::string> producers_;
  std::string out_, file_;
  int days_ = ProposalChoice().expiresAfterDays;
  bool propose_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeLimitationsVerb() { return std::make_unique<LimitationsVerb>(); }

}  // namespace vintage::harness
