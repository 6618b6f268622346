// What push, pull and mirror share: two places, a filter, the options of the
// network, and the summary.
#pragma once

#include "archive/transfer/mirror.h"
#include "archive/transfer/open_place.h"
#include "harness/command/filter_options.h"
#include "harness/command/network_options.h"
#include "harness/command/room.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {

class TransferVerb : public Verb {
 public:
  Result<int> run(Console& console) override;

 protected:
  void addSharedOptions(CLI::App& app);
  // Where from and where to.
  virtual Result<std::pair<std::string, std::string>> places() const = 0;

 private:
  // Null in a dry run where there is none yet.
  Result<std::unique_ptr<Place>> openDestination(const std::string& to,
                                                 const PlaceOptions& options) const;
  void tell(const MirrorSummary& summary, const TransferCounts& network, const std::string& from,
            const std::string& to, double seconds, Console& console) const;

  FilterOptions filter_;
  NetworkOptions network_;
  bool dryRun_ = false, withoutResults_ = false;
};

}  // namespace vintage::harness::command
