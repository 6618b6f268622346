// The larger actions of `vintage builds`, and how a build is printed.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {

std::string buildLine(const archive::BuildRecord& build);
std::string buildText(const archive::BuildRecord& build);
std::string descriptionText(const archive::RuntimeDescription& runtime);
// The record, with how it is started here.
nlohmann::json wholeBuild(const archive::BuildRecord& build);

// Holds the names that the dialects of a release know against those that are known here, and prints
// what is new (docs/howto/following_stablehlo.md). kExitDoesNotHold where something is.
Result<int> compareDialects(const archive::BuildRecord& build, Console& console);

class BuildsAction {
 public:
  virtual ~BuildsAction() = default;
  virtual void addTo(CLI::App& app) = 0;
  // In the archive in this folder; empty: none was named.
  virtual Result<int> run(const std::string& folder, Console& console) = 0;
};

std::unique_ptr<BuildsAction> makeAddAction();
std::unique_ptr<BuildsAction> makeCheckAction();
// It needs no archive: environments serve all archives of a user.
std::unique_ptr<BuildsAction> makeDiskAction();
// How this user starts builds that came from elsewhere.
std::unique_ptr<BuildsAction> makeBindAction();
std::unique_ptr<BuildsAction> makeInstallAction();
std::unique_ptr<BuildsAction> makeFormerAction();

}  // namespace vintage::harness
