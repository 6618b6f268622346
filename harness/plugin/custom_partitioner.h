// PJRT_Custom_Partitioner: the extension by which a client registers partitioners, functions that
// say how a custom call is split over devices. JAX registers one for custom_partitioning, which
// calls Python while a program is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// The structures of version 0. A caller owns what it gives, and calls `cleanUp` with `data` when it
// has read the answer.
struct PartitionerText {
  const char* data = nullptr;
  size_t size = 0;
};
struct PartitionerValue {
  PartitionerText shape;  // ShapeProto
  bool hasSharding = false;
  PartitionerText sharding;  // OpSharding
};
struct PartitionerCall {
  int64_t version = 0;
  // All out.
  void* data = nullptr;
  void (*cleanUp)(void* data) = nullptr;
  bool hasFailed = false;
  int code = 0;
  PartitionerText message;
};
struct PartitionCall {
  PartitionerCall header;
  size_t operandCount = 0;
  const PartitionerValue* operands = nullptr;
  PartitionerValue result;
  PartitionerText backendConfig;
  // Out: the program of one device, and how its operands and its result are split.
  PartitionerText module;
  const PartitionerText* operandShardings = nullptr;
  PartitionerText resultSharding;
};
struct InferCall {
  PartitionerCall header;
  size_t operandCount = 0;
  const PartitionerValue* operands = nullptr;
  PartitionerText resultShape;
  PartitionerText backendConfig;
  // Out.
  bool hasSharding = false;
  PartitionerText resultSharding;
};
struct UserShardingCall {
  PartitionerCall header;
  PartitionerText backendConfig;
  PartitionerText resultShape;
  PartitionerText resultSharding;  // In: as the user of the result would have it. Out: as it lies.
};
struct PartitionerFunctions {
  int64_t version;
  void* own;
  void (*destroy)(PartitionerFunctions* functions);
  void (*partition)(PartitionerFunctions* functions, PartitionCall* call);
  void (*infer)(PartitionerFunctions* functions, InferCall* call);
  void (*takeUserSharding)(PartitionerFunctions* functions, UserShardingCall* call);
  bool mayReplicateSideEffects;
};

struct PartitionerRegistration {
  size_t structSize = sizeof(PartitionerRegistration);
  const char* name = nullptr;  // For as long as the call lasts.
  size_t nameSize = 0;
  PartitionerFunctions* functions = nullptr;
};
struct BatchRegistration {
  size_t structSize = sizeof(BatchRegistration);
  const char* name = nullptr;
  size_t nameSize = 0;
};
struct CustomPartitionerExtension {
  size_t structSize;
  int type;
  void* next;
  PluginError* (*registerPartitioner)(PartitionerRegistration*);
  PluginError* (*registerBatchPartitionable)(BatchRegistration*);
};

// `next` is the extension that follows in the chain.
void* customPartitionerExtension(void* next);

// Whether a client says that calls of the target may be split along their batch dimensions.
bool isBatchPartitionable(std::string_view target);

// A custom call, and what is known of how its values lie, as messages: ShapeProto and OpSharding.
struct PartitionedCall {
  struct Message {
    std::string shape, sharding;
  };
  std::string backendConfig;
  std::vector<Message> operands;
  Message result;  // A tuple where there are several.
};
struct Partition {
  std::string module;
  std::vector<std::string> operandShardings;
  std::string resultSharding;
};

// The registered partitioner of a target.
class CustomPartitioner {
 public:
  // None where the target has none.
  static std::optional<CustomPartitioner> find(std::string_view target);

  // Errors have the text of the client's own, such as a traceback of Python.
  Result<Partition> partition(const PartitionedCall& call) const;
  // How the result lies by its operands. None: they do not say it.
  Result<std::optional<std::string>> infer(const PartitionedCall& call) const;
  // How the result lies where its user would have it as `call` says.
  Result<std::string> takeUserSharding(const PartitionedCall& call) const;

 private:
  explicit CustomPartitioner(PartitionerFunctions* functions) : functions_(functions) {}
  PartitionerFunctions* functions_;
};

}  // namespace vintage::harness
