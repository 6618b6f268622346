// The custom-call targets that the embedded engine registers.
//
// A target is data: what a build reports about itself (`vintage build
// targets`), what the gate compares between two builds, and the factory that
// the engine plans with. To add one, add a row to a family's table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// The values of `api_version` of a stablehlo.custom_call.
enum class CustomCallApi : int { kOriginal = 1, kStatusReturning = 2, kUnified = 3, kTypedFfi = 4 };

// One line for each operand, result and attribute, as "a: f32[*,m,n]", where *
// stands for any batch dimensions.
struct CustomCallSignature {
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::vector<std::string> attributes;
};

struct CustomCallTarget;
using CustomCallFactory = Result<Kernel> (*)(const CustomCallTarget& target,
                                             const KernelRequest& request);

struct CustomCallTarget {
  std::string name;
  // Where XLA registers it: "cpu", "cuda", "rocm", "tpu"; "any" for all.
  std::string platform;
  std::vector<CustomCallApi> apiVersions;
  CustomCallSignature signature;
  CustomCallFactory factory = nullptr;
  // The functions in called_computations come to the factory as regions.
  bool callsFunctions = false;
  // Names the target for the factory of its family: an index into the family's own table.
  int variant = 0;
};

// Sorted by name, without doubles. Made once; lives until a target is added.
std::span<const CustomCallTarget> customCallTargets();

// Null where the target is not registered.
const CustomCallTarget* findCustomCallTarget(std::string_view name);

// Whether it gives its operands as they are, on any number of devices: it says where or how they
// lie.
bool isIdentityTarget(std::string_view name);

// Adds a target that a program which embeds the engine serves itself. Before any program is
// planned, and from one thread.
void addCustomCallTarget(CustomCallTarget target);

// Reads the attributes of the target itself: backend_config, or mhlo.backend_config.
CheckedAttributes backendConfig(const CustomCallTarget& target, const golden::Operation& operation);

// By result of a custom call: the operand that it overwrites, as output_operand_aliases says, or
// -1.
Result<std::vector<int64_t>> aliasesOf(const golden::Operation& operation, size_t results,
                                       size_t operands);

// One table for each family; customCallTargets() joins them.
std::vector<CustomCallTarget> lapackTargets();
std::vector<CustomCallTarget> duccFftTargets();
std::vector<CustomCallTarget> portableTargets();
std::vector<CustomCallTarget> operationTargets();
std::vector<CustomCallTarget> solverTargets();
std::vector<CustomCallTarget> opaqueSolverTargets();
std::vector<CustomCallTarget> sparseTargets();

// A custom call as XLA's CPU runtime hands it to an implementation: dense
// buffers in the layouts that the operation declares.
//
// The engine's tensors are row-major. Operands are brought into their declared
// layout before the implementation sees them, and results are brought back.

// Every Tensor in a RawKernel has the logical shape of its operand or result;
// only the order of its elements follows the layout.
//
// A result that the implementation leaves empty (a workspace) is zero-filled
// by the declared type. It must have one element for each result, tuples
// flattened.
using RawResults = std::vector<std::optional<golden::Tensor>>;
using RawKernel = std::function<Result<RawResults>(std::span<const golden::Tensor> operands)>;

// Wraps `kernel`: reads operand_layouts and result_layouts (absent: row-major),
// drops the operands named by indices_of_shape_operands and takes the shapes
// of dynamic results from them, and checks every result against its declared
// type. `name` stands in messages.
Result<Kernel> wrapRawKernel(const std::string& name, const KernelRequest& request,
                             RawKernel kernel);

// `layout` lists dimensions from minor to major; it must be a permutation.
Result<golden::Tensor> toLayout(const golden::Tensor& rowMajor, std::span<const int64_t> layout);
Result<golden::Tensor> fromLayout(const golden::Tensor& physical, std::span<const int64_t> layout);

}  // namespace vintage::harness
