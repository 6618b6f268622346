#include "harness/runtimes/builds/start_commands.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/records/json_fields.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/file_system.h"
#include "golden/base/own_program.h"
#include "golden/base/typed_words.h"
#include "golden/base/user_folder.h"
#include "harness/runtimes/builds/when_needed.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kFormat = "vintage_start_command";
constexpr uint64_t kLargestFile = uint64_t{4} << 20;
constexpr size_t kFileNameCharacters = 16;
constexpr size_t kIdentityCharacters = 32;

Result<fs::path> stateFolder() {
  if (const fs::path state = userFolder("XDG_STATE_HOME", ".local/state"); !state.empty())
    return state / "vintage" / "builds";
  return usageError(
      "how builds are started is kept in the user's state: neither XDG_STATE_HOME, nor HOME, nor "
      "the user's entry in passwd names a folder; set one of them");
}

// Commands are as trustworthy as the users who may write their folder.
Status checkOwner(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return ioError("{}: {}", path.string(),
                   std::error_code(errno, std::generic_category()).message());
  if (status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return badInput(
      "{}: another user owns it or may write it, and its commands are executed; make it your own "
      "(chown, chmod go-w), or remove it and bind the builds again",
      path.string());
}

Status makePrivateFolder(const fs::path& folder) {
  RETURN_IF_ERROR(createFoldersDurably(realFileSystem(), folder.string()));
  std::error_code problem;
  fs::permissions(folder, fs::perms::owner_all, problem);
  if (problem) return ioError("{}: {}", folder.string(), problem.message());
  return checkOwner(folder);
}

// A build by its name, and how it is started.
using BoundCommand = std::pair<std::string, StartCommand>;

constexpr auto kBoundFields = [](auto& fields, auto& bound) {
  auto& [build, command] = bound;
  fields.required("build", build);
  fields.required("worker", command.worker);
  fields.required("exporter", command.exporter);
  fields.required("environment", command.environment);
  fields.list("files", command.files, [](auto& file, auto& one) {
    file.required("path", one.path);
    file.required("sha256", one.hash);
  });
  fields.list("libraries", command.libraries, [](auto& library, auto& one) {
    library.required("name", one.name);
    library.required("file", one.file);
    library.required("kept", one.kept);
  });
};

Result<BoundCommand> readCommand(const fs::path& path) {
  ASSIGN_OR_RETURN(const auto bytes, realFileSystem().read(path.string(), kLargestFile));
  ASSIGN_OR_RETURN(const auto document,
                   parseDocument({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                 path.string(), kFormat, kVersion));
  BoundCommand bound;
  Status status;
  JsonObject root(document, path.string(), status);
  JsonFieldReader fields(root, status);
  kBoundFields(fields, bound);
  root.finish();
  if (!status) return tl::unexpected(status.error());
  return bound;
}

Result<ContentId> hashOfFile(const fs::path& path) {
  ASSIGN_OR_RETURN(const auto bytes, readFile(path));
  return contentHash(bytes);
}

}  // namespace

Result<StartCommands> StartCommands::of(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto identity, archive.identity());
  // It names a folder, and a stranger may have written it.
  if (identity.size() != kIdentityCharacters ||
      identity.find_first_not_of("0123456789abcdef") != std::string::npos)
    return badInput("{}: its identity is not {} hexadecimal digits: the index is damaged",
                    archive.folder(), kIdentityCharacters);
  ASSIGN_OR_RETURN(const auto state, stateFolder());
  StartCommands commands(state / identity);
  std::error_code problem;
  if (!fs::exists(commands.folder_, problem)) return commands;
  RETURN_IF_ERROR(checkOwner(commands.folder_));
  ASSIGN_OR_RETURN(const auto names, realFileSystem().list(commands.folder_.string()));
  for (const std::string& name : names) {
    if (!name.ends_with(".json")) continue;
    ASSIGN_OR_RETURN(auto bound, readCommand(commands.folder_ / name));
    commands.commands_.insert(std::move(bound));
  }
  return commands;
}

fs::path StartCommands::fileOf(const std::string& build) const {
  return folder_ / (contentHash(build).substr(0, kFileNameCharacters) + ".json");
}

const StartCommand* StartCommands::find(const std::string& build) const {
  const auto found = commands_.find(build);
  return found == commands_.end() ? nullptr : &found->second;
}

Status StartCommands::bind(const std::string& build, StartCommand command) {
  command.files.clear();
  if (command.worker.empty()) return usageError("build '{}' needs a command that starts it", build);
  if (isEnvironmentThere(command)) {
    ASSIGN_OR_RETURN(command.worker.front(), findProgram(command.worker.front()));
  }
  for (const std::string& word : command.worker) {
    std::error_code problem;
    if (!fs::is_regular_file(word, problem)) continue;
    ASSIGN_OR_RETURN(auto hash, hashOfFile(word));
    command.files.push_back({fs::absolute(word).string(), std::move(hash)});
  }
  RETURN_IF_ERROR(makePrivateFolder(folder_));
  const fs::path file = fileOf(build);
  BoundCommand bound(build, std::move(command));
  json document = JsonFieldWriter::write(bound, kBoundFields);
  document["format"] = kFormat;
  document["version"] = kVersion;
  RETURN_IF_ERROR(writeTextFile(file, document.dump(1) + "\n", FileAccess::kSecret));
  commands_[build] = std::move(bound.second);
  return {};
}

Status StartCommands::forget(const std::string& build) {
  if (commands_.erase(build) == 0) return {};
  return realFileSystem().remove(fileOf(build).string());
}

Result<fs::path> StartCommands::placeForPrograms() const {
  RETURN_IF_ERROR(makePrivateFolder(folder_));
  return programs();
}

Status checkUnchanged(const std::string& build, const StartCommand& command) {
  for (const StartCommand::File& file : command.files) {
    const auto hash = hashOfFile(file.path);
    if (!hash)
      return ioError(
          "build '{}' cannot be started: {}; put it back, or bind the build again: "
          "vintage builds bind {} -- PROGRAM",
          build, hash.error().message, shellWord(build));
    if (*hash != file.hash)
      return badInput(
          "build '{}' is not started: {} changed since it was bound (SHA-256 {}, {} was bound): it "
          "is damaged, or another program; if it still is that build, bind it again: vintage "
          "builds bind {} -- PROGRAM",
          build, file.path, hash->substr(0, 12), file.hash.substr(0, 12), shellWord(build));
  }
  return {};
}

}  // namespace vintage::harness
