#include "harness/replay/suspects.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "golden/tensor/element_type.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// Attributes are uniqued for as long as a context lives.
constexpr size_t kProgramsPerContext = 2'000;

// Attributes that make one operation several.
constexpr const char* kKinds[] = {"comparison_direction", "fft_type", "rng_algorithm"};

bool isUninteresting(const std::string& name) {
  return name == "stablehlo.constant" || name == "stablehlo.return" || name == "func.return" ||
         name == "func.call";
}

std::string detailedName(const Operation& operation) {
  if (const auto target = operation.attributes.find("call_target_name");
      target != operation.attributes.end())
    if (const auto* text = std::get_if<std::string>(&target->second.value))
      return fmt::format("{} @{}", operation.name, *text);
  for (const char* kind : kKinds)
    if (const auto found = operation.attributes.find(kind); found != operation.attributes.end())
      if (const auto* text = std::get_if<std::string>(&found->second.value))
        return fmt::format("{} {}", operation.name, *text);
  return operation.name;
}

// The only operation of a region besides its terminator; empty where there are more.
std::string onlyOperation(const Region& region) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.size() != 2) return {};
  return region.blocks[0].operations[0].name;
}

class Walk {
 public:
  explicit Walk(const ModuleTree& tree) {
    for (const Function& function : tree.functions) {
      function_ = &function;
      visit(function.body);
    }
  }
  std::set<std::string> features;
  size_t operations = 0;

 private:
  // `folded`: the region of one operation, which its owner's feature covers.
  void visit(const Region& region, bool folded = false) {
    for (const Block& block : region.blocks)
      for (const Operation& operation : block.operations) {
        if (isUninteresting(operation.name)) continue;
        ++operations;
        if (!folded) add(operation);
        for (const Region& nested : operation.regions)
          visit(nested, !onlyOperation(nested).empty());
      }
  }

  void add(const Operation& operation) {
    const std::string name = detailedName(operation);
    features.insert(name);
    if (!operation.operands.empty()) {
      const ValueType& type = function_->valueTypes.at(operation.operands[0]);
      if (type.kind == ValueType::Kind::kTensor)
        features.insert(fmt::format("{} of {}", name, stablehloName(type.element)));
    }
    for (const Region& region : operation.regions)
      if (const std::string only = onlyOperation(region); !only.empty())
        features.insert(fmt::format("{} over {}", name, only));
  }

  const Function* function_ = nullptr;
};

// The largest chance with which an operation is called a suspect.
constexpr double kSignificant = 0.05;

double logChoose(size_t n, size_t k) {
  const auto logFactorial = [](size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

struct Holders {
  size_t failing = 0, all = 0;
  double chance = 1;        // As in Suspect.
  bool inSmallest = false;  // In a failing program with the fewest operations, and a suspect.
  bool isSuspect() const { return chance < kSignificant; }
};

using Table = std::map<std::string_view, Holders>;

Table countHolders(std::span<const ExaminedArtifact* const> artifacts, size_t failed) {
  Table table;
  for (const ExaminedArtifact* artifact : artifacts)
    for (const std::string& feature : artifact->program.features) {
      Holders& holders = table[feature];
      ++holders.all;
      holders.failing += artifact->failed ? 1 : 0;
    }
  const auto tried = std::ranges::count_if(
      table, [](const Holders& holders) { return holders.failing > 0; },
      &Table::value_type::second);
  for (auto& [feature, holders] : table)
    holders.chance =
        std::min(1.0, static_cast<double>(tried) *
                          chanceOf(holders.failing, holders.all, failed, artifacts.size()));
  return table;
}

void markSmallest(std::span<const ExaminedArtifact* const> artifacts, Table& table) {
  const auto isSuspect = [&](const std::string& feature) { return table[feature].isSuspect(); };
  size_t fewest = std::numeric_limits<size_t>::max();
  for (const ExaminedArtifact* artifact : artifacts)
    if (artifact->failed && std::ranges::any_of(artifact->program.features, isSuspect))
      fewest = std::min(fewest, artifact->program.operations);
  for (const ExaminedArtifact* artifact : artifacts) {
    if (!artifact->failed || artifact->program.operations != fewest) continue;
    for (const std::string& feature : artifact->program.features)
      table[feature].inSmallest |= isSuspect(feature);
  }
}

bool holds(const ExaminedArtifact& artifact, const std::string& feature) {
  return std::binary_search(artifact.program.features.begin(), artifact.program.features.end(),
                            feature);
}

// The most suspect operation. Ties go to the shorter name.
std::optional<Suspect> mostSuspect(const Table& table, size_t failed) {
  const Table::value_type* best = nullptr;
  double bestScore = 0;
  for (const auto& entry : table) {
    const Holders& holders = entry.second;
    if (!holders.inSmallest) continue;
    const double score = static_cast<double>(holders.failing) /
                         std::sqrt(static_cast<double>(failed) * static_cast<double>(holders.all));
    const bool better = best == nullptr || score > bestScore ||
                        (score == bestScore && entry.first.size() < best->first.size());
    if (!better) continue;
    best = &entry;
    bestScore = score;
  }
  if (best == nullptr) return std::nullopt;
  Suspect suspect;
  suspect.operation = best->first;
  suspect.failing = best->second.failing;
  suspect.holding = best->second.all;
  suspect.chance = best->second.chance;
  return suspect;
}

}  // namespace

OperationFeatures operationFeatures(const ModuleTree& tree) {
  const Walk walk(tree);
  return {{walk.features.begin(), walk.features.end()}, walk.operations};
}

double chanceOf(size_t failing, size_t holding, size_t failed, size_t all) {
  if (failing * all <= holding * failed) return 1;  // They fail no more often than the others.
  double term = std::exp(logChoose(failed, failing) + logChoose(all - failed, holding - failing) -
                         logChoose(all, holding));
  double tail = 0;
  for (size_t k = failing; k <= std::min(holding, failed); ++k) {
    tail += term;
    term *= static_cast<double>((failed - k) * (holding - k)) /
            static_cast<double>((k + 1) * (all + k + 1 - failed - holding));
  }
  return std::min(tail, 1.0);
}

std::vector<Suspect> rankSuspects(std::span<const ExaminedArtifact> artifacts, size_t longest) {
  std::vector<const ExaminedArtifact*> left;
  for (const ExaminedArtifact& artifact : artifacts) left.push_back(&artifact);
  std::vector<Suspect> suspects;
  while (suspects.size() < longest) {
    const auto failed = static_cast<size_t>(
        std::count_if(left.begin(), left.end(), [](const auto* each) { return each->failed; }));
    Table table = countHolders(left, failed);
    markSmallest(left, table);
    auto suspect = mostSuspect(table, failed);
    if (!suspect) break;
    size_t fewest = std::numeric_limits<size_t>::max();
    for (const ExaminedArtifact* each : left) {
      if (!each->failed || !holds(*each, suspect->operation)) continue;
      if (each->program.operations < fewest) {
        fewest = each->program.operations;
        suspect->primitives.clear();
        suspect->simplest = each->name;
      }
      if (each->program.operations == fewest && !each->primitive.empty())
        suspect->primitives.push_back(each->primitive);
    }
    std::ranges::sort(suspect->primitives);
    const auto repeated = std::ranges::unique(suspect->primitives);
    suspect->primitives.erase(repeated.begin(), repeated.end());
    std::erase_if(left, [&](const ExaminedArtifact* each) {
      return each->failed && holds(*each, suspect->operation);
    });
    suspects.push_back(std::move(*suspect));
  }
  return suspects;
}

Result<std::vector<Suspect>> findSuspects(const Archive& archive, std::span<const Pair> pairs) {
  const auto fails = [](const Pair& pair) { return pair.cell == Cell::kFail; };
  if (std::ranges::none_of(pairs, fails)) return std::vector<Suspect>();
  // A worker got beyond reading it, so this process will.
  const auto wasLoaded = [](const Pair& pair) {
    const OutcomeRecord& outcome = pair.outcome;
    return !isFailure(outcome.outcome) || outcome.stage == Stage::kRun ||
           outcome.stage == Stage::kCompare;
  };
  struct Loaded {
    SharedRecord record;
    bool failed = false;
  };
  std::map<ContentId, Loaded> loaded;
  for (const Pair& pair : pairs) {
    if (!wasLoaded(pair)) continue;
    Loaded& artifact = loaded[pair.artifact->id];
    artifact.record = pair.artifact;
    artifact.failed |= fails(pair);
  }
  std::optional<ProgramContext> context;
  size_t read = 0;
  std::vector<ExaminedArtifact> artifacts;
  for (const auto& [id, one] : loaded) {
    if (read++ % kProgramsPerContext == 0) context.emplace();
    ASSIGN_OR_RETURN(auto bytes, archive.read(id));
    ExaminedArtifact artifact{one.record->name, one.record->primitive, {}, one.failed};
    if (one.record->format == ArtifactRecord::Format::kExported) {
      auto exported = readExported(bytes, artifact.name);
      if (!exported) continue;
      bytes = std::move(exported->module);
    }
    auto program = context->readPortableArtifact(bytes, artifact.name);
    if (!program) continue;
    auto tree = program->tree();
    if (!tree) continue;
    artifact.program = operationFeatures(*tree);
    artifacts.push_back(std::move(artifact));
  }
  return rankSuspects(artifacts);
}

}  // namespace vintage::harness
