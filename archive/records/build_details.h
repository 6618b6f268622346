// Facts about a build beyond the columns of its record. An archive keeps them as one JSON object:
//
//   {"runtime": {…},               what it registers: archive/records/runtime_description.h
//    "program": …,                 SHA-256 of a kept program, with its arguments
//    "command_sha256": …,          SHA-256 of the command that it was registered with
//    "surely_reads": …,            of StableHLO: below it, nobody knows
//    "said": {"name": …, "build_date": …},   by which it introduced itself
//    "commit": {"id": …, "time": …, "subject": …},
//    "formats": […],               of artifacts that its worker reads, where it says so
//    "reporter": …,                somebody else who reported it (RunRecord::reporter)
//    "environment": {"framework": …, "release": …, "python": …, "condition": …,
//                    "released_by": …, "produces": …,
//                    "packages": [{"name": …, "version": …, "wheel": …, "sha256": …}]}}
//
// All of it may be missing, and reading drops every other field: an archive holds what a build is,
// never how to start it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

// The packages of Python that a release of a framework runs with: the recipe of its environment.
struct PythonEnvironment {
  struct Package {
    std::string name, version, wheel, sha256;
    bool operator==(const Package&) const = default;
  };
  std::string framework;   // "jax", "tensorflow", "iree"; empty: a plugin, or not known.
  std::string release;     // "0.8.1"
  std::string python;      // "3.13.0"
  std::string condition;   // "warm", "fresh"
  std::string releasedBy;  // The source of the release day: "the index".
  std::string produces;    // The format of what it exports; empty: nothing.
  std::vector<Package> packages;
  bool operator==(const PythonEnvironment&) const = default;
};

struct BuildDetails {
  std::optional<RuntimeDescription> runtime;  // None: not known.
  // Equal for two builds that run the same program with the same arguments, but for the date that
  // these give it. Empty: not known.
  std::string program;
  // SHA-256 of the command that it was registered with: another one where another worker takes
  // the name. Empty: nobody started it.
  std::string commandHash;
  std::optional<SourceCommit> commit;
  std::optional<SaidOfItself> said;
  std::optional<PythonEnvironment> environment;
  // The newest StableHLO version that a release known by its facts reads for
  // sure; BuildRecord::stablehloVersion is the newest that it may read.
  std::string surelyReads;
  std::vector<std::string> formats;  // As formatName() spells them; empty: not said.
  std::string reporter;              // As of a run; empty: the archive's own.
  bool operator==(const BuildDetails&) const = default;
};

// The text of a field of an object; empty where it is missing or something else.
std::string textIn(const nlohmann::json& object, const char* field);

nlohmann::json environmentJson(const PythonEnvironment& environment);
nlohmann::json detailsJson(const BuildDetails& details);
// kBadInput where it is neither null nor an object, or its runtime is not described as
// archive/records/runtime_description.h has it.
Result<BuildDetails> detailsOfJson(const nlohmann::json& json);

}  // namespace vintage::archive
