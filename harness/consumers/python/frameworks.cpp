#include "harness/consumers/python/frameworks.h"

namespace vintage::harness::consumers::python {

const Framework kJax{"jax", "real JAX", "vintage_jax", "0.8.1, 0.12, 0.4.30..0.12", true};
const Framework kTensorFlow{"tensorflow", "TensorFlow", "vintage_tensorflow",
                            "2.21.0, 2.18, 2.16..2.21"};
const Framework kIree{"iree", "IREE", "vintage_iree", "3.13.0, 3.1..3.13"};
const Framework kPlugins{"pjrt", "the package index", "vintage_pjrt", "xla-cpu-pjrt==0.0.1"};

std::span<const Framework* const> frameworks() {
  static constexpr const Framework* kAll[] = {&kJax, &kTensorFlow, &kIree};
  return kAll;
}

}  // namespace vintage::harness::consumers::python
