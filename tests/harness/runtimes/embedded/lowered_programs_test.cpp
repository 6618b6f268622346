// Programs that the catalogue writes out where a platform has no kernel, and those
// whose sizes are dimension variables, run on the engine against their goldens.
#include <set>

#include <gtest/gtest.h>

#include "harness/engine/custom_calls/registry.h"
#include "harness/replay/replay.h"
#include "harness/runtimes/embedded/executor.h"
#include "primitives/catalogue/export.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;
using namespace archive;
using namespace harness;

namespace {

// Runs the cases whose first argument has one of `types` and whose variant is
// among `variants`; returns their number.
int runCases(const std::set<std::string>& primitives, const std::set<std::string>& variants,
             const std::set<ElementType>& types, const std::string& platform) {
  ProgramContext context;
  Executor executor(size_t{1} << 30);
  int ran = 0;
  for (const Case& entry : catalogue()) {
    if (!primitives.contains(entry.primitive) || !variants.contains(entry.variant) ||
        !types.contains(entry.arguments.at(0).type))
      continue;
    auto exported = exportCase(context, entry, platform, {});
    auto golden = goldenFor(entry);
    EXPECT_TRUE(exported && golden) << entry.id << (exported ? "" : exported.error().message);
    if (!exported || !golden) continue;
    auto bytes = writeExported(*exported);
    EXPECT_TRUE(bytes) << entry.id;
    for (const char* mode : {"graph", "eager"}) {
      ExecuteRequest request;
      request.name = entry.id;
      request.platform = platform;
      request.mode = mode;
      request.artifact = *bytes;
      request.inputs = golden->inputs;
      const ExecuteReply reply = executor.execute(request);
      EXPECT_EQ(reply.outcome, OutcomeKind::kPass) << entry.id << ": " << reply.detail;
      if (reply.outcome != OutcomeKind::kPass) continue;
      const Judged judged = compareWithGolden(*golden, reply.outputs);
      EXPECT_EQ(judged.outcome, OutcomeKind::kPass) << entry.id << ": " << judged.detail;
      // The engine gives XLA's values also where the specification leaves them open.
      EXPECT_EQ(judged.detail, "") << entry.id;
    }
    ++ran;
  }
  return ran;
}

TEST(LoweredPrograms, ThePolarDecompositionGivesTheTpusSingularValues) {
  EXPECT_GE(runCases({"svd"}, {"static", "poly"}, {ElementType::kF32, ElementType::kC128}, "tpu"),
            40);
}

TEST(LoweredPrograms, TridiagonalSystemsAreSolvedByEveryPlatformsWay) {
  for (const char* platform : {"cpu", "cuda", "rocm", "tpu"})
    EXPECT_GE(runCases({"tridiagonal_solve"}, {"static", "poly"}, {ElementType::kF32}, platform), 4)
        << platform;
}

TEST(LoweredPrograms, SolversRunAtEverySizeOfTheirBatches) {
  for (const char* platform : {"cpu", "cuda", "tpu"}) {
    std::set<std::string> primitives{"cholesky",
                                     "eigh",
                                     "geqrf",
                                     "householder_product",
                                     "lu",
                                     "qr",
                                     "custom_linear_solve",
                                     "triangular_solve"};
    if (platform == std::string("cpu"))
      primitives.insert({"eig", "hessenberg", "schur", "tridiagonal"});
    EXPECT_GE(runCases(primitives, {"poly"}, {ElementType::kF32, ElementType::kC64}, platform), 40)
        << platform;
  }
}

TEST(LoweredPrograms, RandomArraysAndSearchesRunAtEverySize) {
  EXPECT_GE(runCases({"random_bits", "random_categorical", "random_gamma", "random_randint",
                      "random_seed", "random_split", "random_uniform", "rng_bit_generator",
                      "threefry2x32", "approx_top_k", "lu_pivots_to_permutation"},
                     {"poly"}, {ElementType::kUi32, ElementType::kF32, ElementType::kI32}, "cpu"),
            60);
}

// ApproxTopK was described for TPUs only, and every platform's lowering calls it.
TEST(LoweredPrograms, EveryTargetIsToldForThePlatformsWhoseLoweringCallsIt) {
  std::set<std::pair<std::string, std::vector<ElementType>>> seen;
  std::set<std::string> called;
  for (const Case& entry : catalogue()) {
    const bool chosen = entry.variant == "static" || entry.variant == "poly";
    if (!chosen || !seen.emplace(entry.primitive + entry.variant, entry.dtypes).second) continue;
    for (const std::string& platform : entry.platforms) {
      auto lowered = entry.lower(platform);
      ASSERT_TRUE(lowered) << entry.id;
      for (const std::string& name : targetsOf(*lowered)) {
        const CustomCallTarget* target = findCustomCallTarget(name);
        ASSERT_NE(target, nullptr) << entry.id << " calls " << name << " on " << platform;
        EXPECT_TRUE(target->platform == "any" || target->platform == platform)
            << entry.id << " calls " << name << " of " << target->platform << " on " << platform;
        called.insert(name);
      }
    }
  }
  EXPECT_GE(called.size(), 70u) << "most of LAPACK, its twins on GPUs, and the compilers' own";
}

}  // namespace
}  // namespace vintage::tests
