#include "harness/command/transfer_verb.h"

namespace vintage::harness::command {
namespace {

class MirrorVerb final : public TransferVerb {
 public:
  const char* name() const override { return "mirror"; }
  const char* summary() const override {
    return "Copy what one place keeps to another: folders, services, buckets";
  }
  const char* example() const override {
    return "vintage mirror https://vintage.example.org s3://backup/vintage --token-file token";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("FROM", from_, "https://HOST, s3://BUCKET/PREFIX, or a folder")->required();
    app.add_option("TO", to_, "The same; a folder is made where there is none")->required();
    addSharedOptions(app);
  }

 protected:
  Result<std::pair<std::string, std::string>> places() const override {
    return std::pair(from_, to_);
  }

 private:
  std::string from_, to_;
};

}  // namespace

std::unique_ptr<Verb> makeMirrorVerb() { return std::make_unique<MirrorVerb>(); }

}  // namespace vintage::harness::command
