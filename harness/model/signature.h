// The arrays that a model takes and returns, as its artifact states them.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/exported/dimension_expression.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

struct ArrayType {
  golden::ElementType type = golden::ElementType::kF32;
  // Numbers and expressions ("2*h"). The array of a PRNG key has an additional trailing dimension.
  std::vector<golden::DimensionExpression> shape;
  std::string stated;  // "f32[b,8]", for messages.
};

struct Signature {
  std::vector<ArrayType> inputs, outputs;  // Without tokens.

  std::set<std::string, std::less<>> variables() const;
  // The arrays of these files. kUsage: there are more, fewer or others.
  Result<std::vector<golden::Tensor>> readInputs(std::span<const std::string> files) const;
  Result<std::vector<golden::Tensor>> readOutputs(std::span<const std::string> files) const;
  // kUsage: no sizes of the variables give these shapes. Without outputs the inputs alone are
  // checked.
  Status checkShapes(std::span<const golden::Tensor> given,
                     std::span<const golden::Tensor> computed) const;
};

// Reads Inspection::details, which InspectOptions::outputs asks for. `name` is the model's, for
// messages.
Result<Signature> signatureOf(const nlohmann::json& details, const std::string& name);

}  // namespace vintage::harness
