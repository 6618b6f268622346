// Consumers that an archive knows, and the embedded engine among them.
//
// Kinds: "engine", the embedded engine, kept by the nightly run while a window
// needs it; "program", a worker that was kept; "command", a worker that lies
// elsewhere; "recipe", a release whose environment is made when a run needs it;
// "facts", a release known by its facts. Whether one can be started here is not
// the archive's to say: BuildRecord::start. docs/howto/builds.md
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "archive/records/runtime_description.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/message.h"

namespace vintage::harness {

// `vintage-worker` beside the program that runs; kNotFound names both places.
Result<std::filesystem::path> findWorkerProgram();

// The embedded engine under `buildDate`, started from `worker`.
archive::BuildRecord engineBuild(const std::filesystem::path& worker, Date buildDate);

// Registers the embedded engine of `worker` under `buildDate`, with a copy of
// its program, and returns it ready to be started.
Result<archive::BuildRecord> registerEngine(archive::Archive& archive,
                                            const std::filesystem::path& worker, Date buildDate,
                                            ProcessHost& host);

struct RegisterOptions {
  std::vector<std::string> command;
  bool keep = false;                // A copy of its program in the user's state.
  bool keepLibraries = false;       // And what that loads.
  std::optional<std::string> name;  // Instead of what the worker says.
  std::optional<Date> date;
  std::optional<archive::SourceCommit> commit;
  std::optional<archive::PythonEnvironment> environment;  // Where its packages came from.
  std::string place;  // The folder of that environment; empty: none, or one's own.
};
// Starts the command, asks it what it is, registers that, and binds the command to it.
Result<archive::BuildRecord> registerCommand(archive::Archive& archive,
                                             const RegisterOptions& options, ProcessHost& host);
// Registers a build and binds the command that its `start` holds, where it has one.
Status registerBuild(archive::Archive& archive, archive::BuildRecord build);
// Starts the command, and binds it to a build of the archive that it says it is.
Result<archive::BuildRecord> bindBuild(const archive::Archive& archive, const std::string& name,
                                       const RegisterOptions& options, ProcessHost& host);

// Whether a worker that was started, and says that it is `answering`, is the build that was
// registered; the error says what it is instead.
Status checkGreeting(const archive::BuildRecord& registered, const archive::BuildRecord& answering);

// Forgets how engines built before `oldest` are started, and removes their programs, unless
// another build starts from them.
Status dropOldWorkerPrograms(const archive::Archive& archive, Date oldest);

// Whether its worker can be started here: it is bound, and the program that its
// command names is there, or is made when it is needed. Does not read it; readyToStart() does.
bool canStart(const archive::BuildRecord& build);

// The archive's builds from the oldest on, each with how this user starts it.
Result<std::vector<archive::BuildRecord>> registeredBuilds(const archive::Archive& archive);
// Those of them that are the archive's own (isOwn): verdicts and tables are about these.
Result<std::vector<archive::BuildRecord>> ownBuilds(const archive::Archive& archive);
// Keeps the day of a build that the archive has, whatever the index says now: sets `build` to that
// day. Returns whether it was another one.
bool keepArchivedDay(const archive::Archive& archive, archive::BuildRecord& build);
// A build by its whole name, or kNotFound with the nearest of those that are there.
Result<archive::BuildRecord> findBuild(const archive::Archive& archive, const std::string& name);

// The builds of `window` that can be started, newest first, one for each
// different program: a program that did not change from one night to the next
// would only repeat itself. `same` counts those left out for that reason.
struct StartableBuilds {
  std::vector<archive::BuildRecord> builds;
  int same = 0;
  int cannotStart = 0;
};
StartableBuilds startableBuilds(std::vector<archive::BuildRecord> builds,
                                const archive::DateRange& window,
                                const archive::BuildRecord& tonight);

// Whether its worker reads artifacts of this format. One that does not say reads an Exported and a
// portable artifact.
bool readsFormat(const archive::BuildRecord& build, archive::ArtifactRecord::Format format);

}  // namespace vintage::harness
