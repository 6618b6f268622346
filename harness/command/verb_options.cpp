#include "harness/command/verb_options.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "golden/base/failures.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

Result<std::optional<Date>> parseDateOption(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(auto date, within(option, parseDate(text)));
  return date;
}

Date currentDate() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

void FilterOptions::addTo(CLI::App& app) {
  const auto list = [&](const char* option, std::vector<std::string>& place, const char* help) {
    app.add_option(option, place, help)->group("Choosing artifacts")->expected(1)->take_all();
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
  app.add_option("--built-from", from_, "Producers built on this day or later (YYYY-MM-DD)")
      ->group("Choosing artifacts");
  app.add_option("--built-until", until_, "Producers built on this day or earlier")
      ->group("Choosing artifacts");
  app.add_option("--calling-convention", callingConvention_, "The calling-convention version")
      ->group("Choosing artifacts");
}

namespace {

// Names of cases have brackets, tan_f64[8,8]: to SQLite's GLOB they would be a choice of characters.
// [[], by which one escapes a bracket there, is one.
std::string patternOf(std::string_view name) {
  constexpr std::string_view kEscaped = "[[]";
  std::string pattern;
  while (!name.empty()) {
    const bool escaped = name.starts_with(kEscaped);
    if (escaped || name.front() == '[')
      pattern += kEscaped;
    else
      pattern += name.front();
    name.remove_prefix(escaped ? kEscaped.size() : 1);
  }
  return pattern;
}

}  // namespace

Result<ArtifactFilter> FilterOptions::filter() const {
  ArtifactFilter filter = filter_;
  for (std::string& name : filter.names) name = patternOf(name);
  ASSIGN_OR_RETURN(auto from, parseDateOption(from_, "--built-from"));
  ASSIGN_OR_RETURN(auto until, parseDateOption(until_, "--built-until"));
  filter.builtFrom = from;
  filter.builtUntil = until;
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
  app.add_option("--timeout", timeoutSeconds_, "Seconds for one artifact")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  app.add_option("--memory", memoryGibibytes_, "GiB of address space for one worker")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 4096.0));
  app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
}

Result<Date> RunOptionsOfVerb::today() const {
  ASSIGN_OR_RETURN(auto date, parseDateOption(today_, "--today"));
  return date.value_or(currentDate());
}

Result<ReplayOptions> RunOptionsOfVerb::replayOptions(const std::string& archive) const {
  ReplayOptions options;
  options.archiveArgument = archive;
  options.workers =
      workers_ > 0 ? workers_ : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeoutSeconds_ * 1000));
  options.memoryLimitBytes = static_cast<size_t>(memoryGibibytes_ * double(size_t{1} << 30));
  return options;
}

void ScopeOption::addTo(CLI::App& app) {
  app.add_option("--scope", words_,
                 "What the verdict is about: platforms (cpu, cuda, rocm, tpu), promises (backward, "
                 "forward, defaults), and golden, what can be compared; the report lists what is "
                 "left out (docs/verdicts.md)")
      ->type_name("WORD ...");
}

Result<Scope> ScopeOption::scope(const WindowPolicy& policy) const {
  return parseScope(words_, knownPlatforms(), policy);
}

void TableOptionsOfVerb::addTo(CLI::App& app) {
  app.add_option("--archive", archive, "The archive");
  app.add_option("--build", options_.build,
                 "The consumer to report on (default: the newest with a result)");
  app.add_option("--mode", options_.modes, "Only these modes (default: all with a result)");
  app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
}

Result<TableOptions> TableOptionsOfVerb::options() const {
  if (archive.empty()) return usageError("give the --archive that holds the results");
  ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
  TableOptions options = options_;
  options.today = today.value_or(currentDate());
  options.archiveArgument = archive;
  return options;
}

}  // namespace vintage::harness
