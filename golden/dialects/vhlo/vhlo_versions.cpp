#include "golden/dialects/vhlo/vhlo_versions.h"

#include <optional>

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::vhlo {
namespace {

using vintage::golden::base::kCurrentStablehloVersion;
using vintage::golden::base::kOldestStablehloVersion;
using vintage::golden::base::StablehloVersion;

struct OperationRange {
  const char* name;
  VersionRange versions;
};

// Operations that did not exist, as they are, from the first release to the current one.
constexpr OperationRange kOperationRanges[] = {
    {"all_gather_v1", {kOldestStablehloVersion, {1, 4, 0}}},
    {"all_gather_v2", {{1, 5, 0}, kCurrentStablehloVersion}},
    {"all_reduce_v1", {kOldestStablehloVersion, {1, 4, 0}}},
    {"all_reduce_v2", {{1, 5, 0}, kCurrentStablehloVersion}},
    {"all_to_all_v1", {kOldestStablehloVersion, {1, 4, 0}}},
    {"all_to_all_v2", {{1, 5, 0}, kCurrentStablehloVersion}},
    {"async_done_v1", {{1, 15, 0}, kCurrentStablehloVersion}},
    {"async_start_v1", {{1, 15, 0}, kCurrentStablehloVersion}},
    {"cbrt_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"cbrt_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"collective_broadcast_v1", {{0, 16, 0}, {1, 19, 0}}},
    {"collective_broadcast_v2", {{1, 20, 0}, kCurrentStablehloVersion}},
    {"collective_reduce_v1", {{1, 19, 0}, kCurrentStablehloVersion}},
    {"composite_v1", {{0, 19, 0}, {1, 13, 0}}},
    {"composite_v2", {{1, 14, 0}, kCurrentStablehloVersion}},
    {"cosine_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"cosine_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"custom_call_v1", {kOldestStablehloVersion, {1, 17, 0}}},
    {"custom_call_v2", {{1, 18, 0}, kCurrentStablehloVersion}},
    {"dot_general_v1", {kOldestStablehloVersion, {1, 5, 0}}},
    {"dot_general_v2", {{1, 6, 0}, kCurrentStablehloVersion}},
    {"dynamic_conv_v1", {kOldestStablehloVersion, {0, 19, 0}}},
    {"dynamic_conv_v2", {{0, 20, 0}, kCurrentStablehloVersion}},
    {"dynamic_gather_v1", {kOldestStablehloVersion, {1, 0, 0}}},
    {"dynamic_gather_v2", {{1, 1, 0}, kCurrentStablehloVersion}},
    {"exponential_minus_one_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"exponential_minus_one_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"exponential_v1", {kOldestStablehloVersion, {1, 8, 0}}},
    {"exponential_v2", {{1, 9, 0}, kCurrentStablehloVersion}},
    {"gather_v1", {kOldestStablehloVersion, {1, 0, 0}}},
    {"gather_v2", {{1, 1, 0}, kCurrentStablehloVersion}},
    {"log_plus_one_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"log_plus_one_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"log_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"log_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"logistic_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"logistic_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"recv_v1", {kOldestStablehloVersion, {1, 11, 0}}},
    {"recv_v2", {{1, 12, 0}, kCurrentStablehloVersion}},
    {"rsqrt_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"rsqrt_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"scatter_v1", {kOldestStablehloVersion, {1, 0, 0}}},
    {"scatter_v2", {{1, 1, 0}, kCurrentStablehloVersion}},
    {"send_v1", {kOldestStablehloVersion, {1, 11, 0}}},
    {"send_v2", {{1, 12, 0}, kCurrentStablehloVersion}},
    {"sine_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"sine_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"sqrt_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"sqrt_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"tan_v1", {{1, 4, 0}, {1, 9, 0}}},
    {"tan_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
    {"tanh_v1", {kOldestStablehloVersion, {1, 9, 0}}},
    {"tanh_v2", {{1, 10, 0}, kCurrentStablehloVersion}},
};

// Types and attributes that came after the first release. None has been withdrawn.
const llvm::DenseMap<TypeID, StablehloVersion>& laterArrivals() {
  static const llvm::DenseMap<TypeID, StablehloVersion> arrivals = {
      {TypeID::get<FloatF8E4M3FNUZV1Type>(), {0, 10, 0}},
      {TypeID::get<FloatF8E5M2FNUZV1Type>(), {0, 10, 0}},
      {TypeID::get<FloatF8E4M3B11FNUZV1Type>(), {0, 11, 0}},
      {TypeID::get<UniformQuantizedPerAxisV1Type>(), {0, 18, 0}},
      {TypeID::get<IntegerSI2V1Type>(), {1, 2, 0}},
      {TypeID::get<IntegerUI2V1Type>(), {1, 2, 0}},
      {TypeID::get<FloatTF32V1Type>(), {1, 6, 0}},
      {TypeID::get<NoneV1Type>(), {1, 6, 0}},
      {TypeID::get<FloatF8E3M4V1Type>(), {1, 7, 0}},
      {TypeID::get<FloatF8E4M3V1Type>(), {1, 7, 0}},
      {TypeID::get<FloatF4E2M1FNV1Type>(), {1, 8, 0}},
      {TypeID::get<FloatF6E2M3FNV1Type>(), {1, 8, 0}},
      {TypeID::get<FloatF6E3M2FNV1Type>(), {1, 8, 0}},
      {TypeID::get<FloatF8E8M0FNUV1Type>(), {1, 8, 0}},
      {TypeID::get<RankedBufferV1Type>(), {1, 13, 0}},
      {TypeID::get<FutureV1Type>(), {1, 15, 0}},
      {TypeID::get<ResultAccuracyModeV1Attr>(), {1, 9, 0}},
      {TypeID::get<ResultAccuracyV1Attr>(), {1, 9, 0}},
      {TypeID::get<SubAxisInfoV1Attr>(), {1, 16, 0}},
      {TypeID::get<AxisRefV1Attr>(), {1, 16, 0}},
      {TypeID::get<ReplicaGroupMeshAxesV1Attr>(), {1, 16, 0}},
      {TypeID::get<MeshAxisV1Attr>(), {1, 16, 0}},
      {TypeID::get<MeshV1Attr>(), {1, 16, 0}},
  };
  return arrivals;
}

StablehloVersion arrival(TypeID id) {
  auto found = laterArrivals().find(id);
  return found == laterArrivals().end() ? kOldestStablehloVersion : found->second;
}

const llvm::StringMap<VersionRange>& operationRanges() {
  static const llvm::StringMap<VersionRange> ranges = [] {
    llvm::StringMap<VersionRange> table;
    for (const OperationRange& each : kOperationRanges) table[each.name] = each.versions;
    return table;
  }();
  return ranges;
}

}  // namespace

VersionRange operationVersions(std::string_view name) {
  auto found = operationRanges().find(name);
  if (found != operationRanges().end()) return found->second;
  return {kOldestStablehloVersion, kCurrentStablehloVersion};
}

std::string currentOperation(std::string_view name) {
  const std::string stem = std::string(name) + "_v";
  int version = 1;
  while (operationVersions(stem + std::to_string(version)).maximum != kCurrentStablehloVersion)
    ++version;
  return stem + std::to_string(version);
}

StablehloVersion firstVersion(Type type) { return arrival(type.getTypeID()); }
StablehloVersion firstVersion(Attribute attribute) { return arrival(attribute.getTypeID()); }

}  // namespace mlir::vhlo
