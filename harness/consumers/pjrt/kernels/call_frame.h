// A call of XLA's typed FFI: what it hands over, and what goes back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/consumers/pjrt/c_api_ffi.h"
#include "harness/consumers/pjrt/kernels/room.h"

namespace vintage::harness::consumers::pjrt::kernels {

// Whether the frame asks what the handler is, which is then written into it: of the version of
// whoever asks, since the fields that are read here are those of every version so far.
bool answerMetadata(const FfiCallFrame& frame);

// The tensors have the order of elements that the buffers have; the shapes are the logical ones.
Result<std::vector<Tensor>> readOperands(const FfiCallFrame& frame);
// An attribute that is one integer of any width.
Result<int64_t> integerAttribute(const FfiCallFrame& frame, std::string_view name);
// nullopt: the buffer is filled with zeros.
Status writeResults(const FfiCallFrame& frame, std::span<const std::optional<Tensor>> results);

// What a handler gives back for a failure; the caller's own object.
FfiError* createError(const FfiCallFrame& frame, std::string_view target, const Error& error);

}  // namespace vintage::harness::consumers::pjrt::kernels
