module @arithmetic attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<2x3xf32> {jax.result_info = "r"}, tensor<2x3xi1>) {
    %c = stablehlo.constant dense<[[1.0, -2.0, 0x7FC00000], [0.5, 3.0e38, 1.0e-40]]> : tensor<2x3xf32>
    %0 = stablehlo.add %a, %c : tensor<2x3xf32>
    %1 = stablehlo.exponential %b : tensor<2x3xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %2, %0, %1 : tensor<2x3xi1>, tensor<2x3xf32>
    return %3, %2 : tensor<2x3xf32>, tensor<2x3xi1>
  }
}
