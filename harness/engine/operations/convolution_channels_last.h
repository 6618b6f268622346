// Convolutions whose features lie side by side in memory, as JAX's users mostly
// write them: a patch is a few long copies, and the kernel, the patches and the
// result are the three matrices of one product as they lie.
#pragma once

#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// For each output index and kernel index of a spatial dimension, kernel indices side by
// side: the input index, or -1 where padding or a gap of the dilation lies.
std::vector<int64_t> sourceTable(const SpatialWindow& window, int64_t output, int64_t kernel,
                                 int64_t input);

// One group only. `image` is [batch, spatial…, feature], `weights` [kernel spatial…,
// input feature, output feature] and `out` [batch, spatial…, output feature], every
// element of which is written. T: as in multiplyMatrices.
template <typename T>
void convolveChannelsLast(const ConvolutionConfiguration& convolution,
                          const ConvolutionSizes& sizes, const T* image, const T* weights, T* out);

}  // namespace vintage::harness::engine
