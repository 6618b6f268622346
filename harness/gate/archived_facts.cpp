#include "harness/gate/archived_facts.h"

#include <map>

#include <nlohmann/json.hpp>

#include "golden/exported/exported.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// The fields that the gate filters by.
std::string keyOf(const ArtifactFilter& filter) {
  nlohmann::json key = {filter.names,
                        filter.platforms,
                        filter.customCallTargets,
                        filter.producers,
                        filter.builtFrom ? formatDate(*filter.builtFrom) : "",
                        filter.builtUntil ? formatDate(*filter.builtUntil) : "",
                        filter.oldestCallingConvention.value_or(-1),
                        filter.newestCallingConvention.value_or(-1)};
  return key.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class FactsOfArchive final : public ArchivedFacts {
 public:
  explicit FactsOfArchive(const Archive& archive) : archive_(archive) {}

  Result<std::vector<ArtifactRecord>> artifacts(const ArtifactFilter& filter) override {
    const std::string key = keyOf(filter);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    auto records = archive_.list(filter);
    if (records) known_[key] = *records;
    return records;
  }

  Result<std::vector<std::string>> disabledTargets(const ArtifactRecord& artifact) override {
    if (artifact.format != ArtifactRecord::Format::kExported)
      return failure(Error::Kind::kUnsupported, artifact.name + " is not an Exported");
    ASSIGN_OR_RETURN(auto bytes, archive_.read(artifact.id));
    ASSIGN_OR_RETURN(auto exported, readExported(bytes, artifact.name));
    std::vector<std::string> targets;
    for (const DisabledSafetyCheck& check : exported.disabledChecks)
      if (check.kind == DisabledSafetyCheck::Kind::kCustomCall)
        targets.push_back(check.customCallTarget);
    return targets;
  }

  Result<std::vector<OutcomeRecord>> outcomes(const std::string& build) override {
    OutcomeFilter filter;
    filter.builds = {build};
    return archive_.outcomes(filter);
  }

 private:
  const Archive& archive_;
  std::map<std::string, std::vector<ArtifactRecord>> known_;
};

class NoFacts final : public ArchivedFacts {
 public:
  Result<std::vector<ArtifactRecord>> artifacts(const ArtifactFilter&) override {
    return std::vector<ArtifactRecord>{};
  }
  Result<std::vector<std::string>> disabledTargets(const ArtifactRecord&) override {
    return std::vector<std::string>{};
  }
  Result<std::vector<OutcomeRecord>> outcomes(const std::string&) override {
    return std::vector<OutcomeRecord>{};
  }
};

}  // namespace

std::unique_ptr<ArchivedFacts> noArchivedFacts() { return std::make_unique<NoFacts>(); }

std::unique_ptr<ArchivedFacts> archivedFacts(const Archive& archive) {
  return std::make_unique<FactsOfArchive>(archive);
}

}  // namespace vintage::harness
