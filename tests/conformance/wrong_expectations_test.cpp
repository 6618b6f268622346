// Shows that the listed expectations are wrong, by independent results and not by the engine; the
// engine is compared with the same results.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "golden/oracle/real.h"
#include "golden/program/program.h"
#include "golden/tensor/ulps.h"
#include "tests/conformance/wrong_expectations.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(VINTAGE_SHARED) / "corpus/stablehlo-testdata/static";
const fs::path kPage = fs::path(VINTAGE_SOURCE) / "docs/measured/wrong_expectations.md";

Result<Evidence> evidenceFor(const WrongExpectation& listed) {
  ProgramContext context;
  ASSIGN_OR_RETURN(auto program,
                   context.parseText(fileText(kFolder / listed.program), listed.program));
  ASSIGN_OR_RETURN(auto tree, program.tree());
  return gatherEvidence(tree, listed);
}

void expectWrong(const Evidence& evidence) {
  EXPECT_TRUE(judge(evidence.check, evidence.engine, evidence.expected))
      << "the program passes: delete it from the list";
  EXPECT_TRUE(judge(evidence.check, evidence.exact, evidence.expected))
      << "the exact result passes the check: it is the engine that is wrong";
  // Within the check's own bound, save for a few numbers that cancel: there an
  // error of a thousandth of an ulp of the others is many ulps.
  EXPECT_LE(evidence.engineBeyond * 10000, static_cast<int64_t>(evidence.numbers.size()));
  const bool single =
      evidence.exact.type() == ElementType::kF32 || evidence.exact.type() == ElementType::kC64;
  EXPECT_LE(evidence.largestBeyond, std::ldexp(1.0, single ? -23 - 10 : -52 - 10));
  EXPECT_FALSE(evidence.differing.empty());
  int nearer = 0;
  for (const size_t i : evidence.differing) {
    const JudgedNumber& number = evidence.numbers[i];
    if (number.expectedUlps > number.engineUlps || ++nearer > 5) continue;
    ADD_FAILURE() << number.place << ": the expectation is " << number.expectedUlps
                  << " ulps from the exact result, the engine " << number.engineUlps;
  }
  EXPECT_LT(evidence.engineError, evidence.expectedError / 2);
}

TEST(WrongExpectations, AreFartherFromTheExactResultThanTheEngine) {
  if (!fs::exists(kFolder)) GTEST_SKIP() << kFolder << " is absent";
  std::vector<Evidence> all;
  for (const WrongExpectation& listed : wrongExpectations()) {
    SCOPED_TRACE(listed.program);
    auto evidence = evidenceFor(listed);
    ASSERT_TRUE(evidence) << evidence.error().message;
    expectWrong(*evidence);
    all.push_back(std::move(*evidence));
  }
  const std::string page = printWrongExpectations(all);
  if (std::getenv("VINTAGE_WRITE_PAGES") != nullptr) std::ofstream(kPage) << page;
  EXPECT_EQ(fileText(kPage), page) << "run this test with VINTAGE_WRITE_PAGES=1";
}

// The origin of the expectations of cosh (sign 1) and sinh (sign -1).
void expectRoundedExponentials(const WrongExpectation& listed, double sign) {
  SCOPED_TRACE(listed.program);
  auto evidence = evidenceFor(listed);
  ASSERT_TRUE(evidence) << evidence.error().message;
  const auto round = [](const oracle::Real& x) { return x.roundTo(ElementType::kF32); };
  const double half = round(log(oracle::Real(0.5)));
  int far = 0;
  for (size_t i = 0; i < evidence->numbers.size(); ++i) {
    const double x = evidence->input.values<float>()[i];
    if (std::abs(x) < 1) continue;  // sinh cancels there.
    const double rising = round(exp(oracle::Real(round(oracle::Real(x) + half))));
    const double falling = round(exp(oracle::Real(round(oracle::Real(half) - x))));
    const double sum = round(oracle::Real(rising) + oracle::Real(sign * falling));
    far +=
        ulpDistance(static_cast<float>(sum), static_cast<float>(evidence->numbers[i].expected)) > 1;
  }
  EXPECT_EQ(far, 0);
}

TEST(WrongExpectations, OfHyperbolicFunctionsAreSumsOfRoundedExponentials) {
  if (!fs::exists(kFolder)) GTEST_SKIP() << kFolder << " is absent";
  expectRoundedExponentials(*findWrongExpectation("cosh_float32_20_20_chlo.mlir"), 1);
  expectRoundedExponentials(*findWrongExpectation("sinh_float32_20_20_chlo.mlir"), -1);
}

// The page lists exactly the listed programs, even if the programs themselves are absent.
TEST(WrongExpectations, StandOnThePage) {
  const std::string page = fileText(kPage);
  size_t sections = 0;
  for (size_t at = 0; (at = page.find("\n## ", at)) != std::string::npos; ++at) ++sections;
  EXPECT_EQ(sections, wrongExpectations().size());
  for (const WrongExpectation& listed : wrongExpectations())
    EXPECT_NE(page.find(listed.reason), std::string::npos) << listed.program;
}

}  // namespace
}  // namespace vintage::tests
