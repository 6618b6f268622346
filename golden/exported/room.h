// JAX's Exported: the flatbuffer in all its serialization versions, its symbolic
// dimensions and its calling convention.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}

namespace vintage::golden::exported {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
}  // namespace vintage::golden::exported
