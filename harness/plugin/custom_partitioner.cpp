#include "harness/plugin/custom_partitioner.h"

#include <map>
#include <mutex>
#include <set>

#include "golden/base/failures.h"
#include "harness/plugin/entry.h"

namespace vintage::harness {
namespace {

constexpr int kCustomPartitionerExtension = 2;  // PJRT_Extension_Type_Custom_Partitioner

// Functions that were replaced stay too: another thread may be calling them. None is destroyed,
// since JAX's would need Python, which may have ended.
struct Registry {
  std::mutex mutex;
  std::map<std::string, PartitionerFunctions*, std::less<>> functions;
  std::set<std::string, std::less<>> batched;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

PluginError* registerPartitioner(PartitionerRegistration* arguments) {
  return guarded([&]() -> Status {
    if (!arguments || !arguments->name || !arguments->functions)
      return usageError("a partitioner is registered without its name or functions");
    const PartitionerFunctions& functions = *arguments->functions;
    if (functions.version != 0)
      return unsupported("a partitioner is of version {}; this plugin knows version 0",
                         functions.version);
    if (!functions.partition || !functions.infer || !functions.takeUserSharding)
      return usageError("a partitioner lacks one of its functions");
    const std::lock_guard lock(registry().mutex);
    registry().functions.insert_or_assign(std::string(arguments->name, arguments->nameSize),
                                          arguments->functions);
    return {};
  });
}

PluginError* registerBatchPartitionable(BatchRegistration* arguments) {
  return guarded([&]() -> Status {
    if (!arguments || !arguments->name) return usageError("a target is registered without a name");
    const std::lock_guard lock(registry().mutex);
    registry().batched.emplace(arguments->name, arguments->nameSize);
    return {};
  });
}

PartitionerText borrowed(const std::string& text) { return {text.data(), text.size()}; }

PartitionerValue valueOf(const PartitionedCall::Message& message) {
  return {borrowed(message.shape), true, borrowed(message.sharding)};
}

std::vector<PartitionerValue> valuesOf(const std::vector<PartitionedCall::Message>& messages) {
  std::vector<PartitionerValue> values;
  for (const auto& message : messages) values.push_back(valueOf(message));
  return values;
}

std::string copyOf(const PartitionerText& text) {
  return text.data ? std::string(text.data, text.size) : std::string();
}

// Frees the results of a call at the end.
class Answer {
 public:
  explicit Answer(const PartitionerCall& call) : call_(call) {}
  Answer(const Answer&) = delete;
  ~Answer() {
    if (call_.cleanUp) call_.cleanUp(call_.data);
  }
  Status status() const {
    if (!call_.hasFailed) return {};
    return failure(Error::Kind::kIo, copyOf(call_.message));
  }

 private:
  const PartitionerCall& call_;
};

}  // namespace

void* customPartitionerExtension(void* next) {
  static CustomPartitionerExtension extension{sizeof(CustomPartitionerExtension),
                                              kCustomPartitionerExtension, next,
                                              registerPartitioner, registerBatchPartitionable};
  return &extension;
}

bool isBatchPartitionable(std::string_view target) {
  const std::lock_guard lock(registry().mutex);
  return registry().batched.contains(target);
}

std::optional<CustomPartitioner> CustomPartitioner::find(std::string_view target) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().functions.find(target);
  if (found == registry().functions.end()) return std::nullopt;
  return CustomPartitioner(found->second);
}

Result<Partition> CustomPartitioner::partition(const PartitionedCall& call) const {
  const std::vector<PartitionerValue> operands = valuesOf(call.operands);
  PartitionCall made;
  made.operandCount = operands.size();
  made.operands = operands.data();
  made.result = valueOf(call.result);
  made.backendConfig = borrowed(call.backendConfig);
  functions_->partition(functions_, &made);
  const Answer answer(made.header);
  RETURN_IF_ERROR(answer.status());
  if (!made.module.data || (!made.operandShardings && !operands.empty()))
    return badInput("it gives no module or no shardings");
  Partition partition{copyOf(made.module), {}, copyOf(made.resultSharding)};
  for (size_t i = 0; i < operands.size(); ++i)
    partition.operandShardings.push_back(copyOf(made.operandShardings[i]));
  return partition;
}

Result<std::optional<std::string>> CustomPartitioner::infer(const PartitionedCall& call) const {
  const std::vector<PartitionerValue> operands = valuesOf(call.operands);
  InferCall made;
  made.operandCount = operands.size();
  made.operands = operands.data();
  made.resultShape = borrowed(call.result.shape);
  made.backendConfig = borrowed(call.backendConfig);
  functions_->infer(functions_, &made);
  const Answer answer(made.header);
  RETURN_IF_ERROR(answer.status());
  if (!made.hasSharding) return std::nullopt;
  return copyOf(made.resultSharding);
}

Result<std::string> CustomPartitioner::takeUserSharding(const PartitionedCall& call) const {
  UserShardingCall made;
  made.backendConfig = borrowed(call.backendConfig);
  made.resultShape = borrowed(call.result.shape);
  made.resultSharding = borrowed(call.result.sharding);
  functions_->takeUserSharding(functions_, &made);
  const Answer answer(made.header);
  RETURN_IF_ERROR(answer.status());
  return copyOf(made.resultSharding);
}

}  // namespace vintage::harness
