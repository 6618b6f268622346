// What is known of a build beyond its record: BuildRecord::details, as JSON.
//
//   {"runtime": {…},               what it registers: harness/runtime/runtime_description.h
//    "program": {"hash": …, "name": …, "libraries": [{"name": …, "hash": …}]},
//    "surely_reads": …,         of StableHLO: below it, nobody knows
//    "said": {"name": …, "build_date": …},   by which it introduced itself
//    "commit": {"id": …, "time": …, "subject": …},
//    "formats": […],   of artifacts that its worker reads, where it says so
//    "environment": {"place": …, "python": …, "condition": …, "released_by": …,
//                    "packages": [{"name": …, "version": …, "wheel": …, "sha256": …}],
//                    "producer": […], "produces": …}}   of a release: docs/runtimes.md
//
// All of it may be missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/builds/room.h"
#include "harness/runtime/runtime_description.h"

namespace vintage::harness::builds {

// A shared library that a kept program loads, as it was where it was registered.
struct SharedLibrary {
  std::string name;   // What the loader looks for: "libfmt.so.9".
  std::string file;   // Where it was found, links resolved.
  ContentId hash;     // The content's; empty where it is not kept.
  bool kept = false;  // A copy lies in the archive.
  bool operator==(const SharedLibrary&) const = default;
};

struct KeptProgram {
  ContentId hash;
  std::string name;  // The file's.
  std::vector<SharedLibrary>
      libraries;  // The loader's whole closure; empty: linked statically, or a script.
  bool operator==(const KeptProgram&) const = default;
};

struct SourceCommit {
  std::string id;    // 40 hexadecimal digits.
  std::string time;  // As committed, in UTC: "2026-11-20T21:50:00Z".
  std::string subject;
  bool operator==(const SourceCommit&) const = default;
};

// A build can be registered under another name and date than its worker says.
struct SaidOfItself {
  std::string name;
  std::string buildDate;  // YYYY-MM-DD
  bool operator==(const SaidOfItself&) const = default;
};

// The packages of Python that a release of a framework runs with.
struct PythonEnvironment {
  struct Package {
    std::string name, version, wheel, sha256;
    bool operator==(const Package&) const = default;
  };
  std::string place;       // Its folder; empty: somebody else made it.
  std::string python;      // "3.13.0"
  std::string condition;   // "warm", "fresh"
  std::string releasedBy;  // Who says on which day it was released.
  std::vector<Package> packages;
  std::vector<std::string> producer;  // The command that exports with it.
  std::string produces;               // The format of what it exports; empty: Exported.
  bool operator==(const PythonEnvironment&) const = default;
};

struct BuildDetails {
  nlohmann::json runtime;  // Null: not known.
  std::optional<KeptProgram> program;
  std::optional<SourceCommit> commit;
  std::optional<SaidOfItself> said;
  std::optional<PythonEnvironment> environment;
  // The newest StableHLO version that a release known by its facts reads for
  // sure; BuildRecord::stablehloVersion is the newest that it may read.
  std::string surelyReads;
  std::vector<std::string> formats;  // As formatName() spells them; empty: not said.
};

std::string writeBuildDetails(const BuildDetails& details);
// kBadInput names the build. Fields that are not known here are ignored.
Result<BuildDetails> buildDetails(const BuildRecord& build);
// Whether its worker reads artifacts of this format. One that does not say reads an Exported and a
// portable artifact.
bool readsFormat(const BuildRecord& build, ArtifactRecord::Format format);
// `runtime`, read; none where it is not known. An error names `build`.
Result<std::optional<RuntimeDescription>> runtimeOf(const BuildDetails& details,
                                                    const std::string& build);

}  // namespace vintage::harness::builds
