// The table of the operations that bring processes together, and those that
// tell a process which one it is.
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/collective_groups.h"
#include "harness/engine/operations/tensor_kernel.h"

namespace vintage::harness::engine {
namespace {

// A number of the process as the result's integer type.
template <int64_t (GridProcess::*kNumber)() const>
Result<Kernel> makeProcessNumber(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 0));
  if (request.resultTypes[0].element != ElementType::kUi32)
    return failure(Error::Kind::kBadInput, fmt::format("{} gives ui32, not {}",
                                                       request.operation.name,
                                                       request.resultTypes[0].text));
  return tensorKernel([name = request.operation.name](KernelCall&) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    Tensor number(ElementType::kUi32, {});
    number.mutableValues<uint32_t>()[0] = static_cast<uint32_t>((process->*kNumber)());
    return number;
  });
}

constexpr OperationEntry kCollectiveOperations[] = {
    {"stablehlo.all_gather", makeAllGather},
    {"stablehlo.all_reduce", makeAllReduce},
    {"stablehlo.all_to_all", makeAllToAll},
    {"stablehlo.collective_broadcast", makeCollectiveBroadcast},
    {"stablehlo.collective_permute", makeCollectivePermute},
    {"stablehlo.collective_reduce", makeCollectiveReduce},
    {"stablehlo.cross-replica-sum", makeCrossReplicaSum},
    {"stablehlo.infeed", makeInfeed},
    {"stablehlo.outfeed", makeOutfeed},
    {"stablehlo.partition_id", makeProcessNumber<&GridProcess::partition>},
    {"stablehlo.recv", makeReceive},
    {"stablehlo.reduce_scatter", makeReduceScatter},
    {"stablehlo.replica_id", makeProcessNumber<&GridProcess::replica>},
    {"stablehlo.send", makeSend},
};

}  // namespace

std::span<const OperationEntry> collectiveOperations() { return kCollectiveOperations; }

}  // namespace vintage::harness::engine
