// JAX's own compatibility artifacts that use custom calls which run on a CPU:
// each must give the values that JAX recorded.
#include "golden/compare/comparator.h"
#include "golden/kernels/kernel_reader.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;

namespace {

namespace fs = std::filesystem;

// Those for a CPU, and of those for accelerators the ones whose targets say all
// that a computation needs.
bool isRunHere(const std::string& name) {
  const auto startsWithAny = [&](std::initializer_list<const char*> prefixes) {
    return std::ranges::any_of(prefixes, [&](const char* p) { return name.starts_with(p); });
  };
  return startsWithAny({"cpu_", "stablehlo_dynamic_", "cuda_", "gpu_eigh", "rocm_",
                        "tpu_ApproxTopK", "pallas.mosaic_matmul", "pallas.mosaic_semaphore_dma"});
}

std::vector<std::string> artifactNames() {
  std::vector<std::string> names;
  const fs::path corpus = fs::path(VINTAGE_SHARED) / "corpus" / "jax-backcompat";
  if (!fs::exists(corpus)) return names;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    if (isRunHere(name)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

// Their matrices are singular, so that eigenvectors and Schur forms are not
// unique; everything else is compared element by element.
Comparator comparatorFor(const std::string& name) {
  Comparator comparator;
  if (name.find("_eig") != std::string::npos || name.find("_syev") != std::string::npos) {
    comparator.kind = Comparator::Kind::kEigenvectors;
  } else if (name.find("_svd_") != std::string::npos && !name.starts_with("cpu_")) {
    comparator.kind = Comparator::Kind::kSingularVectors;
  } else if (name.starts_with("cpu_schur")) {
    comparator.kind = Comparator::Kind::kSchur;
  } else {
    comparator.kind = Comparator::Kind::kElementwise;
    comparator.tolerance.absolute = 2e-5;
    comparator.tolerance.relative = 2e-5;
  }
  return comparator;
}

class CompatibilityArtifact : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CompatibilityArtifact);
// Otherwise their absence would go unnoticed.
TEST(CompatibilityCorpus, IsThere) {
  if (artifactNames().empty()) GTEST_SKIP() << VINTAGE_SHARED "/corpus/jax-backcompat is absent";
}

TEST_P(CompatibilityArtifact, GivesWhatJaxRecorded) {
  const fs::path folder = fs::path(VINTAGE_SHARED) / "corpus" / "jax-backcompat" / GetParam();
  harness::readKernelsWith({.mosaic = readMosaicKernel});
  ProgramContext context;
  const auto program =
      context.readPortableArtifact(fileBytes(folder / "module.mlirbc"), GetParam());
  ASSERT_TRUE(program.has_value()) << program.error().message;
  const auto inputs = numberedArrays(folder, "input");
  const auto expected = numberedArrays(folder, "expected");
  const auto outputs = tryProgram(*program, inputs);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  const Comparator comparator = comparatorFor(GetParam());
  const Comparison comparison = compareOutputs(comparator, inputs, expected, *outputs);
  EXPECT_TRUE(comparison.same) << comparison.firstDifference;
}

INSTANTIATE_TEST_SUITE_P(Jax, CompatibilityArtifact, testing::ValuesIn(artifactNames()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace vintage::tests
