// The records of an archive, as plain data. Dates are build dates (UTC).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/build_details.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Lower-case hexadecimal SHA-256 of the content: 64 characters.
using ContentId = std::string;
// Its 32 bytes, and back.
std::vector<std::byte> hashBytes(std::string_view id);
ContentId hashText(std::span<const std::byte> hash);

// "2026-11-20T21:50:00Z"
std::string timeText(std::chrono::system_clock::time_point time);

template <typename List, typename Value>
bool lists(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}
// For a list that chooses or limits: an empty list stands for everything.
template <typename List, typename Value>
bool admits(const List& list, const Value& value) {
  return list.empty() || lists(list, value);
}

struct ArtifactRecord {
  ContentId id;      // SHA-256 of the artifact's bytes.
  std::string name;  // Readable: a case id, or a corpus entry. Unique with `producer`.
  enum class Format { kExported, kPortableArtifact, kSavedModel };
  Format format = Format::kExported;
  std::string producer;  // Name of the build that exported it: "jax 0.4.14".
  Date buildDate{};      // When the producer was built.
  int callingConventionVersion = 0;
  int serializationVersion = 0;        // 0: not an Exported.
  std::string stablehloVersion;        // "1.9.3"; empty where unknown.
  std::string primitive;               // Empty where unknown.
  std::string caseId;                  // Empty for what was imported.
  std::vector<std::string> dtypes;     // stablehloName spelling, sorted.
  std::vector<std::string> platforms;  // In the artifact's own order.
  std::string variant = "static";      // static, poly, multi_platform, effects, vjp, sharded
  int deviceCount = 1;
  std::vector<std::string> customCallTargets;  // Sorted.
  ContentId golden;                            // Empty: no golden.
  int64_t bytes = 0;
};

// How the present user starts a build on this machine. It lives in the user's own state
// (harness/runtimes/builds/start_commands.h): no archive holds it, and it never travels.
struct StartCommand {
  std::vector<std::string> worker;    // The program and its arguments.
  std::vector<std::string> exporter;  // Starts the exporter; empty: it exports nothing.
  std::string environment;  // The folder of its Python environment; empty: none, or one's own.
  // The files that are started; none is started that changed since.
  struct File {
    std::string path;
    ContentId hash;
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;
  // The libraries of a kept program; empty: linked statically, a script, or not kept.
  struct Library {
    std::string name;  // As the loader looks for it: "libfmt.so.9".
    std::string file;  // Where it was found or kept.
    bool kept = false;
    bool operator==(const Library&) const = default;
  };
  std::vector<Library> libraries;
  bool operator==(const StartCommand&) const = default;
};

struct BuildRecord {
  std::string name;  // Unique: "vintage-engine 2026-11-20".
  std::string version;
  Date buildDate{};
  std::vector<std::string> platforms, modes;
  int oldestCallingConvention = 0, newestCallingConvention = 0;
  int newestSerialization = 0;
  std::string stablehloVersion;  // The newest that it reads.
  std::vector<std::string> customCallTargets;
  std::string kind;  // "engine", "program", "command", "recipe", "facts"
  BuildDetails details;
  std::optional<StartCommand> start;  // None: known by its facts only.
};

enum class Stage { kLoad, kUpgrade, kVerify, kCompile, kRun, kCompare };
enum class OutcomeKind {
  kPass,
  kMismatch,
  kError,
  kCrash,
  kTimeout,
  kUnsupported,
  kRunnerError,  // The consumer did not start or broke its protocol: says nothing of the artifact.
  kCompiled,     // Its mode is kCompileOnly, and it compiled the artifact: nothing ran.
  // It ran, and nothing says whether it is right: roundings decide every value, or the golden is in
  // doubt and the outputs are those of the second opinion.
  kNotComparable,
};
// The mode of a consumer that compiles for a device that is not there.
inline constexpr std::string_view kCompileOnly = "compile-only";
// It did all that the consumer's mode asks for.
constexpr bool isSuccess(OutcomeKind outcome) {
  return outcome == OutcomeKind::kPass || outcome == OutcomeKind::kCompiled;
}
// It did less than that, for whatever reason.
constexpr bool isFailure(OutcomeKind outcome) {
  return !isSuccess(outcome) && outcome != OutcomeKind::kNotComparable;
}
std::string stageName(Stage stage);                     // "load", …
std::string outcomeName(OutcomeKind outcome);           // "pass", …, "runner error"
std::string formatName(ArtifactRecord::Format format);  // "exported", "portable artifact", …
Result<Stage> parseStage(std::string_view name);
Result<OutcomeKind> parseOutcome(std::string_view name);
Result<ArtifactRecord::Format> parseFormat(std::string_view name);

struct OutcomeRecord {
  ContentId artifact;
  std::string build;     // BuildRecord::name
  std::string platform;  // Which of the artifact's platforms was run.
  std::string mode;      // "graph", "eager", "compiled", "compile-only"
  std::string run;       // Which run recorded it: an id that sorts by time.
  OutcomeKind outcome = OutcomeKind::kPass;
  Stage stage = Stage::kCompare;  // The last stage that was reached.
  // The error, or the first difference. A pass has none, or says where it differs and may
  // (kDiffersWhereItMay), how many elements are not comparable, that the golden is in doubt
  // (kGoldenInDoubt). kNotComparable says why nothing is known.
  std::string detail;
  double seconds = 0;
  std::string limitation;  // Limitation::id of the one that matched; empty: none.
  // The golden that it was compared with. Several names can share one artifact's
  // bytes and differ in their goldens. Empty: none, or it is not known which.
  ContentId golden;
  // Whether an empty golden stays empty, as it does in what an archive hands out and
  // in copies of that. Otherwise it is filled in where it is not in doubt.
  bool goldenIsFinal = false;
};

// The detail of a pass begins with this if its outputs differ from the golden only where the
// specification of an operation leaves them open (golden/compare/open_values.h).
inline constexpr std::string_view kDiffersWhereItMay = "differs where it may: ";
inline bool differsWhereItMay(const OutcomeRecord& outcome) {
  return outcome.outcome == OutcomeKind::kPass && outcome.detail.starts_with(kDiffersWhereItMay);
}

// How a detail begins, or goes on, where a second opinion on the golden differs from it
// (golden/compare/golden.h).
inline constexpr std::string_view kGoldenInDoubt = "golden in doubt: ";

// The kind of a run whose outcomes are probes: with limits of their own, of builds that were only
// asked. Only searches count them, unless their run is asked for.
inline constexpr std::string_view kProbingRun = "bisect";

// A run's label: letters, digits and ._- after a letter or a digit, at most 64 of them. kUsage says
// so; an empty one is no label.
Status checkRunLabel(std::string_view label);

// A run of the harness. Times are UTC, "2026-11-20T21:50:00Z".
struct RunRecord {
  std::string id;           // Sorts by time; empty: made from the archive's clock.
  std::string kind;         // "nightly", "replay", "import", …
  std::string commandLine;  // As it was typed; reproduces the run.
  std::string started;      // Empty: now if the id is empty too, else not known.
  std::string finished;     // Empty: still runs, or was killed.
  std::string result;       // In a word or two: "holds", "broken"; empty where there is none.
  std::string label;        // By which its user names it; several runs may have one.
  // Somebody else who reported its outcomes to the archive's service, by the name of the token. It
  // never changes. Empty: the run is the archive's own; only those count for its verdicts.
  std::string reporter;
  std::string verdict;  // JSON: what the outcomes do not say of it; empty until finished.
};

// Whether it takes part in the archive's own runs. A build that somebody else reported does once
// this user has bound a command to it.
inline bool isOwn(const BuildRecord& build) {
  return build.details.reporter.empty() || build.start.has_value();
}

// From the oldest on: by the day that counts. Builds of one day and product stand by the moment of
// their commit, where it is known, then by their versions as those of packages are ordered: 0.9.2
// before 0.12. The name decides last.
bool isOlder(const BuildRecord& one, const BuildRecord& other);
bool isOlder(const RuntimeDescription& one, const RuntimeDescription& other);

}  // namespace vintage::archive
