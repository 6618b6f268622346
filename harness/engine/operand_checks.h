// What every factory and kernel checks before it trusts numbers from a program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/base/failures.h"
#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// `values` as int64_t, whatever integer or predicate type the tensor has.
std::vector<int64_t> integerElements(const golden::Tensor& tensor);
// The one at `index`; unsigned 64-bit values beyond int64_t saturate.
int64_t integerElement(const golden::Tensor& tensor, int64_t index);

// `expected` numbers, each distinct and in [0, rank).
Status checkDimensions(std::string_view operation, std::string_view attribute,
                       const std::vector<int64_t>& dimensions, int64_t rank);
Status checkLength(std::string_view operation, std::string_view attribute, size_t found,
                   size_t expected);

// What factories of operations with one tensor as result share.

// A kernel that gives one tensor: `body` is called with the call.
template <typename Body>
Kernel tensorKernel(Body body) {
  return [body = std::move(body)](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(call.results[0].tensor, body(call));
    return {};
  };
}

inline Status checkCounts(const KernelRequest& request, size_t operands) {
  if (request.operandTypes.size() != operands || request.resultTypes.size() != 1)
    return badInput("{} has {} operands and {} results; it takes {} and gives 1",
                    request.operation.name, request.operandTypes.size(), request.resultTypes.size(),
                    operands);
  return {};
}

inline bool isStatic(const golden::ValueType& type) {
  for (const int64_t dimension : type.shape)
    if (dimension < 0) return false;
  return type.kind == golden::ValueType::Kind::kTensor;
}

inline Status checkStatic(const KernelRequest& request) {
  if (isStatic(request.resultTypes[0])) return {};
  return unsupported("{} gives {}, whose size is unknown; use its dynamic form",
                     request.operation.name, request.resultTypes[0].text);
}

}  // namespace vintage::harness
