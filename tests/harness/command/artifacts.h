// Small artifacts for the tests of the command line, written by the command
// line itself from text.
#pragma once

#include <string>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {

inline const std::string kAddText = R"(module @add {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
)";

// A NumPy file of three f32, version 1.0 of the format.
inline std::string npyOf(const std::string& shape, std::initializer_list<float> values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header;
  for (float value : values) file.append(reinterpret_cast<const char*>(&value), 4);
  return file;
}

inline std::string npyOfThree(float a, float b, float c) { return npyOf("(3,)", {a, b, c}); }

// A folder as JAX's compatibility tests keep them: an addition, whose third
// expected number is `third`. Returns its path.
inline std::string writeCompatibilityTest(const Sandbox& sandbox, const std::string& name,
                                          float third, const std::string& text = kAddText) {
  std::filesystem::create_directories(sandbox.path(name));
  sandbox.write(name + "/module.mlir.txt", text);
  sandbox.run({"convert", sandbox.path(name + "/module.mlir.txt"), "--target", "1.0.0", "-o",
               sandbox.path(name + "/module.mlirbc")});
  sandbox.write(name + "/meta.json", R"({"name": ")" + name + R"(", "kind": "module",
    "platform": "cpu", "custom_call_targets": [], "serialized_date": "2025-06-01",
    "calling_convention_version": 9, "nr_devices": 1,
    "inputs": [["float32", [3]], ["float32", [3]]], "outputs": [["float32", [3]]]})");
  sandbox.write(name + "/input_0.npy", npyOfThree(1, 2, 3));
  sandbox.write(name + "/input_1.npy", npyOfThree(10, 20, 30));
  sandbox.write(name + "/expected_0.npy", npyOfThree(11, 22, third));
  return sandbox.path(name);
}

}  // namespace vintage::tests::command
