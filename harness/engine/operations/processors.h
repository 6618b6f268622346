// Loops that are compiled for any processor of the architecture and once more for AVX2, which
// shifts by an amount for each element and holds twice as many. Both round alike: AVX2 by itself
// multiplies and adds apart.
#pragma once

// A loop that calls a function for each element is no vector loop; nobody needs to know.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace vintage::harness {

#if defined(__x86_64__)
inline const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
template <auto kFunction, typename... Arguments>
[[gnu::target("avx2")]] void onAvx2(Arguments... arguments) {
  kFunction(arguments...);
}
#endif

// Calls kFunction, which must be always_inline to be compiled for both.
template <auto kFunction, typename... Arguments>
void onAnyProcessor(Arguments... arguments) {
#if defined(__x86_64__)
  if (kHasAvx2) return onAvx2<kFunction>(arguments...);
#endif
  kFunction(arguments...);
}

}  // namespace vintage::harness
