// Recognises files that people have instead of a portable artifact.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "golden/program/room.h"

namespace vintage::golden::program {

// "a TensorFlow SavedModel", "text", …; empty where nothing is recognised.
// A SavedModel is met as a protocol buffer and as a tar file in base64, which
// is how JAX's tests keep theirs.
std::string_view foreignFormat(std::span<const std::byte> bytes);

inline constexpr std::string_view kTensorflowFormat = "a TensorFlow SavedModel";

}  // namespace vintage::golden::program
