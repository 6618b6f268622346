#include "harness/runtimes/embedded/sharding_rule.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace vintage::harness {
using namespace golden;

namespace {

// Reads the text of a rule from its front.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  bool skip(std::string_view word) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // "i", or "z_1": a letter, and a number where there are more factors than letters.
  std::string factor() {
    skip("");
    size_t size = !rest_.empty() && rest_[0] >= 'a' && rest_[0] <= 'z' ? 1 : 0;
    if (size == 1 && rest_.substr(1).starts_with('_')) {
      ++size;
      while (size < rest_.size() && rest_[size] >= '0' && rest_[size] <= '9') ++size;
    }
    const std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }
  std::optional<int64_t> number() {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }
  // Calls `read` for each element of "a, b" up to `end`; false where one is wrong.
  template <typename Read>
  bool list(std::string_view end, Read read) {
    if (skip(end)) return true;
    do {
      if (!read()) return false;
    } while (skip(","));
    return skip(end);
  }

 private:
  std::string_view rest_;
};

using Names = std::map<std::string, size_t, std::less<>>;

// "[i, jk]"; a dimension without factors is empty.
bool readDimensions(RuleReader& reader, Names& names, ShardingRule::Dimensions& dimensions) {
  return reader.skip("[") && reader.list("]", [&] {
    auto& factors = dimensions.emplace_back();
    for (std::string name = reader.factor(); !name.empty(); name = reader.factor())
      factors.push_back(names.try_emplace(std::move(name), names.size()).first->second);
    return true;
  });
}

bool readMappings(RuleReader& reader, Names& names, std::vector<ShardingRule::Dimensions>& values) {
  return reader.skip("(") &&
         reader.list(")", [&] { return readDimensions(reader, names, values.emplace_back()); });
}

// A factor that the axes of a dimension split from its front on.
using SplitFactors = std::map<size_t, std::vector<size_t>>;

// Axes go to the factors of a dimension, major first, as far as whole axes split whole parts.
void splitFactors(const ShardingRule& rule, const std::vector<size_t>& dimension,
                  const DevicePlacement& placement, std::span<const size_t> axes,
                  SplitFactors& found) {
  SplitFactors own;
  auto axis = axes.begin();
  for (const size_t factor : dimension) {
    int64_t left = rule.factors[factor].size;
    for (; axis != axes.end() && left > 1; ++axis) {
      const int64_t size = placement.mesh.sizes[*axis];
      if (left % size != 0) break;
      left /= size;
      own[factor].push_back(*axis);
    }
    if (left > 1) break;
  }
  for (auto& [factor, taken] : own)
    if (!rule.factors[factor].isWhole) found.try_emplace(factor, std::move(taken));
}

DevicePlacement placed(const ShardingRule& rule, const ShardingRule::Dimensions& dimensions,
                       const SplitFactors& split, const DeviceMesh& mesh) {
  DevicePlacement placement{mesh, {}, {}};
  std::vector<bool> taken(mesh.sizes.size());
  for (const std::vector<size_t>& factors : dimensions) {
    std::vector<size_t>& axes = placement.axes.emplace_back();
    for (const size_t factor : factors) {
      const auto found = split.find(factor);
      int64_t left = rule.factors[factor].size;
      if (found != split.end()) {
        if (std::ranges::any_of(found->second, [&](size_t axis) { return taken[axis]; })) break;
        for (const size_t axis : found->second) {
          taken[axis] = true;
          axes.push_back(axis);
          left /= mesh.sizes[axis];
        }
      }
      // A minor factor can be split only where those before it are split to the end.
      if (left > 1) break;
    }
  }
  return placement;
}

}  // namespace

std::optional<ShardingRule> parseShardingRule(std::string_view text) {
  RuleReader reader(text);
  ShardingRule rule;
  Names names;
  if (!reader.skip("#sdy.op_sharding_rule<") || !readMappings(reader, names, rule.operands) ||
      !reader.skip("->") || !readMappings(reader, names, rule.results))
    return std::nullopt;
  rule.factors.resize(names.size());
  const auto known = [&]() -> ShardingRule::Factor* {
    const auto found = names.find(reader.factor());
    return found == names.end() ? nullptr : &rule.factors[found->second];
  };
  const bool hasSizes = reader.skip("{") && reader.list("}", [&] {
    ShardingRule::Factor* factor = known();
    const auto size = reader.skip("=") ? reader.number() : std::nullopt;
    if (factor == nullptr || !size || *size < 1) return false;
    factor->size = *size;
    return true;
  });
  if (!hasSizes && !names.empty()) return std::nullopt;
  const auto group = [&](bool isWhole) {
    return reader.skip("={") && reader.list("}", [&] {
      ShardingRule::Factor* factor = known();
      if (factor != nullptr) factor->isWhole |= isWhole;
      return factor != nullptr;
    });
  };
  for (;;) {
    reader.skip(",");
    if (reader.skip(">")) return rule;
    if (reader.skip("custom")) continue;
    const bool isWhole = reader.skip("need_replication") || reader.skip("blocked_propagation");
    if (!isWhole && !reader.skip("reduction") && !reader.skip("permutation")) return std::nullopt;
    if (!group(isWhole)) return std::nullopt;
  }
}

std::vector<OpenPlacement> placedByRule(const ShardingRule& rule,
                                        std::span<const OpenPlacement> operands) {
  std::vector<OpenPlacement> results(rule.results.size());
  SplitFactors split;
  const DeviceMesh* mesh = nullptr;
  for (size_t i = 0; i < operands.size() && i < rule.operands.size(); ++i) {
    const OpenPlacement& operand = operands[i];
    const ShardingRule::Dimensions& dimensions = rule.operands[i];
    if (!operand || operand->rank() != dimensions.size()) continue;
    if (mesh == nullptr) mesh = &operand->mesh;
    if (mesh->sizes != operand->mesh.sizes || mesh->devices != operand->mesh.devices) continue;
    for (size_t d = 0; d < dimensions.size(); ++d)
      splitFactors(rule, dimensions[d], *operand, operand->axes[d], split);
  }
  for (size_t i = 0; mesh != nullptr && i < results.size(); ++i)
    results[i] = placed(rule, rule.results[i], split, *mesh);
  return results;
}

}  // namespace vintage::harness
