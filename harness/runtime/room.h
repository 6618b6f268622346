// What a runtime says of itself: the custom-call targets that it registers and lists,
// its version ranges and its schema, as docs/gate/registry.md describes them.
#pragma once

namespace vintage::golden::base {}

namespace vintage::harness::runtime {
using namespace golden::base;
}  // namespace vintage::harness::runtime
