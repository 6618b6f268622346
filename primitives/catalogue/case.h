// A case: one use of a primitive. The catalogue makes them. Free of MLIR: a lowering builds a tree.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/compare/golden.h"
#include "golden/exported/exported.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"
#include "primitives/lowering/profile.h"
#include "primitives/lowering/tensor_type.h"

namespace vintage::primitives {

using Tensors = std::span<const golden::Tensor>;

// A module as JAX would lower it, and what an Exported says beside it.
struct LoweredCase {
  golden::ModuleTree module;  // With a public @main.
  std::vector<std::string> platforms;
  std::vector<TensorType> inputs, outputs;
  // Shape-polymorphic exports have dimension expressions ("b", "2*b") instead of
  // the shapes above, which are those of the golden. Empty: static.
  std::vector<std::vector<std::string>> symbolicInputs, symbolicOutputs;
  std::vector<uint16_t> keptInputs;
  std::vector<std::string> orderedEffects;
  std::vector<std::string> disabledCustomCallChecks;  // Targets without a guarantee.
  // The nested derivative (vjp). Its inputs are those above and then a cotangent for each output;
  // its outputs are a cotangent for each input. A golden has the inputs of the derivative, and the
  // outputs of both.
  std::shared_ptr<const LoweredCase> derivative;
  // Over several logical devices: the sharding of each input and output.
  uint32_t deviceCount = 1;
  std::vector<golden::NamedSharding> inputShardings, outputShardings;
};

struct Case {
  // Stable and readable, of [a-zA-Z0-9_.,=[\]-]: "dot_general_f32[4,3],f32[3,6]".
  std::string id;
  std::string primitive;                    // JAX's name: "dot_general"
  std::vector<golden::ElementType> dtypes;  // The arguments', each once.
  std::string variant = "static";
  std::vector<TensorType> arguments;
  uint64_t seed = 0;  // From the id; inputs are made from it.

  std::function<Result<LoweredCase>(const std::string& platform, const Profile& profile)> lowerAs;
  Result<LoweredCase> lower(const std::string& platform,
                            const Profile& profile = newestProfile()) const {
    return lowerAs(platform, profile);
  }
  // Deterministic in `seed`.
  std::function<std::vector<golden::Tensor>()> makeInputs;
  // The oracle: never the engine.
  std::function<Result<std::vector<golden::Tensor>>(Tensors)> expected;
  std::string oracle;  // "mpfr", "exact", "definition"
  std::vector<golden::Comparator> comparators;
  std::vector<std::string> platforms{"cpu", "cuda", "rocm", "tpu"};  // Where it lowers.
  // Why this use, unlike others of its primitive, has no meaning on other platforms. For whole
  // primitives and dtypes a limitation says so.
  std::string platformsReason = {};
};

// All cases, sorted by id; made once.
std::span<const Case> catalogue();

}  // namespace vintage::primitives
