// A worker built from a commit of a repository.
//
// The repository itself is not touched: its objects are shared by a clone in a scratch folder,
// where the commit is checked out and built. The build's files stay there, so that the next commit
// builds only what differs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "archive/records/build_details.h"
#include "golden/base/date.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"

namespace vintage::harness {

struct FromGitOptions {
  std::string revision;
  std::filesystem::path repository = ".";
  std::filesystem::path scratch;   // Made where there is none.
  std::string preset = "release";  // In the commit's CMakePresets.json.
  int jobs = 1;
  std::string target = "vintage-worker";
};

struct GitBuild {
  std::filesystem::path worker;
  archive::SourceCommit commit;
  Date date{};  // The commit's (committer date), in UTC.
};

// Calls `progress` with (what, done, total); total is 0 where it is not known.
using BuildProgress = std::function<void(const std::string& what, size_t done, size_t total)>;

// kNotFound where the revision names no commit; kIo with the compiler's last words where it does
// not build.
Result<GitBuild> buildFromGit(const FromGitOptions& options, ProcessHost& host,
                              const BuildProgress& progress);

}  // namespace vintage::harness
