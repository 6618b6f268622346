#include "golden/kernels/mosaic_versions.h"

#include <map>
#include <string_view>
#include <vector>

#include "golden/base/failures.h"

namespace vintage::golden {

namespace {

constexpr std::string_view kSegments = "operandSegmentSizes";

using Sizes = std::vector<int64_t>;

std::optional<Sizes> segmentsOf(const Operation& operation) {
  const auto found = operation.attributes.find(kSegments);
  if (found == operation.attributes.end()) return std::nullopt;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&found->second.value)) return *list;
  const auto* tensor = std::get_if<Tensor>(&found->second.value);
  if (!tensor || tensor->type() != ElementType::kI32) return std::nullopt;
  const auto values = tensor->values<int32_t>();
  return Sizes(values.begin(), values.end());
}

Status setSegments(Operation& operation, Sizes sizes, size_t groups) {
  sizes.resize(std::max(sizes.size(), groups), 0);
  int64_t total = 0;
  for (int64_t size : sizes) total += size < 0 ? INT32_MAX : size;
  if (sizes.size() != groups || total != static_cast<int64_t>(operation.operands.size()))
    return badInput("{} has {} operands in groups of {}; {} groups are known", operation.name,
                    operation.operands.size(), fmt::join(sizes, ", "), groups);
  operation.attributes.insert_or_assign(std::string(kSegments), Attribute(std::move(sizes)));
  return {};
}

// The groups of an operation: how many there are now, and for each number of operands the groups
// that an operation without segments had.
struct Groups {
  size_t count;
  std::map<size_t, Sizes> unstated;
};

const Groups* groupsOf(std::string_view name) {
  static const std::map<std::string_view, Groups> kGroups = {
      // Source, its semaphore, target, its semaphore, device, core, subcore.
      {"tpu.enqueue_dma", {7, {{3, {1, 0, 1, 1}}, {5, {1, 1, 1, 1, 1}}}}},
      // Before there were segments this waited for a semaphore and a target.
      {"tpu.wait_dma", {7, {{2, {0, 0, 1, 1}}}}},
      // Semaphore, source, target, device, core.
      {"tpu.wait_dma2", {5, {{3, {1, 1, 1}}}}},
      // Semaphore, amount, device, core, subcore.
      {"tpu.sem_signal", {5, {{2, {1, 1}}, {3, {1, 1, 1}}}}},
      // Memref, offset, sizes.
      {"tpu.reinterpret_cast", {3, {{1, {1}}, {2, {1, 1}}}}},
  };
  const auto found = kGroups.find(name);
  return found == kGroups.end() ? nullptr : &found->second;
}

Status upgradeSegments(Operation& operation) {
  // As MLIR wrote it until the end of 2023.
  if (auto old = operation.attributes.extract("operand_segment_sizes"); !old.empty()) {
    old.key() = kSegments;
    operation.attributes.insert(std::move(old));
  }
  const Groups* groups = groupsOf(operation.name);
  if (!groups) return {};
  auto sizes = segmentsOf(operation);
  if (!sizes) {
    const auto usual = groups->unstated.find(operation.operands.size());
    if (usual == groups->unstated.end())
      return badInput("{} has {} operands and no {}", operation.name, operation.operands.size(),
                      kSegments);
    sizes = usual->second;
    // The semaphore came first, and its target after it.
    if (operation.name == "tpu.wait_dma") std::swap(operation.operands[0], operation.operands[1]);
  }
  return setSegments(operation, std::move(*sizes), groups->count);
}

// One dimension became a list of them.
void upgradeDimension(Operation& operation) {
  auto old = operation.attributes.extract("dimension");
  if (old.empty() || operation.attributes.contains("dimensions")) return;
  if (const auto* dimension = std::get_if<int64_t>(&old.mapped().value))
    operation.attributes.emplace("dimensions", Attribute(std::vector<int64_t>{*dimension}));
}

Status upgradeRegion(Region& region, int64_t version) {
  for (Block& block : region.blocks) {
    for (Operation& operation : block.operations) {
      RETURN_IF_ERROR(upgradeSegments(operation));
      if ((version < 6 && operation.name == "tpu.iota") ||
          (version < 5 && operation.name == "tpu.dynamic_gather"))
        upgradeDimension(operation);
      for (Region& nested : operation.regions) RETURN_IF_ERROR(upgradeRegion(nested, version));
    }
  }
  return {};
}

}  // namespace

Status upgradeMosaicKernel(ModuleTree& kernel, int64_t version) {
  for (Function& function : kernel.functions)
    RETURN_IF_ERROR(within("@" + function.name, upgradeRegion(function.body, version)));
  return {};
}

}  // namespace vintage::golden
