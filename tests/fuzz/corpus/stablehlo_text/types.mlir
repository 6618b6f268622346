func.func @main(%a: tensor<4xi4>, %b: tensor<4xui64>, %c: tensor<4xbf16>, %d: tensor<4xcomplex<f64>>, %e: tensor<4xf8E4M3FN>, %q: tensor<4x!quant.uniform<i8:f32, 0.25:3>>, %t: !stablehlo.token) -> (tensor<4xi8>, tensor<4xf64>, tensor<4xf32>, !stablehlo.token) {
  %0 = stablehlo.convert %a : (tensor<4xi4>) -> tensor<4xi8>
  %1 = stablehlo.real %d : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %2 = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<4xf32>
  %3 = stablehlo.after_all %t, %t : !stablehlo.token
  %4 = stablehlo.constant dense<"0x0102030405060708"> : tensor<8xui8>
  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xf64>, tensor<4xf32>, !stablehlo.token
}
