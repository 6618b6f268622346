func.func @main(%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>, %c: tensor<1x8x8x3xf32>, %d: tensor<3x3x3x4xf32>) -> (tensor<2x4x5xf32>, tensor<1x6x6x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %0, %1 : tensor<2x4x5xf32>, tensor<1x6x6x4xf32>
}
