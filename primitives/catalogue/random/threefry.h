// Random bits of JAX's default generator, threefry2x32, and numbers made of them.
//
// A key is two words. The i-th element of an array is made from the cipher of
// the 64-bit counter i ("partitionable", JAX's default).
#pragma once

#include <cstdint>
#include <vector>

#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

inline constexpr golden::ElementType kWord = golden::ElementType::kUi32;

// --- As an oracle computes.
struct ThreefryPair {
  uint32_t first = 0, second = 0;
};
ThreefryPair threefry(ThreefryPair key, ThreefryPair counter);
ThreefryPair keyOf(const golden::Tensor& key);  // ui32[2]
// The i-th of the keys that `key` splits into.
inline ThreefryPair splitKey(ThreefryPair key, uint32_t i) { return threefry(key, {0, i}); }
// `bits` (8, 16, 32, 64) random bits of element i, and their type.
uint64_t randomBits(ThreefryPair key, int bits, uint32_t i);
golden::ElementType unsignedOf(int bits);
// Element i of a uniform array between two numbers of the type, with every
// operation of the lowering rounded.
double uniformNumber(ThreefryPair key, golden::ElementType type, uint32_t i, double low = 0,
                     double high = 1);

golden::Tensor makeKey(Random& random);
// Where uniform numbers start that a logarithm takes.
double smallestNormal(golden::ElementType type);

// --- As it is lowered.
// Two key words and two counter words, of one shape: a loop on the CPU, a kernel
// of the runtime on CUDA and ROCm, written out elsewhere.
SsaValues emitThreefry(Arguments words);

// A key as two words of one shape, one key for each element.
struct KeyWords {
  SsaValue first, second;
};
KeyWords keyWords(const SsaValue& key);  // From ui32[2]
// The two words that a scalar key makes for each element of a shape.
SsaValues cipherAll(const KeyWords& key, const golden::Shape& shape);
// `count` new keys for each key.
std::vector<KeyWords> splitKeys(const KeyWords& keys, int64_t count);

// An array of unsigned integers of `bits` from a scalar key.
SsaValue emitRandomBits(const KeyWords& key, int bits, const golden::Shape& shape);
// Uniform in [low, high), of a scalar key in `shape`, or one number for each key.
SsaValue emitUniform(const KeyWords& key, golden::ElementType type, const golden::Shape& shape,
                     double low = 0, double high = 1);
SsaValue emitUniformEach(const KeyWords& keys, golden::ElementType type, double low = 0,
                         double high = 1);
// Standard normal, one for each key: sqrt(2) erfinv(u), u in (-1, 1).
SsaValue emitNormalEach(const KeyWords& keys, golden::ElementType type);
// `base`, which makes an array of `shape` from a key, with one more argument of that shape: it
// gives the shape's dimension variables their values, and nothing else.
CaseSpecification withShapeOf(CaseSpecification base, const golden::Shape& shape);

// The number next to -1 in the direction of zero.
double aboveMinusOne(golden::ElementType type);

}  // namespace vintage::primitives
