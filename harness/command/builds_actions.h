// The larger actions of `vintage builds`, and how a build is printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {

std::string buildLine(const archive::BuildRecord& build);
std::string buildText(const archive::BuildRecord& build);
std::string descriptionText(const archive::RuntimeDescription& runtime);
// The record, with how it is started here.
nlohmann::json wholeBuild(const archive::BuildRecord& build);

// What was kept of it, or else what its worker answers now.
Result<archive::RuntimeDescription> askRuntime(const archive::BuildRecord& build,
                                               ProcessHost& host);
// Releases of a list, or the one that a description describes.
Result<std::vector<archive::BuildRecord>> readFacts(const std::string& file,
                                                    const std::string& stablehloFile);

// `builds add --jax`, `--tensorflow`, `--iree`: several builds at once.
class AddReleasesAction {
 public:
  void addTo(CLI::App& app);
  bool asked() const;
  const std::string& root() const { return request_.root; }
  const std::string& wheels() const { return request_.wheels; }
  // `name` and `date` as they were typed, of a single release.
  Result<int> run(archive::Archive& archive, const std::string& name, const std::string& date,
                  Console& console) const;

 private:
  // A release that was left out or failed, and why.
  struct Missed {
    std::string_view framework;
    std::string release, reason;
  };
  struct Made {
    std::vector<archive::BuildRecord> builds;
    std::vector<Missed> leftOut, failed;
  };
  // The requests of all frameworks that were asked for.
  std::vector<EnvironmentRequest> requests(const std::string& date) const;
  Result<Made> makeAll(const std::string& date, Console& console) const;
  static void print(const Made& made, nlohmann::json registered, Console& console);

  EnvironmentRequest request_;
  std::vector<std::string> tensorflow_, iree_;
  std::string condition_ = "warm";
};

// `builds add --plugin`.
class AddPluginAction {
 public:
  void addTo(CLI::App& app);
  bool asked() const { return !plugin_.empty(); }
  // How the plugin is registered. `root` and `wheels` as fetchPlugin() takes them.
  Result<RegisterOptions> registration(const std::string& root, const std::string& wheels,
                                       std::optional<Date> date, Console& console,
                                       ProcessHost& host) const;

 private:
  std::string plugin_, topology_, targetConfig_, platform_;
  std::vector<std::string> options_, environment_;
  bool reserialize_ = false, ffi_ = false;
};

class AddAction {
 public:
  void addTo(CLI::App& app);
  // Registers, and prints what was registered.
  Result<int> run(archive::Archive& archive, Console& console) const;

 private:
  Result<archive::BuildRecord> addOne(archive::Archive& archive, Console& console) const;
  Result<archive::BuildRecord> addCommit(archive::Archive& archive, Console& console,
                                         ProcessHost& host) const;

  std::vector<std::string> command_;
  std::string name_, date_, revision_, repository_ = ".", scratch_, preset_ = "release";
  bool keep_ = false, keepLibraries_ = false, embedded_ = false;
  int jobs_ = 0;
  AddReleasesAction releases_;
  AddPluginAction plugin_;
};

class CheckAction {
 public:
  void addTo(CLI::App& app);
  Result<int> run(const archive::Archive& archive, Console& console) const;

 private:
  std::vector<std::string> builds_;
  std::string jax_, jaxlib_;
  int neededExtension_ = -1, extension_ = -1;
  bool pairs_ = false;
};

// `builds bind`, `install` and `former`: how this user starts builds that came from elsewhere.
class BindAction {
 public:
  void addTo(CLI::App& bind, CLI::App& install, CLI::App& former);
  Result<int> bind(const archive::Archive& archive, Console& console) const;
  Result<int> install(const archive::Archive& archive, Console& console) const;
  Result<int> former(const std::string& folder, Console& console) const;

 private:
  Status bindOne(const archive::Archive::FormerCommand& former,
                 const archive::Archive& archive) const;
  static int print(const char* done, const archive::BuildRecord& build, Console& console);

  std::string build_, root_;
  std::vector<std::string> command_, builds_;
  bool keep_ = false, bindFormer_ = false, forgetFormer_ = false;
};

}  // namespace vintage::harness
