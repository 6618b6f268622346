#include "harness/engine/planner.h"

#include "golden/base/failures.h"
#include "harness/engine/frame_planner.h"
#include "harness/engine/plan.h"
#include "harness/engine/region_queries.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Deeper nesting is refused: planning and running recurse once for each level.
constexpr int kDeepestNesting = 200;

}  // namespace

tl::unexpected<Error> malformed(const Operation& operation, std::string_view what) {
  return badInput("{}: {}", operation.name, what);
}

Result<std::shared_ptr<const FramePlan>> ModulePlanner::planFunction(const std::string& name) {
  const auto known = planned_.find(name);
  if (known != planned_.end()) {
    if (known->second != nullptr) return known->second;
    return badInput("@{} calls itself; StableHLO has no recursion", name);
  }
  const Function* function = module_.find(name);
  if (function == nullptr || function->body.blocks.empty())
    return badInput("the module has no {} @{}",
                    function == nullptr ? "function" : "body for the function", name);
  if (deeperThan(function->body, kDeepestNesting) || depth_ >= kDeepestNesting)
    return noResource("@{} nests regions or calls more than {} deep", name, kDeepestNesting);
  if (function->body.blocks[0].arguments.size() != function->argumentTypes.size())
    return badInput("@{} declares {} arguments and its body takes {}", name,
                    function->argumentTypes.size(), function->body.blocks[0].arguments.size());
  planned_.emplace(name, nullptr);
  ++depth_;
  auto frame = FramePlanner(*this, *function).plan(function->body, {}, {});
  --depth_;
  if (!frame) return tl::unexpected(frame.error());
  if (frame->block.results.size() != function->resultTypes.size())
    return badInput("@{} declares {} results and returns {}", name, function->resultTypes.size(),
                    frame->block.results.size());
  auto shared = std::make_shared<const FramePlan>(std::move(*frame));
  planned_[name] = shared;
  return shared;
}

Result<RegionPlan> ModulePlanner::planAsRegion(const std::string& name) {
  ASSIGN_OR_RETURN(auto frame, planFunction(name));
  const Function& function = *module_.find(name);
  RegionPlan plan;
  plan.frame = std::move(frame);
  plan.program = ScalarProgram::make(function.body, function.valueTypes, {}, {});
  plan.shortcut = shortcutOf(function.body);
  return plan;
}

Result<size_t> staticBytes(const ValueType& type) {
  size_t total = 0;
  for (const ValueType& element : type.elements) {
    ASSIGN_OR_RETURN(auto bytes, staticBytes(element));
    if (__builtin_add_overflow(total, bytes, &total)) total = SIZE_MAX / 2;
  }
  if (type.kind != ValueType::Kind::kTensor) return total;
  size_t bytes = byteWidth(type.element);
  bool dynamic = false, empty = false;
  for (const int64_t dimension : type.shape) {
    if (dimension == kDynamicDimension) {
      dynamic = true;
    } else if (dimension < 0) {
      return badInput("a type has the dimension {}", dimension);
    } else if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, static_cast<size_t>(dimension), &bytes) ||
               bytes > static_cast<size_t>(INT64_MAX) / 2) {
      return noResource("{} has more bytes than can be addressed",
                        describe(type.element, type.shape));
    }
  }
  return dynamic || empty ? 0 : bytes;
}

}  // namespace vintage::harness
