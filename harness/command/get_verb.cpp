#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/command/verb.h"
#include "harness/model/model_folder.h"

namespace vintage::harness::command {
namespace {

class GetVerb final : public Verb {
 public:
  GetVerb()
      : Verb("get", "Give an artifact back as files: its bytes, its text, its inputs and outputs",
             "vintage get 3f9a0c21 --archive A -o model") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, the beginning of one, or a name")->required();
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("-o,--output", folder_, "The folder to write; 'vintage put' takes it back")
        ->required();
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto record, archive.find(artifact_));
    ASSIGN_OR_RETURN(const auto files, writeModelFolder(archive, record, folder_));
    if (console.json())
      console.printJson({{"id", record.id}, {"files", files}});
    else
      console.line("{}: {}", record.name, fmt::join(files, ", "));
    return kExitHolds;
  }

 private:
  std::string artifact_, archive_, folder_;
};

}  // namespace

std::unique_ptr<Verb> makeGetVerb() { return std::make_unique<GetVerb>(); }

}  // namespace vintage::harness::command
