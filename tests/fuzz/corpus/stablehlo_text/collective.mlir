func.func @main(%x: tensor<4xf32>, %s: tensor<2xui64>) -> (tensor<4xf32>, tensor<2xui64>, tensor<3xui32>, tensor<3xcomplex<f32>>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2, %3 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %4 = stablehlo.fft %0, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return %0, %2, %3, %4 : tensor<4xf32>, tensor<2xui64>, tensor<3xui32>, tensor<3xcomplex<f32>>
}
