// Collectives of a process that is alone: one replica, one partition.
//
// Every group has one member, so that reductions and exchanges give their
// operands back. A program for several processes is refused where it shows,
// and never answered as if it were for one.
#include <algorithm>

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/tensor_kernel.h"

namespace vintage {
namespace {

tl::unexpected<Error> severalProcesses(const KernelRequest& request, std::string_view what) {
  return failure(Error::Kind::kUnsupported,
                 fmt::format("{}: {}; this engine runs programs of one replica and one partition",
                             request.operation.name, what));
}

// Kernels for a group of one: operands become results.
Kernel forward() {
  return [](KernelCall& call) -> Status {
    for (size_t i = 0; i < call.results.size(); ++i) call.results[i] = call.operands[i];
    return {};
  };
}

Result<Kernel> makeProcessNumber(const KernelRequest& request) {
  if (auto status = checkCounts(request, 0); !status) return tl::unexpected(status.error());
  return tensorKernel([type = request.resultTypes[0].element](KernelCall&) {
    return Result<Tensor>(Tensor(type, {}));
  });
}

Status checkGroups(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const Attribute* groups = read.find("replica_groups");
  // A mesh, or no groups at all: all processes, and there is one.
  if (groups == nullptr) return {};
  const auto* members = std::get_if<Tensor>(&groups->value);
  if (members != nullptr && members->size() > 1)
    return severalProcesses(request, fmt::format("its groups have {}", describe(*members)));
  return {};
}

Result<Kernel> makeExchange(const KernelRequest& request) {
  if (auto status = checkGroups(request); !status) return tl::unexpected(status.error());
  if (request.operandTypes.size() < request.resultTypes.size())
    return failure(Error::Kind::kBadInput,
                   fmt::format("{} has fewer operands than results", request.operation.name));
  for (size_t i = 0; i < request.resultTypes.size(); ++i)
    if (request.operandTypes[i].shape != request.resultTypes[i].shape)
      return severalProcesses(request, "its result has another shape than its operand");
  return forward();
}

// The process sends to itself, or gets zeros.
Result<Kernel> makePermute(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  const auto pairs = read.flattenedIntegers("source_target_pairs", std::vector<int64_t>{});
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  if (std::ranges::any_of(pairs, [](int64_t process) { return process != 0; }))
    return severalProcesses(request, "source_target_pairs names a process other than 0");
  if (!pairs.empty()) return forward();
  return tensorKernel([](KernelCall& call) {
    const Tensor& operand = call.operands[0].tensor;
    return Tensor::make(operand.type(), operand.shape(), call.availableBytes);
  });
}

Result<Kernel> makeOutside(const KernelRequest& request) {
  return failure(Error::Kind::kUnsupported,
                 fmt::format("{} exchanges data with a host or another device, which an archived "
                             "program cannot do here",
                             request.operation.name));
}

constexpr OperationEntry kEntries[] = {
    {"stablehlo.all_gather", makeExchange},
    {"stablehlo.all_reduce", makeExchange},
    {"stablehlo.all_to_all", makeExchange},
    {"stablehlo.collective_broadcast", makeExchange},
    {"stablehlo.collective_permute", makePermute},
    {"stablehlo.collective_reduce", makeExchange},
    {"stablehlo.cross-replica-sum", makeExchange},
    {"stablehlo.infeed", makeOutside},
    {"stablehlo.outfeed", makeOutside},
    {"stablehlo.partition_id", makeProcessNumber},
    {"stablehlo.recv", makeOutside},
    {"stablehlo.reduce_scatter", makeExchange},
    {"stablehlo.replica_id", makeProcessNumber},
    {"stablehlo.send", makeOutside},
};

}  // namespace

std::span<const OperationEntry> collectiveOperations() { return kEntries; }

}  // namespace vintage
