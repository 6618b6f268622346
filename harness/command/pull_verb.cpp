#include "harness/command/transfer_verb.h"

namespace vintage::harness::command {
namespace {

class PullVerb final : public TransferVerb {
 public:
  const char* name() const override { return "pull"; }
  const char* summary() const override {
    return "Fetch artifacts and results from a service, a bucket or a folder into an archive";
  }
  const char* example() const override {
    return "vintage pull https://vintage.example.org --archive A --built-from 2026-05-24";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("PLACES", names_, "FROM [TO]: https://HOST, s3://BUCKET/PREFIX, or a folder")
        ->required()
        ->expected(1, 2);
    app.add_option("--archive", archive_, "Where to, if only FROM is given; made where there is none");
    addSharedOptions(app);
  }

 protected:
  Result<std::pair<std::string, std::string>> places() const override {
    if (names_.size() == 2 && archive_.empty()) return std::pair(names_[0], names_[1]);
    if (names_.size() == 1 && !archive_.empty()) return std::pair(names_[0], archive_);
    return failure(Error::Kind::kUsage,
                   "say once where to: 'vintage pull FROM TO' or 'vintage pull FROM --archive TO'");
  }

 private:
  std::vector<std::string> names_;
  std::string archive_;
};

}  // namespace

std::unique_ptr<Verb> makePullVerb() { return std::make_unique<PullVerb>(); }

}  // namespace vintage::harness::command
