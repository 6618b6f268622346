// Options that several verbs share, and the common parts of the verbs that check an archive.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/integrity/fsck.h"
#include "archive/records/scope.h"
#include "archive/store/records.h"
#include "archive/transfer/mirror.h"
#include "archive/transfer/place.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/strict_json.h"
#include "harness/command/console.h"
#include "harness/replay/replay.h"

namespace vintage::harness {

// Now, in UTC.
Date currentDate();
// `given`, or where that is 0 one for each processor, and at least `least`.
int orProcessors(int given, unsigned least = 1);
// YYYY-MM-DD; the error names the option.
CLI::Option* addDateOption(CLI::App& app, const std::string& option, std::optional<Date>& place,
                           const std::string& help);

// --today: a day that stands for the current one.
class TodayOption {
 public:
  void addTo(CLI::App& app, const char* help = "The current date (YYYY-MM-DD; default: today)");
  bool given() const { return date_.has_value(); }
  Date date() const { return date_.value_or(currentDate()); }

 private:
  std::optional<Date> date_;
};

// An option whose default --help shows; `checks` are CLI11's.
template <typename Value, typename... Checks>
CLI::Option* addDefaulted(CLI::App& app, const std::string& option, Value& place,
                          const std::string& help, const Checks&... checks) {
  CLI::Option* added = app.add_option(option, place, help)->capture_default_str();
  (added->check(checks), ...);
  return added;
}

// How long and how large a worker may become.
class LimitOptions {
 public:
  explicit LimitOptions(double timeoutSeconds = 60, double memoryGibibytes = 8)
      : timeoutSeconds_(timeoutSeconds), memoryGibibytes_(memoryGibibytes) {}
  // `what` has --timeout seconds: "one artifact".
  void addTo(CLI::App& app, const std::string& what);
  std::chrono::milliseconds timeout() const;
  size_t memoryBytes() const;
  // For verbs that start workers of others.
  void addSandboxTo(CLI::App& app);
  harness::SandboxUse sandbox() const { return sandbox_; }

 private:
  double timeoutSeconds_, memoryGibibytes_;
  harness::SandboxUse sandbox_ = harness::SandboxUse::kRecipes;
};

// Which artifacts.
class FilterOptions {
 public:
  void addTo(CLI::App& app);
  archive::ArtifactFilter filter() const;
  // The platforms that were asked for; the archive's filter holds them too.
  const std::vector<std::string>& platforms() const { return filter_.platforms; }

 private:
  archive::ArtifactFilter filter_;
  std::optional<int> callingConvention_;
};

// A part of the contents, N/T with N from 1 to T; the error names the option.
Result<archive::ContentPart> parsePart(const std::string& text, const char* option);

// How artifacts are run.
class RunOptionsOfVerb {
 public:
  void addTo(CLI::App& app);
  // For verbs that record one run.
  void addLabelTo(CLI::App& app);
  const std::string& label() const { return label_; }
  // Today, or what --today says.
  Date today() const { return today_.date(); }
  bool todayGiven() const { return today_.given(); }
  // `archive` is the folder as it was typed.
  ReplayOptions replayOptions(const std::string& archive) const;

 private:
  std::string label_;
  int workers_ = 0;  // 0: one for each processor.
  LimitOptions limits_;
  TodayOption today_;
};

// The subject of a verdict (docs/reference/verdicts.md).
class ScopeOption {
 public:
  void addTo(CLI::App& app);
  Result<archive::Scope> scope(const archive::WindowPolicy& policy) const;

 private:
  std::vector<std::string> words_;
};

// Reaching a place (archive/transfer/place.h).
class NetworkOptions {
 public:
  void addTo(CLI::App& app);
  // The token too, from its file or the environment; never from the command line,
  // where every process of the machine could read it.
  Result<archive::PlaceOptions> placeOptions() const;

 private:
  std::string tokenFile_, caCertificate_;
  std::optional<std::string> partialFolder_;
  int jobs_ = 16, attempts_ = 8;
};

// Calls `parse` with a file's text and name; the default where no file is named.
template <typename Parse>
auto parseFile(const std::string& file, const Parse& parse) -> decltype(parse(file, file)) {
  if (file.empty()) return {};
  ASSIGN_OR_RETURN(const auto text, readTextFile(file));
  return parse(text, file);
}

// The public half of a key; none where no file is named.
Result<std::optional<archive::SigningKey>> readPublicKey(const std::string& file);

// A folder as everybody on this machine would name it; other places as they are.
std::string placeName(const std::string& place);

// How push, pull and mirror trust their source's signed lists: the key that counts, and the state
// that was seen before.
class SourceTrust {
 public:
  void addTo(CLI::App& app);
  // Must outlive what it prepares.
  Status prepare(const std::string& source, archive::MirrorOptions& options);
  Status remember(const archive::MirrorSummary& summary) const;

  static nlohmann::json toJson(const std::optional<archive::Pin>& list);

 private:
  std::string publicKey_, source_;
  std::optional<std::string> pins_;
  std::optional<archive::SigningKey> key_;
  bool withoutLists_ = false;
};

// An additional check of fsck and restore, beside the hashes of artifacts. `name` begins the
// message.
Status checkPortableArtifact(std::span<const std::byte> bytes, std::string_view name);

// A finding as fsck and a scrub print it; each adds fields of its own.
nlohmann::json findingJson(const archive::FsckFinding& finding);
std::string findingText(const archive::FsckFinding& finding);

// A scrub with its output.
struct ScrubCall {
  std::string place, from, publicKey;
  bool readData = true, repair = false;
  archive::ContentPart part;
  archive::PlaceOptions network;
};
Result<int> runScrub(const ScrubCall& call, Console& console);

}  // namespace vintage::harness
