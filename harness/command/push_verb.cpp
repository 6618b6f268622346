#include "harness/command/transfer_verb.h"

namespace vintage::harness::command {
namespace {

class PushVerb final : public TransferVerb {
 public:
  const char* name() const override { return "push"; }
  const char* summary() const override {
    return "Send an archive's artifacts and results to a service, a bucket or a folder";
  }
  const char* example() const override {
    return "vintage push --archive A https://vintage.example.org --token-file token";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("PLACES", names_, "[FROM] TO: https://HOST, s3://BUCKET/PREFIX, or a folder")
        ->required()
        ->expected(1, 2);
    app.add_option("--archive", archive_, "What to send, where only TO is given");
    addSharedOptions(app);
  }

 protected:
  Result<std::pair<std::string, std::string>> places() const override {
    if (names_.size() == 2 && archive_.empty()) return std::pair(names_[0], names_[1]);
    if (names_.size() == 1 && !archive_.empty()) return std::pair(archive_, names_[0]);
    return failure(Error::Kind::kUsage,
                   "say once what to send: 'vintage push FROM TO' or 'vintage push --archive FROM TO'");
  }

 private:
  std::vector<std::string> names_;
  std::string archive_;
};

}  // namespace

std::unique_ptr<Verb> makePushVerb() { return std::make_unique<PushVerb>(); }

}  // namespace vintage::harness::command
