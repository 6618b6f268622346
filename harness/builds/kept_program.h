// Programs of consumers, kept in the archive by the hash of their content, so
// that an old consumer can be run months later.
//
//   ARCHIVE/builds/3f9a0c21d4e5b6a7/vintage-worker      one program
//   ARCHIVE/builds/libraries/0c1d2e3f4a5b6c7d/libfmt.so.9   one shared library
//
// A build's record names a kept program as "archive:3f9a0c21d4e5b6a7/vintage-worker",
// so that an archive can be moved. What a program loads is recorded with it;
// with its libraries kept too, the loader among them, it needs nothing of the
// machine but the kernel.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/builds/build_details.h"
#include "harness/builds/room.h"

namespace vintage::harness::builds {

inline constexpr std::string_view kArchivePlace = "archive:";

// ARCHIVE/builds, absolute.
std::filesystem::path buildsFolder(const std::string& archiveFolder);

// The shared libraries that the loader finds for `program`, its own file among
// them, as ldd lists them; without hashes. Empty where it is linked statically or
// is a script. A library that is not found has no file.
Result<std::vector<SharedLibrary>> sharedLibraries(const std::filesystem::path& program,
                                                   ProcessHost& host);

struct KeptCopy {
  KeptProgram program;
  std::string place;  // "archive:3f9a…/vintage-worker", the front of a command.
};
// Copies the program (once for each content), and its libraries too where they
// are asked for. kBadInput where a library that it needs is not there.
Result<KeptCopy> keepProgram(const std::filesystem::path& program,
                             const std::string& archiveFolder, bool withLibraries,
                             ProcessHost& host);

// `command` with a kept program's place turned into a path.
std::vector<std::string> locateCommand(std::vector<std::string> command,
                                       const std::string& archiveFolder);

// The build with a command that starts it here: a kept program has been read
// and is the one that was kept, what it loads is here or kept. The error says
// what is missing or damaged.
Result<BuildRecord> readyToStart(const BuildRecord& build, const std::string& archiveFolder,
                                 ProcessHost& host);

// Equal for two builds that run the same program: its content with its
// arguments, but not the date that its options give it. Empty where
// nobody knows: a command may be another program tomorrow.
std::string programIdentity(const BuildRecord& build);

}  // namespace vintage::harness::builds
