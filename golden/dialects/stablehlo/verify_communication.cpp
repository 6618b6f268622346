// Constraints of host transfers and point-to-point communication.
#include "golden/dialects/stablehlo/communication_ops.h"
#include "golden/dialects/stablehlo/constraint_checks.h"

namespace mlir::stablehlo {
namespace {

// Numbers of the types of channels in #stablehlo.channel_handle.
enum ChannelType : int64_t { kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3 };

LogicalResult checkChannel(Operation* operation, ChannelHandleAttr channel, bool hostTransfer,
                           ChannelType hostType) {
  const int64_t expected = hostTransfer ? hostType : kDeviceToDevice;
  if (channel.getType() == expected) return success();
  return violation(operation, 1) << "channel type must be " << expected << " where "
                                 << "is_host_transfer is " << (hostTransfer ? "true" : "false")
                                 << ", found " << channel.getType();
}

// Payload first, and a token at the end.
LogicalResult checkTokenLast(Operation* operation, unsigned sizeNumber, unsigned tokenNumber) {
  if (operation->getNumResults() == 0)
    return violation(operation, sizeNumber) << "at least one result is needed, a token";
  Type last = operation->getResults().back().getType();
  if (isa<TokenType>(last)) return success();
  return violation(operation, tokenNumber) << "last result must be a token, found " << last;
}

}  // namespace

LogicalResult InfeedOp::verify() { return checkTokenLast(*this, 1, 2); }

LogicalResult RecvOp::verify() {
  if (failed(checkChannel(*this, getChannelHandle(), getIsHostTransfer(), kHostToDevice)))
    return failure();
  return checkTokenLast(*this, 2, 3);
}

LogicalResult SendOp::verify() {
  return checkChannel(*this, getChannelHandle(), getIsHostTransfer(), kDeviceToHost);
}

}  // namespace mlir::stablehlo
