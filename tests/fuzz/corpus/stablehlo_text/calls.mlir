func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xi32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{replicated}", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "own.twice" %0 {decomposition = @twice, composite_attributes = {k = 2 : i32}, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2, %3 = chlo.top_k(%1, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %4 = chlo.erf %1 : tensor<4xf32> -> tensor<4xf32>
  return %4, %2, %3 : tensor<4xf32>, tensor<2xf32>, tensor<2xi32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
