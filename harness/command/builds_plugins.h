// `vintage builds add --plugin`, `--libtpu`, `--cuda` and `--rocm`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/environments.h"

namespace vintage::harness {

class PluginOptions {
 public:
  void addTo(CLI::App& app);

  // For releases of a package; they may be many.
  bool askedForPackage() const;
  bool askedForLibrary() const { return !plugin_.empty() && !askedForPackage(); }

  // How the plugin of a library is registered.
  Result<RegisterOptions> ofLibrary(std::optional<Date> date) const;
  // Registers the releases; the exit status. `name` of a single one, as it was typed.
  Result<int> addPackages(archive::Archive& archive, EnvironmentRequest request,
                          const std::string& name, std::optional<Date> date, ProcessHost& host,
                          Console& console) const;

 private:
  // A package, and the target that it compiles for where the user names none.
  struct Vendor {
    const char *option, *package, *platform, *topology, *targetConfig;
  };
  static const Vendor kVendors[];

  Result<RegisterOptions> registration(const std::string& library, std::string name,
                                       const std::string& release, Date date) const;
  Status addOne(archive::Archive& archive, const FetchedPlugin& fetched, bool whenNeeded,
                const std::string& name, std::optional<Date> date, ProcessHost& host,
                archive::BuildRecord& build) const;

  std::string plugin_, topology_, targetConfig_, platform_, vendorRelease_[3];
  std::vector<std::string> options_, environment_;
  bool reserialize_ = false, ffi_ = false;
};

}  // namespace vintage::harness
