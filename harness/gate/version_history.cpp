#include "harness/gate/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "golden/base/strict_json.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;
using std::chrono::days;

// In the description of a version that has no other source: "the only one supported from
// 2024-03-27".
constexpr std::string_view kOnlyOne = "the only one supported from ";
constexpr size_t kDateCharacters = 10;

// Null for "2023-11" and null, which are not days.
std::optional<Date> dayOf(const json& line, const char* field) {
  const auto found = line.find(field);
  if (found == line.end() || !found->is_string()) return std::nullopt;
  const auto date = parseDate(found->get<std::string>());
  return date ? std::optional(*date) : std::nullopt;
}

Status readVersions(const json& document, const char* key, std::vector<VersionFacts>& out) {
  const auto list = document.find(key);
  if (list == document.end() || !list->is_array()) return badInput("{}: expected a list", key);
  for (const json& line : *list) {
    const auto version = line.is_object() ? line.find("version") : line.end();
    if (!line.is_object() || version == line.end() || !version->is_number_integer())
      return badInput("{}[{}]: expected an object with a \"version\"", key, out.size());
    VersionFacts& facts = out.emplace_back();
    facts.version = version->get<int>();
    facts.consumer = dayOf(line, line.contains("date") ? "date" : "consumer");
    facts.producer = dayOf(line, "producer");
    facts.byDefault = dayOf(line, "default");
    facts.dropped = dayOf(line, "dropped");
    const auto adds = line.find("adds");
    if (adds == line.end() || !adds->is_string()) continue;
    const std::string prose = adds->get<std::string>();
    if (const size_t at = prose.find(kOnlyOne); at != std::string::npos)
      if (const auto day = parseDate(prose.substr(at + kOnlyOne.size(), kDateCharacters)))
        facts.onlyOne = *day;
  }
  std::ranges::sort(out, {}, &VersionFacts::version);
  return {};
}

using VersionsOf = VersionRange RuntimeDescription::*;
constexpr VersionsOf kConventions = &RuntimeDescription::callingConvention;

class Historian {
 public:
  Historian(const FormatFacts& facts, const std::vector<RuntimeDescription>& builds,
            ArchivedFacts& archive)
      : facts_(facts), builds_(builds), archive_(archive) {
    addPeriods();
  }

  Result<std::vector<JudgedVersionChange>> judgeAll() {
    for (const auto step :
         {&Historian::judgeDefaults, &Historian::judgeDrops, &Historian::judgeReleases})
      RETURN_IF_ERROR((this->*step)());
    std::ranges::stable_sort(out_, {}, &JudgedVersionChange::date);
    return std::move(out_);
  }

 private:
  // The last day of each default stands for all exports until then.
  void addPeriods() {
    const VersionFacts* previous = nullptr;
    for (const VersionFacts& facts : facts_.callingConventions) {
      if (!facts.byDefault) continue;
      if (previous != nullptr) {
        RuntimeDescription last;
        last.buildDate = *facts.byDefault - days(1);
        last.name = "JAX of " + formatDate(last.buildDate);
        last.callingConvention.byDefault = previous->version;
        periods_.push_back(std::move(last));
      }
      previous = &facts;
    }
  }

  // The facts as of the end of `day`.
  VersionRange conventionsOn(Date day) const {
    VersionRange range;
    for (const VersionFacts& facts : facts_.callingConventions) {
      const auto since = facts.consumer ? facts.consumer : facts.producer;
      if (since && *since <= day) {
        range.newest = facts.version;
        if (range.oldest == 0) range.oldest = facts.version;
      }
      if (facts.byDefault && *facts.byDefault <= day) range.byDefault = facts.version;
      if (facts.dropped && *facts.dropped <= day)
        range.oldest = std::max(range.oldest, facts.version + 1);
      if (facts.onlyOne && *facts.onlyOne <= day) range.oldest = facts.version;
    }
    return range;
  }

  Status judge(VersionsOf range, Status (*check)(const Change&, std::vector<Finding>&), Date date,
               Date previous, VersionRange before, VersionRange now, std::string what,
               std::string source) {
    Change change;
    change.today = date;
    change.archive = &archive_;
    change.hindsight = true;
    change.before.name = "JAX of " + formatDate(previous);
    change.before.buildDate = previous;
    change.before.*range = before;
    change.after.name = source;
    change.after.buildDate = date;
    change.after.*range = now;
    change.builds = builds_;
    change.builds.insert(change.builds.end(), periods_.begin(), periods_.end());
    sortByDate(change.builds);
    std::vector<Finding> findings;
    RETURN_IF_ERROR(within(what, check(change, findings)));
    out_.push_back({date, std::move(what), std::move(source), concluded(std::move(findings))});
    return {};
  }

  Status judgeDefaults() {
    bool isFirst = true;
    for (const VersionFacts& facts : facts_.callingConventions) {
      if (!facts.byDefault) continue;
      const Date date = *facts.byDefault, previous = date - days(1);
      VersionRange before = conventionsOn(previous), now = conventionsOn(date);
      before.newestSince = now.newestSince = facts.consumer;
      // Other versions that were read at the time do not affect when this one became the default.
      before.newest = std::min(before.newest, facts.version);
      now.newest = facts.version;
      const bool known = !isFirst && before.known();
      isFirst = false;
      if (!known) continue;  // There was no default before it.
      RETURN_IF_ERROR(judge(
          kConventions, checkCallingConventionDefault, date, previous, before, now,
          fmt::format("calling convention {} becomes the default", facts.version), "the facts"));
    }
    return {};
  }

  Status judgeDrops() {
    for (const VersionFacts& facts : facts_.callingConventions) {
      for (const std::optional<Date>& day : {facts.dropped, facts.onlyOne}) {
        if (!day) continue;
        const VersionRange before = conventionsOn(*day - days(1)), now = conventionsOn(*day);
        RETURN_IF_ERROR(judge(
            kConventions, checkCallingConventionMinimum, *day, *day - days(1), before, now,
            fmt::format("calling conventions below {} are dropped", now.oldest), "the facts"));
      }
    }
    return {};
  }

  // From one release to the next; a release of an older series changes nothing.
  Status judgeReleases() {
    const RuntimeDescription* previous = nullptr;
    for (const RuntimeDescription& release : builds_) {
      if (!release.name.starts_with("jax ")) continue;
      if (previous != nullptr) {
        ASSIGN_OR_RETURN(const auto older, parsePackageVersion(previous->version));
        ASSIGN_OR_RETURN(const auto newer, parsePackageVersion(release.version));
        if (newer < older) continue;
        RETURN_IF_ERROR(judgeRelease(*previous, release));
      }
      previous = &release;
    }
    return {};
  }

  Status judgeRelease(const RuntimeDescription& previous, const RuntimeDescription& release) {
    VersionRange before = previous.callingConvention, now = release.callingConvention;
    if (before.known() && now.oldest > before.oldest) {
      before.byDefault = conventionsOn(previous.day()).byDefault;
      now.byDefault = conventionsOn(release.day()).byDefault;
      RETURN_IF_ERROR(judge(
          kConventions, checkCallingConventionMinimum, release.day(), previous.day(), before, now,
          fmt::format("calling conventions below {} are dropped", now.oldest), release.name));
    }
    const int then = previous.serialization.newest, version = release.serialization.newest;
    if (then == 0 || version <= then) return {};
    before = {1, then, then, {}};
    now = {1, version, version, {}};
    const auto facts = std::ranges::find(facts_.serializations, version, &VersionFacts::version);
    if (facts != facts_.serializations.end()) now.newestSince = facts->consumer;
    return judge(&RuntimeDescription::serialization, checkSerializationDefault, release.day(),
                 previous.day(), before, now,
                 fmt::format("serialization version {} becomes the default", version),
                 release.name);
  }

  const FormatFacts& facts_;
  const std::vector<RuntimeDescription>& builds_;
  ArchivedFacts& archive_;
  std::vector<RuntimeDescription> periods_;
  std::vector<JudgedVersionChange> out_;
};

}  // namespace

Result<FormatFacts> parseFormatFacts(std::string_view text, std::string_view name) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return badInput("{}: this is not a JSON object", name);
  FormatFacts facts;
  for (auto [key, list] : {std::pair{"calling_conventions", &facts.callingConventions},
                           {"serialization_versions", &facts.serializations}})
    RETURN_IF_ERROR(within(std::string(name), readVersions(document, key, *list)));
  return facts;
}

Result<std::vector<JudgedVersionChange>> judgeVersionHistory(
    const FormatFacts& facts, const std::vector<RuntimeDescription>& builds,
    ArchivedFacts& archive) {
  return Historian(facts, builds, archive).judgeAll();
}

}  // namespace vintage::harness
