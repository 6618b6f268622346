#include "harness/judge/tables/propose.h"

#include <algorithm>
#include <regex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "archive/records/dtype_sets.h"
#include "golden/base/utf8.h"
#include "harness/judge/tables/known_issues.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kLongestMessage = 160;
constexpr int64_t kFewestOfAProducer = 10;  // Fewer say nothing about a whole producer.

using Results = std::vector<const Pair*>;

// "/folder/export.py:60:11: ", a place in the source from which it was exported.
std::string withoutPlaces(const std::string& line) {
  static const std::regex kPlace(R"((^|\s)/\S+:\d+:\d+:(\s|$))");
  return std::regex_replace(line, kPlace, "$1");
}

std::string firstLine(const std::string& detail) {
  return shortened(withoutPlaces(detail.substr(0, detail.find('\n'))), kLongestMessage);
}

// "operation-unknown" of "operation or attribute unknown"
std::string slugOf(FailureClass failure) {
  if (failure == FailureClass::kOperationUnknown) return "operation-unknown";
  if (failure == FailureClass::kExpired) return "expired";
  std::string slug(failureClassName(failure));
  std::ranges::replace(slug, ' ', '-');
  return slug;
}

// The values that separate failing uses from passing ones. Empty: nothing passes.
struct Separation {
  std::vector<std::string> dtypes, variants, artifacts;
  auto operator<=>(const Separation&) const = default;
};

std::set<std::string> dtypesOf(const ArtifactRecord& artifact) {
  std::set<std::string> dtypes;
  for (const std::string& dtype : artifact.dtypes) dtypes.insert(jaxDtype(dtype));
  return dtypes;
}

template <typename ValuesOf>
std::set<std::string> valuesOf(const Results& results, const ValuesOf& values) {
  std::set<std::string> all;
  for (const Pair* result : results) all.merge(values(*result->artifact));
  return all;
}

// The values that only failing uses have, if each of those has one.
template <typename ValuesOf>
std::set<std::string> separating(const Results& failing, const Results& passing,
                                 const ValuesOf& values) {
  std::set<std::string> only = valuesOf(failing, values);
  for (const std::string& value : valuesOf(passing, values)) only.erase(value);
  const bool tells = std::ranges::all_of(failing, [&](const Pair* result) {
    return std::ranges::any_of(values(*result->artifact),
                               [&](const std::string& value) { return only.contains(value); });
  });
  return tells ? only : std::set<std::string>();
}

Separation separationOf(const Results& failing, const Results& passing) {
  Separation separation;
  if (passing.empty()) return separation;
  if (const auto dtypes = separating(failing, passing, dtypesOf); !dtypes.empty()) {
    separation.dtypes = compressDtypes(dtypes);
    return separation;
  }
  const auto variantOf = [](const ArtifactRecord& artifact) {
    return std::set<std::string>{artifact.variant};
  };
  if (const auto variants = separating(failing, passing, variantOf); !variants.empty()) {
    separation.variants.assign(variants.begin(), variants.end());
    return separation;
  }
  std::set<std::string> names;
  for (const Pair* result : failing) names.insert(artifactAtProducer(*result->artifact));
  separation.artifacts.assign(names.begin(), names.end());
  return separation;
}

class Proposer {
 public:
  Proposer(const ConsumerTable& table, std::span<const Limitation> declared,
           const ProposalChoice& choice)
      : table_(table), declared_(declared), choice_(choice) {}

  Proposals run() {
    for (const Pair& result : table_.results) sort(result);
    proposeProducers();
    proposePrimitives();
    finish();
    proposals_.needless = needlessAmong(declared_, table_, choice_.today);
    return std::move(proposals_);
  }

 private:
  // The subject of a declaration. Modes of a build with the same subject share one declaration, and
  // so do builds with the same modes.
  struct Subject {
    std::string primitive, producer, platform;
    FailureClass failure = FailureClass::kUnknown;
    Separation separation;
    auto operator<=>(const Subject&) const = default;
  };
  struct Draft {
    std::set<std::string> builds, modes;
    std::set<SharedRecord> artifacts;
    const Pair* example = nullptr;
  };
  // How the uses of one column ended.
  struct Outcomes {
    Results passing;
    std::map<FailureClass, Results> failing;
  };

  void sort(const Pair& result) {
    const OutcomeRecord& outcome = result.outcome;
    const auto failure = failureClassOf(outcome);
    if (outcome.outcome == OutcomeKind::kRunnerError) return;
    if (failure) {
      // As it is declared now, whatever was declared when it ran.
      if (!outcome.limitation.empty() && !isOfConsumers(outcome.limitation)) return;
      if (match(declared_, *result.artifact, outcome, choice_.today)) return;
      ++proposals_.failing;
      if (*failure == FailureClass::kUnknown) {
        ++proposals_.unclassified;
        return;
      }
    }
    for (Outcomes* outcomes : {&ofPrimitive_[keyOf(result.artifact->primitive, result)],
                               &ofProducer_[keyOf(result.artifact->producer, result)]})
      (failure ? outcomes->failing[*failure] : outcomes->passing).push_back(&result);
  }

  // Whether an outcome was recorded under a limitation of this archive's consumers.
  bool isOfConsumers(const std::string& id) const {
    return std::ranges::any_of(declared_, [&](const Limitation& one) { return one.id == id; });
  }

  // Where nothing of a producer passes in a column, its versions are to blame, not its primitives.
  void proposeProducers() {
    for (const auto& [key, outcomes] : ofProducer_) {
      const auto& [producer, build, platform, mode] = key;
      if (!outcomes.passing.empty()) continue;
      for (const FailureClass failure :
           {FailureClass::kVersionNotReadable, FailureClass::kOperationUnknown}) {
        const auto found = outcomes.failing.find(failure);
        if (found == outcomes.failing.end() ||
            static_cast<int64_t>(found->second.size()) < kFewestOfAProducer)
          continue;
        draft({"", producer, platform, failure, {}}, found->second);
        taken_.insert(found->second.begin(), found->second.end());
      }
    }
  }

  void proposePrimitives() {
    for (const auto& [key, outcomes] : ofPrimitive_) {
      const auto& [primitive, build, platform, mode] = key;
      for (const auto& [failure, results] : outcomes.failing) {
        Results failing;
        std::ranges::copy_if(results, std::back_inserter(failing),
                             [&](const Pair* one) { return !taken_.contains(one); });
        if (failing.empty()) continue;
        Separation separation = separationOf(failing, outcomes.passing);
        // Artifacts without a primitive have nothing in common but how they fail.
        if (primitive.empty() && separation == Separation()) {
          for (const Pair* one : failing)
            separation.artifacts.push_back(artifactAtProducer(*one->artifact));
          std::ranges::sort(separation.artifacts);
        }
        draft({primitive, "", platform, failure, std::move(separation)}, failing);
      }
    }
  }

  void draft(const Subject& subject, const Results& failing) {
    for (const Pair* result : failing) {
      Draft& draft = drafts_[{subject, result->outcome.build}];
      draft.modes.insert(result->outcome.mode);
      draft.artifacts.insert(result->artifact);
      if (draft.example == nullptr || result->artifact->name < draft.example->artifact->name)
        draft.example = result;
    }
  }

  void finish() {
    std::map<std::pair<Subject, std::set<std::string>>, Draft> merged;  // By modes.
    for (auto& [key, draft] : drafts_) {
      Draft& all = merged[{key.first, draft.modes}];
      all.builds.insert(key.second);
      all.artifacts.merge(draft.artifacts);
      if (all.example == nullptr) all.example = draft.example;
    }
    for (const auto& [key, draft] : merged)
      proposals_.declare.push_back(finished(key.first, key.second, draft));
  }

  Limitation finished(const Subject& subject, const std::set<std::string>& modes,
                      const Draft& draft) {
    Limitation limitation;
    const OutcomeRecord& outcome = draft.example->outcome;
    limitation.failureClass = subject.failure;
    limitation.consumers.assign(draft.builds.begin(), draft.builds.end());
    if (!subject.producer.empty()) limitation.producers = {subject.producer};
    limitation.artifacts = subject.separation.artifacts;
    limitation.evidence = {static_cast<int64_t>(draft.artifacts.size()),
                           artifactAtProducer(*draft.example->artifact), firstLine(outcome.detail)};
    limitation.primitive = subject.primitive;
    limitation.dtypes = subject.separation.dtypes;
    limitation.variants = subject.separation.variants;
    limitation.platforms = {subject.platform};
    limitation.modes.assign(modes.begin(), modes.end());
    limitation.id = newId(fmt::format(
        "{}-{}-{}", limitation.consumers.back(),
        subject.producer.empty() ? subject.primitive : subject.producer, slugOf(subject.failure)));
    limitation.description =
        fmt::format("{}: {}", failureClassName(subject.failure), limitation.evidence.message);
    limitation.issue = knownIssue(outcome.build, outcome.detail);
    limitation.since = formatDate(choice_.today);
    limitation.until = formatDate(choice_.today + std::chrono::days(choice_.expiresAfterDays));
    return limitation;
  }

  std::string newId(std::string id) {
    std::ranges::replace(id, ' ', '-');
    const auto isKnown = [&](const std::string& one) { return isOfConsumers(one); };
    std::string unique = id;
    for (int number = 2; isKnown(unique) || !ids_.insert(unique).second; ++number)
      unique = fmt::format("{}-{}", id, number);
    return unique;
  }

  // Primitive or producer, and column: build, platform and mode.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static Key keyOf(const std::string& name, const Pair& result) {
    return {name, result.outcome.build, result.outcome.platform, result.outcome.mode};
  }
  const ConsumerTable& table_;
  std::span<const Limitation> declared_;
  const ProposalChoice& choice_;
  std::map<Key, Outcomes> ofPrimitive_, ofProducer_;
  std::set<const Pair*> taken_;
  std::map<std::pair<Subject, std::string>, Draft> drafts_;  // By build.
  std::set<std::string> ids_;
  Proposals proposals_;
};

}  // namespace

Proposals proposeLimitations(const ConsumerTable& table, std::span<const Limitation> declared,
                             const ProposalChoice& choice) {
  return Proposer(table, declared, choice).run();
}

std::vector<Limitation> asProposed(std::span<const Limitation> declared,
                                   const Proposals& proposals) {
  std::vector<Limitation> list;
  for (const Limitation& limitation : declared) {
    const auto needless =
        std::ranges::find(proposals.needless, limitation.id, &NeedlessLimitation::id);
    // One that is too wide is still needed for what fails.
    if (needless == proposals.needless.end() || needless->failing > 0) list.push_back(limitation);
  }
  list.insert(list.end(), proposals.declare.begin(), proposals.declare.end());
  return list;
}

}  // namespace vintage::harness
