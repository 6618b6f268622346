#include "harness/runtimes/sandbox.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;

// The folders that are empty inside: homes, temporary files, and sockets of services, which answer
// without a network and through a file system that can only be read.
std::vector<fs::path> hiddenFolders() {
  std::vector<fs::path> hidden{"/home", "/root", "/tmp", "/var/tmp", "/run"};
  for (const char* name : {"HOME", "TMPDIR"})
    if (const char* folder = std::getenv(name);
        folder != nullptr && fs::path(folder).is_absolute() &&
        fs::path(folder).lexically_normal().has_relative_path())
      hidden.push_back(fs::path(folder).lexically_normal());
  std::error_code unknown;
  std::erase_if(hidden, [&](const fs::path& folder) { return !fs::is_directory(folder, unknown); });
  return hidden;
}

bool isBelow(const fs::path& place, const fs::path& folder) {
  const auto [inFolder, inPlace] = std::ranges::mismatch(folder, place);
  return inFolder == folder.end();
}

// An installed program needs its whole installation: its libraries lie beside it.
fs::path neededFor(const fs::path& place) {
  std::error_code unknown;
  if (place.parent_path().filename() == "bin") return place.parent_path().parent_path();
  // A package of Python is found by the folder around it.
  return fs::exists(place / "__main__.py", unknown) ? place.parent_path() : place;
}

// The places to which a word of the command leads, each link on the way included.
std::vector<fs::path> placesOf(fs::path place) {
  std::vector<fs::path> places;
  std::error_code problem;
  for (int link = 0; link < 8 && fs::exists(place, problem); ++link) {
    places.push_back(neededFor(place));
    if (!fs::is_symlink(place, problem)) break;
    const fs::path target = fs::read_symlink(place, problem);
    place = (target.is_absolute() ? target : place.parent_path() / target).lexically_normal();
  }
  return places;
}

bool isSecret(std::string_view name) {
  return name.starts_with("AWS_") ||
         std::ranges::any_of(std::to_array<std::string_view>(
                                 {"TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PRIVATE_KEY"}),
                             [&](std::string_view word) { return name.find(word) != name.npos; });
}

}  // namespace

SandboxUse sandboxFor(const archive::BuildRecord& build, SandboxUse use) {
  const bool meant =
      build.details.environment && std::ranges::equal(build.platforms, std::array{"cpu"});
  return use == SandboxUse::kRecipes && !meant ? SandboxUse::kNone : use;
}

Result<std::vector<std::string>> sandboxed(const std::vector<std::string>& command, SandboxUse use,
                                           ProcessHost& host, const std::string& writable) {
  if (use == SandboxUse::kNone) return command;
  if (use == SandboxUse::kRecipes) {
    const auto trial = sandboxed({"/bin/true"});
    if (!trial) return command;
    const auto ended = runProgram(*trial, host);
    if (!ended || ended->status != 0) return command;
  }
  return sandboxed(command, writable);
}

Result<std::vector<std::string>> sandboxed(const std::vector<std::string>& command,
                                           const std::string& writable) {
  const auto bubblewrap = findProgram("bwrap");
  if (!bubblewrap)
    return notFound(
        "--sandbox: bubblewrap is not installed (Debian: bubblewrap); install it, or run without "
        "--sandbox what you would start yourself");
  if (command.empty()) return usageError("a worker needs a command to start it");
  std::vector<std::string> words{*bubblewrap,
                                 "--unshare-all",
                                 "--die-with-parent",
                                 "--new-session",
                                 "--cap-drop",
                                 "ALL",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc"};
  const std::vector<fs::path> hidden = hiddenFolders();
  for (const fs::path& folder : hidden) words.insert(words.end(), {"--tmpfs", folder.string()});
  std::vector<std::string> inside = command;
  if (auto program = findProgram(command.front())) inside.front() = std::move(*program);
  for (const std::string& word : inside) {
    if (!word.starts_with('/')) continue;
    for (const fs::path& place : placesOf(word)) {
      const bool isHidden = std::ranges::any_of(
          hidden, [&](const fs::path& folder) { return isBelow(place, folder); });
      // Never a home as a whole.
      if (!isHidden || std::ranges::find(hidden, place) != hidden.end()) continue;
      words.insert(words.end(), {"--ro-bind", place.string(), place.string()});
    }
  }
  if (!writable.empty()) words.insert(words.end(), {"--bind", writable, writable});
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name =
        std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
    if (isSecret(name)) words.insert(words.end(), {"--unsetenv", std::string(name)});
  }
  words.insert(words.end(),
               {"--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp", "--chdir", "/tmp", "--"});
  words.insert(words.end(), inside.begin(), inside.end());
  return words;
}

}  // namespace vintage::harness
