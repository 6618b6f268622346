#include "harness/engine/operations/data_movement.h"

#include <algorithm>
#include <cstring>

namespace vintage::harness {
namespace {

struct Loop {
  int64_t size, source, target;  // Strides in elements.
};

template <size_t kWidth>
struct Element {
  std::byte bytes[kWidth];
};

template <size_t kWidth>
void copyRow(const Loop& loop, const std::byte* source, std::byte* target) {
  using E = Element<kWidth>;
  const auto* in = reinterpret_cast<const E*>(source);
  auto* out = reinterpret_cast<E*>(target);
  if (loop.target == 1 && loop.source == 1) {
    std::memcpy(target, source, static_cast<size_t>(loop.size) * kWidth);
  } else if (loop.target == 1 && loop.source == 0) {
    std::fill_n(out, loop.size, *in);
  } else if (loop.target == 1) {
    for (int64_t i = 0; i < loop.size; ++i) out[i] = in[i * loop.source];
  } else {
    for (int64_t i = 0; i < loop.size; ++i) out[i * loop.target] = in[i * loop.source];
  }
}

// Sixteen elements of four bytes: in[4 rows of stride `source`] to out[4 rows of stride `target`].
void transposeFour(const Element<4>* in, int64_t source, Element<4>* out, int64_t target) {
  using Four = uint32_t __attribute__((vector_size(16)));
  Four row[4];
  for (int64_t b = 0; b < 4; ++b) std::memcpy(&row[b], in + b * source, sizeof(Four));
  const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Four high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four column[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                          __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                          __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                          __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int64_t a = 0; a < 4; ++a) std::memcpy(out + a * target, &column[a], sizeof(Four));
}

// A transposition: `outer` is dense in the source and `inner` in the target. In
// tiles, so that the lines that one of them touches stay in the cache.
template <size_t kWidth>
void copyTiles(const Loop& outer, const Loop& inner, const std::byte* source, std::byte* target) {
  using E = Element<kWidth>;
  constexpr int64_t kTile = 32;
  const auto* in = reinterpret_cast<const E*>(source);
  auto* out = reinterpret_cast<E*>(target);
  for (int64_t i = 0; i < outer.size; i += kTile) {
    for (int64_t j = 0; j < inner.size; j += kTile) {
      const int64_t lastI = std::min(i + kTile, outer.size);
      const int64_t lastJ = std::min(j + kTile, inner.size);
      const auto copyRest = [&](int64_t firstA, int64_t firstB, int64_t endA) {
        for (int64_t a = firstA; a < endA; ++a)
          for (int64_t b = firstB; b < lastJ; ++b)
            out[a * outer.target + b * inner.target] = in[a * outer.source + b * inner.source];
      };
      int64_t a = i;
      if constexpr (kWidth == 4) {
        for (; inner.target == 1 && outer.source == 1 && a + 4 <= lastI; a += 4) {
          int64_t b = j;
          for (; b + 4 <= lastJ; b += 4)
            transposeFour(in + a + b * inner.source, inner.source, out + a * outer.target + b,
                          outer.target);
          copyRest(a, b, a + 4);
        }
      }
      copyRest(a, j, lastI);
    }
  }
}

template <size_t kWidth>
void copyLoops(std::span<const Loop> loops, const std::byte* source, std::byte* target) {
  if (loops.size() == 1) return copyRow<kWidth>(loops[0], source, target);
  if (loops.size() == 2 && loops[0].source == 1 && loops[1].source > 1)
    return copyTiles<kWidth>(loops[0], loops[1], source, target);
  const Loop& loop = loops[0];
  const auto width = static_cast<int64_t>(kWidth);
  for (int64_t i = 0; i < loop.size; ++i)
    copyLoops<kWidth>(loops.subspan(1), source + i * loop.source * width,
                      target + i * loop.target * width);
}

}  // namespace

void stridedCopy(std::span<const int64_t> shape, size_t width, StridedSource source,
                 StridedTarget target) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return;
    if (shape[i] == 1) continue;
    const Loop loop{shape[i], source.strides[i], target.strides[i]};
    // Two dimensions that follow each other in both arrays are one.
    if (!loops.empty() && loops.back().source == loop.source * loop.size &&
        loops.back().target == loop.target * loop.size)
      loops.back() = {loops.back().size * loop.size, loop.source, loop.target};
    else
      loops.push_back(loop);
  }
  if (loops.empty()) loops.push_back({1, 1, 1});
  // The loop that is dense in the source stands beside the innermost one, which
  // is dense in the target.
  if (loops.size() > 2 && loops.back().source != 1) {
    const auto dense = std::ranges::find(loops, 1, &Loop::source);
    if (dense != loops.end()) std::rotate(dense, dense + 1, loops.end() - 1);
  }
  switch (width) {
    case 1:
      return copyLoops<1>(loops, source.data, target.data);
    case 2:
      return copyLoops<2>(loops, source.data, target.data);
    case 4:
      return copyLoops<4>(loops, source.data, target.data);
    case 8:
      return copyLoops<8>(loops, source.data, target.data);
    default:
      return copyLoops<16>(loops, source.data, target.data);
  }
}

void copyStrided(const golden::Tensor& source, int64_t first, std::vector<int64_t> strides,
                 golden::Tensor& result) {
  if (result.size() == 0) return;
  const size_t width = byteWidth(result.type());
  stridedCopy(result.shape(), width,
              {source.bytes().data() + first * static_cast<int64_t>(width), std::move(strides)},
              {result.mutableBytes().data(), rowMajorStrides(result.shape())});
}

bool hasDimension(std::span<const int64_t> dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

bool isPermutation(std::span<const int64_t> values, int64_t count) {
  std::vector<bool> seen(values.size());
  for (const int64_t value : values) {
    if (value < 0 || value >= std::ssize(values) || seen[static_cast<size_t>(value)]) return false;
    seen[static_cast<size_t>(value)] = true;
  }
  return std::ssize(values) == count;
}

std::vector<int64_t> joined(std::vector<int64_t> a, std::span<const int64_t> b,
                            std::span<const int64_t> c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

std::vector<int64_t> chosen(std::span<const int64_t> values, std::span<const int64_t> places) {
  std::vector<int64_t> result;
  result.reserve(places.size());
  for (const int64_t place : places) result.push_back(values[static_cast<size_t>(place)]);
  return result;
}

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // An empty array uses no stride; a huge dimension must not overflow.
    if (__builtin_mul_overflow(stride, shape[i], &stride)) stride = 0;
  }
  return strides;
}

void fill(std::span<std::byte> bytes, std::span<const std::byte> element) {
  if (bytes.empty()) return;
  std::memcpy(bytes.data(), element.data(), element.size());
  for (size_t filled = element.size(); filled < bytes.size();) {
    const size_t step = std::min(filled, bytes.size() - filled);
    std::memcpy(bytes.data() + filled, bytes.data(), step);
    filled += step;
  }
}

bool nextIndex(std::span<const int64_t> shape, std::span<int64_t> index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace vintage::harness
