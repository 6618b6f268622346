// What a model takes and gives, as its artifact says, and inputs made for it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/exported/dimension_expression.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

struct ArrayType {
  golden::ElementType type = golden::ElementType::kF32;
  // Numbers and expressions ("2*h"); what carries a PRNG key has a trailing dimension more.
  std::vector<golden::DimensionExpression> shape;
};

struct Signature {
  std::vector<ArrayType> inputs, outputs;  // Without tokens.
  std::set<std::string, std::less<>> variables() const;
};

// Reads it from Inspection::details.
Result<Signature> signatureOf(const nlohmann::json& details, const std::string& name);

std::vector<golden::ElementType> typesOf(const std::vector<ArrayType>& values);

// Values between -1 and 1, whole numbers from 0 to 7, the same for the same signature.
Result<std::vector<golden::Tensor>> makeInputs(const Signature& signature,
                                               const golden::DimensionValues& values);

// Values for the variables that a caller has not chosen: sizes to be tried one after the other,
// since a module may demand more of them than its shapes tell.
std::vector<golden::DimensionValues> proposeSizes(const Signature& signature,
                                                  const golden::DimensionValues& chosen);

}  // namespace vintage::harness
