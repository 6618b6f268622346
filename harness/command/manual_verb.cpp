#include <filesystem>

#include "golden/base/date.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/vintage_version.h"
#include "harness/command/reference/manual_pages.h"
#include "harness/command/verb.h"
#include "harness/consumers/embedded/executor.h"

namespace vintage::harness::command {
namespace {

namespace fs = std::filesystem;

class ManualVerb final : public Verb {
 public:
  ManualVerb()
      : Verb("manual", "Write the manual pages: one for vintage, one for each verb",
             "vintage manual -o man1 && man -l man1/vintage-replay.1") {}

  void addOptions(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("-o,--output", folder_, "The folder to write them into")->required();
  }

  Result<int> run(Console& console) override {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) return ioError("{}: {}", folder_, problem.message());
    nlohmann::json files = nlohmann::json::array();
    for (const ManualPage& page : manualPages(describeCommand(*program_), vintageVersion(),
                                              formatDate(compiledOn()))) {
      const fs::path file = fs::path(folder_) / page.file;
      RETURN_IF_ERROR(writeTextFile(file, page.text));
      files.push_back(file.string());
    }
    if (console.json())
      console.printJson({{"written", files}});
    else
      console.line("wrote {} pages into {}", files.size(), folder_);
    return kExitHolds;
  }

 private:
  const CLI::App* program_ = nullptr;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Verb> makeManualVerb() { return std::make_unique<ManualVerb>(); }

}  // namespace vintage::harness::command
