// Programs and helpers that the tests of portable artifacts share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "golden/program/program.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {

// Every release that changed the format, and some that did not.
inline const std::vector<StablehloVersion>& releases() {
  static const std::vector<StablehloVersion> all = {
      {0, 9, 0},  {0, 10, 0}, {0, 11, 0}, {0, 12, 0}, {0, 13, 0}, {0, 14, 0}, {0, 15, 0},
      {0, 16, 0}, {0, 17, 0}, {0, 18, 0}, {0, 19, 0}, {0, 20, 0}, {1, 0, 0},  {1, 1, 0},
      {1, 2, 0},  {1, 3, 0},  {1, 4, 0},  {1, 5, 0},  {1, 6, 0},  {1, 7, 0},  {1, 8, 0},
      {1, 9, 0},  {1, 10, 0}, {1, 11, 0}, {1, 12, 0}, {1, 13, 0}, {1, 14, 0}, {1, 15, 0},
      {1, 16, 0}, {1, 17, 0}, {1, 18, 0}, {1, 19, 0}, {1, 20, 0}, {1, 21, 0}, {1, 22, 0}};
  return all;
}

// A function with most of what JAX exports; every release can hold it.
inline constexpr const char* kOrdinaryProgram = R"(
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {jax.arg_info = "x", mhlo.sharding = "{replicated}"},
                         %arg1: tensor<i32>) -> (tensor<2x2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[1.0, -2.5, 3.0], [0.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %flags = stablehlo.constant dense<[true, false, true, true, false, true, false, true, true]> : tensor<9xi1>
    %one = stablehlo.constant dense<true> : tensor<i1>
    %yes = stablehlo.constant dense<true> : tensor<3xi1>
    %complex = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f64>>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.add %arg0, %cst : tensor<2x3xf32>
    %1 = stablehlo.exponential %0 : tensor<2x3xf32>
    %2 = stablehlo.dot_general %1, %cst, contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.compare GT, %2, %4, FLOAT : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %6 = stablehlo.select %5, %2, %4 : tensor<2x2xi1>, tensor<2x2xf32>
    %7 = call @inner(%6) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %8 = "stablehlo.case"(%arg1) ({
      stablehlo.return %7 : tensor<2x2xf32>
    }, {
      stablehlo.return %6 : tensor<2x2xf32>
    }) : (tensor<i32>) -> tensor<2x2xf32>
    %9 = stablehlo.custom_call @lapack_spotrf(%8) {api_version = 2 : i32, backend_config = "cfg", mhlo.frontend_attributes = {axis = "x"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %9 : tensor<2x2xf32>
  }
  func.func private @inner(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.slice %0 [0:2:1, 0:1:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>
    %2 = stablehlo.concatenate %1, %1, dim = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
)";

// The text without parts that depend on locations: upstream prints some operations in a shorter
// form if all of their parts have one location.
inline std::string printGeneric(const golden::Program& program) {
  golden::Program::PrintOptions options;
  options.generic = true;
  return program.print(options);
}

}  // namespace vintage::tests
