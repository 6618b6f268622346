#include "harness/builds/kept_program.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"

namespace vintage::harness::builds {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFolderNameCharacters = 16;
constexpr const char* kLibraries = "libraries";

fs::path libraryFolder(const std::string& archiveFolder, const SharedLibrary& library) {
  return buildsFolder(archiveFolder) / kLibraries / library.hash.substr(0, kFolderNameCharacters);
}

// The loader is named by its whole path and has to be started by it.
bool isLoader(const SharedLibrary& library) {
  return fs::path(library.name).filename().string().starts_with("ld-linux") ||
         fs::path(library.name).filename().string().starts_with("ld-musl");
}

Status copyInto(const fs::path& place, std::span<const std::byte> bytes) {
  std::error_code problem;
  if (fs::exists(place, problem)) {
    // Kept already; a damaged copy is healed.
    auto kept = readFile(place);
    if (kept && std::ranges::equal(*kept, bytes)) return {};
  }
  FileSystem& files = realFileSystem();
  RETURN_IF_ERROR(createFoldersDurably(files, place.parent_path().string()));
  const fs::path partial = place.string() + ".partial";
  RETURN_IF_ERROR(writeFile(partial, bytes));
  fs::permissions(partial, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec,
                  problem);
  RETURN_IF_ERROR(files.rename(partial.string(), place.string()));
  return files.syncFolder(place.parent_path().string());
}

Result<ContentId> hashOfFile(const fs::path& path) {
  ASSIGN_OR_RETURN(auto bytes, readFile(path));
  return contentHash(bytes);
}

// The libraries that are not kept must be found by the loader of this machine.
Status checkLibraries(const BuildRecord& build, const KeptProgram& program, const fs::path& path,
                      ProcessHost& host) {
  std::error_code problem;
  std::set<std::string> moved;
  for (const SharedLibrary& library : program.libraries)
    if (!library.kept && !fs::exists(library.file, problem)) moved.insert(library.name);
  if (moved.empty()) return {};
  ASSIGN_OR_RETURN(auto here, within(build.name, sharedLibraries(path, host)));
  std::vector<std::string> missing;
  for (const SharedLibrary& library : here)
    if (library.file.empty()) missing.push_back(library.name);
  if (missing.empty()) return {};
  return ioError(
      "build '{}' cannot be started here: its program loads {}, which this machine does not have; "
      "install what holds it, or register the build again with --keep-libraries where it still "
      "runs",
      build.name, fmt::join(missing, ", "));
}

}  // namespace

fs::path buildsFolder(const std::string& archiveFolder) {
  std::error_code ignored;
  return fs::absolute(fs::path(archiveFolder), ignored) / "builds";
}

Result<std::vector<SharedLibrary>> sharedLibraries(const fs::path& program, ProcessHost& host) {
  std::error_code problem;
  ASSIGN_OR_RETURN(auto printed,
                   runProgram({"ldd", fs::absolute(program, problem).string()}, host));
  std::vector<SharedLibrary> libraries;
  if (printed.status != 0) return libraries;  // "not a dynamic executable"
  size_t start = 0;
  while (start < printed.out.size()) {
    const size_t end = std::min(printed.out.find('\n', start), printed.out.size());
    std::string line = printed.out.substr(start, end - start);
    start = end + 1;
    line.erase(0, line.find_first_not_of(" \t"));
    const size_t address = line.rfind(" (0x");
    if (address != std::string::npos) line.resize(address);
    if (line.empty() || line.starts_with("linux-vdso") || line == "statically linked") continue;
    SharedLibrary library;
    const size_t arrow = line.find(" => ");
    library.name = line.substr(0, arrow);
    const std::string file = arrow == std::string::npos ? line : line.substr(arrow + 4);
    if (file != "not found") {
      library.file = fs::weakly_canonical(file, problem).string();
      if (problem) library.file = file;
    }
    libraries.push_back(std::move(library));
  }
  return libraries;
}

Result<KeptCopy> keepProgram(const fs::path& program, const std::string& archiveFolder,
                             bool withLibraries, ProcessHost& host) {
  ASSIGN_OR_RETURN(auto bytes, readFile(program));
  KeptCopy copy;
  copy.program.hash = contentHash(bytes);
  copy.program.name = program.filename().string();
  const std::string folder = copy.program.hash.substr(0, kFolderNameCharacters);
  copy.place = fmt::format("{}{}/{}", kArchivePlace, folder, copy.program.name);
  RETURN_IF_ERROR(copyInto(buildsFolder(archiveFolder) / folder / copy.program.name, bytes));
  ASSIGN_OR_RETURN(auto libraries, sharedLibraries(program, host));
  for (SharedLibrary& library : libraries) {
    if (library.file.empty())
      return badInput("{}: it needs {}, which the loader does not find here", program.string(),
                      library.name);
    if (!withLibraries) continue;
    ASSIGN_OR_RETURN(auto content, readFile(library.file));
    library.hash = contentHash(content);
    library.kept = true;
    RETURN_IF_ERROR(copyInto(
        libraryFolder(archiveFolder, library) / fs::path(library.name).filename(), content));
  }
  copy.program.libraries = std::move(libraries);
  return copy;
}

std::vector<std::string> locateCommand(std::vector<std::string> command,
                                       const std::string& archiveFolder) {
  if (!command.empty() && command.front().starts_with(kArchivePlace))
    command.front() =
        (buildsFolder(archiveFolder) / command.front().substr(kArchivePlace.size())).string();
  return command;
}

Result<BuildRecord> readyToStart(const BuildRecord& build, const std::string& archiveFolder,
                                 ProcessHost& host) {
  if (build.command.empty())
    return usageError("build '{}' cannot be started: {}", build.name,
                      build.kind == "facts" ? "it is known only by its facts"
                                            : "its registration has no command");
  BuildRecord ready = build;
  ready.command = locateCommand(build.command, archiveFolder);
  ASSIGN_OR_RETURN(auto details, buildDetails(build));
  if (!details.program) return ready;
  const KeptProgram& program = *details.program;
  const fs::path path = ready.command.front();
  ASSIGN_OR_RETURN(auto hash, within("build '" + build.name + "'", hashOfFile(path)));
  if (hash != program.hash)
    return badInput(
        "{}: the program of build '{}' is damaged: its hash is {}, {} was kept; register the same "
        "program again to heal it",
        path.string(), build.name, hash.substr(0, 12), program.hash.substr(0, 12));
  std::string folders, loader;
  for (const SharedLibrary& library : program.libraries) {
    if (!library.kept) continue;
    const fs::path folder = libraryFolder(archiveFolder, library);
    const fs::path file = folder / fs::path(library.name).filename();
    std::error_code problem;
    if (!fs::exists(file, problem))
      return badInput(
          "{}: a library of build '{}' is missing from the archive; register the build again with "
          "--keep-libraries",
          file.string(), build.name);
    if (isLoader(library)) loader = file.string();
    folders += (folders.empty() ? "" : ":") + folder.string();
  }
  if (!loader.empty()) {
    std::vector<std::string> start{loader, "--library-path", folders};
    ready.command.insert(ready.command.begin(), start.begin(), start.end());
    return ready;
  }
  RETURN_IF_ERROR(checkLibraries(build, program, path, host));
  return ready;
}

std::string programIdentity(const BuildRecord& build) {
  if (build.command.empty()) return "";
  std::string identity;
  if (const auto details = buildDetails(build); details && details->program)
    identity = details->program->hash;
  // An old registration without a program: its path holds its hash.
  else if (build.kind == "engine")
    identity = build.command.front();
  if (identity.empty()) return "";
  for (size_t i = 1; i < build.command.size(); ++i) {
    if (build.command[i] == "--build-date") {
      ++i;
      continue;
    }
    identity += fmt::format("\x1f{}", build.command[i]);
  }
  return identity;
}

}  // namespace vintage::harness::builds
