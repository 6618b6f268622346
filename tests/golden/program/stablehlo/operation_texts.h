// Every StableHLO operation in the text that upstream prints, in each of its forms: reading and
// printing must not change it.
#pragma once

#include <string>
#include <vector>

namespace vintage::tests {

struct OperationText {
  const char* arguments;  // Of the function around it: "%arg0: tensor<4xf32>".
  const char* text;       // Lines after the first are indented as in a function.
};

extern const std::vector<OperationText> kElementwiseTexts;
extern const std::vector<OperationText> kShapeTexts;
extern const std::vector<OperationText> kContractionTexts;
extern const std::vector<OperationText> kRegionTexts;
extern const std::vector<OperationText> kCommunicationTexts;

std::vector<OperationText> allOperationTexts();

// A module whose function holds the text and returns nothing.
inline std::string moduleOf(const OperationText& operation) {
  return std::string("module {\n  func.func @main(") + operation.arguments + ") {\n    " +
         operation.text + "\n    return\n  }\n}\n";
}

}  // namespace vintage::tests
