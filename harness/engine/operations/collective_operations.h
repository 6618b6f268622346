// The factories of the collective families, joined by collective.cpp.
#pragma once

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// collective_reduction.cpp
Result<Kernel> makeAllReduce(const KernelRequest& request);
Result<Kernel> makeReduceScatter(const KernelRequest& request);
Result<Kernel> makeCollectiveReduce(const KernelRequest& request);
Result<Kernel> makeCrossReplicaSum(const KernelRequest& request);

// collective_exchange.cpp
Result<Kernel> makeAllGather(const KernelRequest& request);
Result<Kernel> makeAllToAll(const KernelRequest& request);
Result<Kernel> makeCollectiveBroadcast(const KernelRequest& request);
Result<Kernel> makeCollectivePermute(const KernelRequest& request);

// collective_channel.cpp
Result<Kernel> makeSend(const KernelRequest& request);
Result<Kernel> makeReceive(const KernelRequest& request);
Result<Kernel> makeInfeed(const KernelRequest& request);
Result<Kernel> makeOutfeed(const KernelRequest& request);

// Which member of its group is the root of result i: the first one, or what the
// last operand says at run time, one rank for all results or one for each.
// Every member must say the same.
struct GroupMeeting;
Result<size_t> rootOf(const GroupMeeting& meeting, bool dynamicRoot, size_t result);
// As many operands as results, and a root where the operation takes one.
Status checkOperands(const KernelRequest& request, bool dynamicRoot = false);

}  // namespace vintage::harness::engine
