#include "harness/runtimes/builds/kept_program.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/typed_words.h"
#include "harness/runtimes/builds/start_commands.h"
#include "harness/runtimes/builds/when_needed.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr size_t kFolderNameCharacters = 16;

// A copy that is whole already is left alone; a damaged one is healed.
Status copyInto(const fs::path& place, std::span<const std::byte> bytes) {
  const auto kept = readFile(place);
  if (!kept || !std::ranges::equal(*kept, bytes)) {
    RETURN_IF_ERROR(createFoldersDurably(realFileSystem(), place.parent_path().string()));
    RETURN_IF_ERROR(writeFile(place, bytes));
  }
  std::error_code problem;
  fs::permissions(place, fs::perms(0755), problem);
  return {};
}

// The shared libraries that the loader finds for `program`, its own file among
// them, as ldd lists them. Empty where it is linked statically or is a script. A
// library that is not found has no file.
Result<std::vector<StartCommand::Library>> sharedLibraries(const fs::path& program,
                                                           ProcessHost& host) {
  std::error_code problem;
  std::vector<StartCommand::Library> libraries;
  const auto take = [&](std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, line.rfind(" (0x"));  // The address.
    if (line.empty() || line.starts_with("linux-vdso") || line == "statically linked") return;
    StartCommand::Library& library = libraries.emplace_back();
    const size_t arrow = line.find(" => ");
    library.name = line.substr(0, arrow);
    const std::string_view file = arrow == line.npos ? line : line.substr(arrow + 4);
    if (file == "not found") return;
    library.file = fs::weakly_canonical(file, problem).string();
    if (problem) library.file = file;
  };
  ASSIGN_OR_RETURN(const auto printed,
                   runProgram({"ldd", fs::absolute(program, problem).string()}, host, take));
  if (printed.status != 0) libraries.clear();  // "not a dynamic executable"
  return libraries;
}

// The libraries that are not kept must be found by the loader of this machine.
Status checkLibraries(const BuildRecord& build, ProcessHost& host) {
  std::error_code problem;
  if (std::ranges::all_of(build.start->libraries, [&](const StartCommand::Library& library) {
        return fs::exists(library.file, problem);
      }))
    return {};
  ASSIGN_OR_RETURN(auto here,
                   within(build.name, sharedLibraries(build.start->worker.front(), host)));
  std::vector<std::string> missing;
  for (const StartCommand::Library& library : here)
    if (library.file.empty()) missing.push_back(library.name);
  if (missing.empty()) return {};
  return ioError(
      "build '{}' cannot be started here: its program loads {}, which this machine does not have; "
      "install what holds it, or register the build again with --keep-libraries where it still "
      "runs",
      build.name, fmt::join(missing, ", "));
}

}  // namespace

Result<KeptCopy> keepProgram(const fs::path& program, const fs::path& folder, bool withLibraries,
                             ProcessHost& host) {
  ASSIGN_OR_RETURN(auto bytes, readFile(program));
  KeptCopy copy;
  copy.hash = contentHash(bytes);
  const auto placeOf = [&](const ContentId& hash, const fs::path& name) {
    return folder / hash.substr(0, kFolderNameCharacters) / name.filename();
  };
  copy.path = placeOf(copy.hash, program).string();
  RETURN_IF_ERROR(copyInto(copy.path, bytes));
  ASSIGN_OR_RETURN(copy.libraries, sharedLibraries(program, host));
  // The copy finds nothing that lies beside the program, as a wheel's libraries do.
  ASSIGN_OR_RETURN(const auto found, sharedLibraries(copy.path, host));
  for (const StartCommand::Library& library : found) withLibraries |= library.file.empty();
  for (StartCommand::Library& library : copy.libraries) {
    if (library.file.empty())
      return badInput("{}: it needs {}, which the loader does not find here", program.string(),
                      library.name);
    if (!withLibraries) continue;
    ASSIGN_OR_RETURN(auto content, readFile(library.file));
    library.file = placeOf(contentHash(content), library.name).string();
    library.kept = true;
    RETURN_IF_ERROR(copyInto(library.file, content));
  }
  return copy;
}

Result<BuildRecord> readyToStart(const BuildRecord& build, ProcessHost& host,
                                 const PythonProgress& progress) {
  if (!build.start)
    return usageError(
        "build '{}' is known by its facts only; bind it to run it: vintage builds bind {} -- "
        "PROGRAM{}",
        build.name, shellWord(build.name),
        build.details.environment && !build.details.environment->framework.empty()
            ? ", or vintage builds install " + shellWord(build.name)
            : "");
  RETURN_IF_ERROR(makeEnvironmentOf(build, host, progress));
  RETURN_IF_ERROR(checkUnchanged(build.name, *build.start));
  BuildRecord ready = build;
  std::string folders, loader;
  for (const StartCommand::Library& library : build.start->libraries) {
    if (!library.kept) continue;
    std::error_code problem;
    if (!fs::exists(library.file, problem))
      return badInput(
          "{}: this kept library of build '{}' is missing; register the build again with "
          "--keep-libraries",
          library.file, build.name);
    // The loader is named by its whole path and has to be started by it.
    const std::string file = fs::path(library.name).filename();
    if (file.starts_with("ld-linux") || file.starts_with("ld-musl")) loader = library.file;
    folders += (folders.empty() ? "" : ":") + fs::path(library.file).parent_path().string();
  }
  if (loader.empty()) {
    RETURN_IF_ERROR(checkLibraries(build, host));
    return ready;
  }
  const std::vector<std::string> start{loader, "--library-path", folders};
  ready.start->worker.insert(ready.start->worker.begin(), start.begin(), start.end());
  return ready;
}

std::string programIdentity(const ContentId& program, const std::vector<std::string>& command) {
  std::string arguments;
  for (size_t i = 1; i < command.size(); ++i) {
    if (command[i] == "--build-date")
      ++i;
    else
      arguments += fmt::format("\x1f{}", command[i]);
  }
  return arguments.empty() ? program : contentHash(program + arguments);
}

}  // namespace vintage::harness
