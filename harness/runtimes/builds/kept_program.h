// Programs of consumers, copied into the user's state (harness/runtimes/builds/start_commands.h) by
// the hash of their content, so that an old consumer can be run months later. With its libraries
// kept too, the loader among them, a program needs nothing of the machine but the kernel.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {

struct KeptCopy {
  std::string path;
  archive::ContentId hash;
  std::vector<archive::StartCommand::Library> libraries;
};
// Copies the program (once for each content) below `folder`, and its libraries too where they
// are asked for. kBadInput where a library that it needs is not there.
Result<KeptCopy> keepProgram(const std::filesystem::path& program,
                             const std::filesystem::path& folder, bool withLibraries,
                             ProcessHost& host);

// The build with a command that starts it here: what it starts is what was bound, and what it
// loads is here or kept. An environment with a recipe that is not there is made, which takes a
// minute or two. The error says what is missing, damaged or another program now.
Result<archive::BuildRecord> readyToStart(const archive::BuildRecord& build, ProcessHost& host,
                                          const PythonProgress& progress = {});

// The fact by which two builds are known to run one program: its content with its arguments, but
// not the date that `--build-date` gives it.
std::string programIdentity(const archive::ContentId& program,
                            const std::vector<std::string>& command);

}  // namespace vintage::harness
