func.func @main(%n: tensor<i64>, %x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?xi32>) {
  %c = stablehlo.constant dense<3> : tensor<1xi64>
  %0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %2 = stablehlo.dynamic_reshape %x, %1 : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %3 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>
  return %2, %3 : tensor<?x3xf32>, tensor<?xi32>
}
