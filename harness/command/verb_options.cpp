#include "harness/command/verb_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <thread>

#include "golden/base/failures.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

namespace {

constexpr const char* kChoosing = "Choosing artifacts";

// Names of cases have brackets, tan_f64[8,8]: to SQLite's GLOB they would be a choice of
// characters. [[] and []], the escaped brackets of GLOB, are brackets as well.
std::string patternOf(const std::string& name) {
  static const std::regex kOpening(R"(\[\[\]|\[)"), kClosing(R"(\[\]\])");
  return std::regex_replace(std::regex_replace(name, kClosing, "]"), kOpening, "[[]");
}

Result<std::string> findToken(const std::string& file) {
  if (file.empty()) {
    const char* token = std::getenv("VINTAGE_TOKEN");
    return token == nullptr ? std::string() : std::string(token);
  }
  std::ifstream stream(file, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return usageError("--token-file: cannot read {}", file);
  return token.substr(0, token.find_last_not_of("\n\r ") + 1);
}

Status checkToken(const std::string& token) {
  const auto isOfNone = [](char letter) { return letter <= ' ' || letter > '~'; };
  if (std::ranges::none_of(token, isOfNone)) return {};
  return usageError(
      "the token holds a space, a line feed or another character that no token has; "
      "is it the right file?");
}

}  // namespace

Date currentDate() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

int orProcessors(int given, unsigned least) {
  return given > 0 ? given : static_cast<int>(std::max(least, std::thread::hardware_concurrency()));
}

CLI::Option* addDateOption(CLI::App& app, const std::string& option, std::optional<Date>& place,
                           const std::string& help) {
  const auto take = [option, &place](const std::string& text) {
    if (text.empty()) return;
    const auto date = parseDate(text);
    if (!date) throw CLI::ValidationError(option, date.error().message);
    place = *date;
  };
  return app.add_option_function<std::string>(option, take, help);
}

void TodayOption::addTo(CLI::App& app, const char* help) {
  addDateOption(app, "--today", date_, help);
}

void LimitOptions::addTo(CLI::App& app, const std::string& what) {
  addDefaulted(app, "--timeout", timeoutSeconds_, "Seconds for " + what,
               CLI::Range(0.001, 86400.0));
  addDefaulted(app, "--memory", memoryGibibytes_, "GiB of address space for one worker",
               CLI::Range(0.5, 4096.0));
}

void LimitOptions::addSandboxTo(CLI::App& app) {
  const auto flag = [&](const char* name, SandboxUse use, const char* help) {
    return app.add_flag_callback(name, [this, use] { sandbox_ = use; }, help);
  };
  flag("--sandbox", SandboxUse::kAll,
       "Start all workers by bubblewrap: without network, homes and others' temporary files, and "
       "with a system that they can only read (docs/explanation/untrusted_input.md; default: "
       "workers of releases that Vintage installed, where bubblewrap starts)")
      ->excludes(flag("--no-sandbox", SandboxUse::kNone, "Start no worker so"));
}

std::chrono::milliseconds LimitOptions::timeout() const {
  return std::chrono::milliseconds(static_cast<int64_t>(timeoutSeconds_ * 1000));
}

size_t LimitOptions::memoryBytes() const {
  return static_cast<size_t>(memoryGibibytes_ * double(size_t{1} << 30));
}

void FilterOptions::addTo(CLI::App& app) {
  const auto list = [&](const char* option, std::vector<std::string>& place, const char* help) {
    app.add_option(option, place, help)->group(kChoosing)->expected(1)->take_all();
  };
  list("--id", filter_.ids, "An id, or at least its first 4 characters");
  list("--name", filter_.names,
       "A name; * and ? match as in a shell, all else, brackets too, stands for itself");
  list("--primitive", filter_.primitives, "A primitive, such as dot_general");
  list("--dtype", filter_.dtypes, "An element type that it uses, such as bf16");
  list("--platform", filter_.platforms, "cpu, cuda, rocm or tpu");
  list("--variant", filter_.variants, "static, poly, multi_platform, effects, vjp or sharded");
  list("--target", filter_.customCallTargets, "A custom-call target that it calls");
  list("--producer", filter_.producers, "The build that exported it");
  addDateOption(app, "--built-from", filter_.builtFrom,
                "Producers built on this day or later (YYYY-MM-DD)")
      ->group(kChoosing);
  addDateOption(app, "--built-until", filter_.builtUntil, "Producers built on this day or earlier")
      ->group(kChoosing);
  app.add_option("--calling-convention", callingConvention_, "The calling-convention version")
      ->group(kChoosing);
}

ArtifactFilter FilterOptions::filter() const {
  ArtifactFilter filter = filter_;
  for (std::string& name : filter.names) name = patternOf(name);
  filter.oldestCallingConvention = filter.newestCallingConvention = callingConvention_;
  return filter;
}

Result<ContentPart> parsePart(const std::string& text, const char* option) {
  ContentPart chosen;
  const char* const end = text.data() + text.size();
  const auto part = std::from_chars(text.data(), end, chosen.part);
  const bool slash = part.ec == std::errc() && part.ptr != end && *part.ptr == '/';
  const auto parts = std::from_chars(slash ? part.ptr + 1 : end, end, chosen.parts);
  if (slash && parts.ec == std::errc() && parts.ptr == end && chosen.part >= 1 &&
      chosen.part <= chosen.parts)
    return chosen;
  return usageError("{}={}: write N/T, such as 3/7, with N from 1 to T", option, text);
}

void RunOptionsOfVerb::addTo(CLI::App& app) {
  app.add_option("--workers", workers_, "Worker processes (default: one for each processor)")
      ->check(CLI::Range(1, 256));
  limits_.addTo(app, "one artifact");
  limits_.addSandboxTo(app);
  today_.addTo(app);
}

void RunOptionsOfVerb::addLabelTo(CLI::App& app) {
  app.add_option(
         "--label", label_,
         "A name for the run that is recorded, which 'vintage diff --run' takes; of several "
         "runs the newest has it")
      ->check([](const std::string& label) {
        if (label.empty()) return std::string("it is empty; leave the option out");
        const Status fits = checkRunLabel(label);
        return fits ? std::string() : fits.error().message;
      });
}

ReplayOptions RunOptionsOfVerb::replayOptions(const std::string& archive) const {
  ReplayOptions options;
  options.archiveArgument = archive;
  options.label = label_;
  options.workers = orProcessors(workers_);
  options.timeout = limits_.timeout();
  options.memoryLimitBytes = limits_.memoryBytes();
  options.sandbox = limits_.sandbox();
  return options;
}

void ScopeOption::addTo(CLI::App& app) {
  app.add_option(
         "--scope", words_,
         "The subject of the verdict: platforms (cpu, cuda, rocm, tpu), promises (backward, "
         "forward, defaults), and golden, only artifacts with one; the report lists what "
         "is left out (docs/reference/verdicts.md)")
      ->type_name("WORD ...");
}

Result<Scope> ScopeOption::scope(const WindowPolicy& policy) const {
  return parseScope(words_, knownPlatforms(), policy);
}

void NetworkOptions::addTo(CLI::App& app) {
  addDefaulted(app, "--jobs", jobs_, "Transfers at once", CLI::Range(1, 256));
  addDefaulted(app, "--attempts", attempts_, "Attempts in a row without progress",
               CLI::Range(1, 100));
  app.add_option(
      "--token-file", tokenFile_,
      "A file with the token for a service, or USER:PASSWORD of a registry (or VINTAGE_TOKEN in "
      "the environment)");
  app.add_option("--ca-certificate", caCertificate_,
                 "A PEM file with the authority that signed the server's certificate");
  app.add_option("--partial", partialFolder_,
                 "Keep parts of interrupted downloads here (default: "
                 "~/.cache/vintage/partial); empty: nowhere");
}

Result<PlaceOptions> NetworkOptions::placeOptions() const {
  PlaceOptions options;
  options.jobs = jobs_;
  options.caCertificate = caCertificate_;
  options.partialFolder = partialFolder_ ? *partialFolder_ : defaultPartialFolder();
  options.retry.attempts = attempts_;
  ASSIGN_OR_RETURN(auto token, findToken(tokenFile_));
  RETURN_IF_ERROR(checkToken(token));
  options.token = std::move(token);
  return options;
}

Result<std::optional<SigningKey>> readPublicKey(const std::string& file) {
  if (file.empty()) return std::nullopt;
  return SigningKey::readPublicFile(file);
}

std::string placeName(const std::string& place) {
  if (place.find("://") != std::string::npos) return place;
  std::error_code unknown;
  return std::filesystem::weakly_canonical(place, unknown).string();
}

void SourceTrust::addTo(CLI::App& app) {
  app.add_option("--public-key", publicKey_,
                 "Copy only from a source whose newest signed list is by this key or a successor "
                 "(docs/howto/mirroring.md)");
  app.add_option("--pins", pins_,
                 "The file that remembers the newest list of each source (default: "
                 "~/.local/state/vintage/pins.json); empty: nowhere");
  app.add_flag("--without-lists", withoutLists_, "Leave signed lists out, and check none");
}

Status SourceTrust::prepare(const std::string& source, MirrorOptions& options) {
  if (withoutLists_ && !publicKey_.empty())
    return usageError("--public-key needs the lists that --without-lists leaves out");
  options.lists = !withoutLists_;
  options.source = source_ = placeName(source);
  if (withoutLists_) return {};
  ASSIGN_OR_RETURN(key_, readPublicKey(publicKey_));
  if (key_) options.trustedKey = &*key_;
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (pins.path().empty()) return {};
  if (!key_) {
    ASSIGN_OR_RETURN(options.pins, pins.ofPlace(source_));
    return {};
  }
  ASSIGN_OR_RETURN(const auto pin, pins.find(source_, key_->fingerprint()));
  if (pin) options.pins = {*pin};
  return {};
}

Status SourceTrust::remember(const MirrorSummary& summary) const {
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (!summary.seen || !key_ || pins.path().empty()) return {};
  return pins.put(source_, key_->fingerprint(), *summary.seen);
}

nlohmann::json SourceTrust::toJson(const std::optional<Pin>& list) {
  if (!list) return nullptr;
  return {
      {"counter", list->counter}, {"hash", list->list}, {"key", list->key}, {"date", list->date}};
}

}  // namespace vintage::harness
