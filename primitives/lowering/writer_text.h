// What the writers of functions and of modules share of the text's form.
#pragma once

#include <span>
#include <string>

#include "primitives/lowering/module_writer.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// Stands for a constant's name until all of a function's constants are known.
inline constexpr char kConstantMark = '\x01';

// Of a line `depth` regions deep in a function.
std::string indentation(size_t depth);
// "tensor<f32>", "(tensor<f32>, tensor<i1>)"
std::string resultText(std::span<const TensorType> results);

}  // namespace vintage::primitives::lowering
