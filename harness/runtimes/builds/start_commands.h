// How the present user starts the builds of an archive on this machine.
//
// An archive is data from strangers: it says what builds are, never how to start them. Commands,
// and the programs that they name where these are kept, live in the user's own state:
//
//   $XDG_STATE_HOME/vintage/builds/IDENTITY/           0700; ~/.local/state where it is not set
//     3f9a0c21d4e5b6a7.json                            0600; one for each build that is bound
//     programs/3f9a0c21d4e5b6a7/vintage-worker         kept, by the hash of the content
//     programs/0c1d2e3f4a5b6c7d/libfmt.so.9            what it loads, with --keep-libraries
//
// IDENTITY is Archive::identity(), so an archive may be moved, and a copy that a stranger changed
// only chooses among commands that this user bound. Each command carries the hashes of the files
// that it starts, and nothing is started that changed since.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

class StartCommands {
 public:
  // Reads what is bound. kBadInput where another user owns or may write the folder, or a file
  // cannot be read; kUsage where neither XDG_STATE_HOME nor HOME is set.
  static Result<StartCommands> of(const archive::Archive& archive);

  // Null: the build is known by its facts only.
  const archive::StartCommand* find(const std::string& build) const;
  // Durable when it returns. `command.files` is filled in: the program and each argument that is a
  // regular file.
  Status bind(const std::string& build, archive::StartCommand command);
  Status forget(const std::string& build);

  std::filesystem::path programs() const { return folder_ / "programs"; }
  // The same for a new program, in a folder that nobody else may write.
  Result<std::filesystem::path> placeForPrograms() const;
  const std::map<std::string, archive::StartCommand>& all() const { return commands_; }

 private:
  explicit StartCommands(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path fileOf(const std::string& build) const;

  std::filesystem::path folder_;
  std::map<std::string, archive::StartCommand> commands_;
};

// Names the first file of the command that is gone (kIo) or is another one now (kBadInput).
Status checkUnchanged(const std::string& build, const archive::StartCommand& command);

}  // namespace vintage::harness
