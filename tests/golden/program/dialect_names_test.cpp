// The names that a release knows, compared with those known here.
#include "golden/program/dialect_names.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace golden;

namespace {

// As a release of this very StableHLO would answer.
DialectNames knownNames() {
  return {
      kCurrentStablehloVersion,
      {{"stablehlo.compare", {"comparison_direction", "compare_type"}},
       {"chlo.top_k", {"k", "is_stable"}},
       {"sdy.mesh", {"sym_name", "mesh"}},
       {"vhlo.gather_v2", {}}},
      {"stablehlo.token", "vhlo.f8E8M0FNU_v1", "vhlo.tensor_v1"},
      {"stablehlo.channel_handle", "stablehlo.type_extensions", "chlo.precision", "sdy.sharding",
       "vhlo.array_v1", "vhlo.comparison_type_v1", "stablehlo.result_accuracy_mode"},
      {{"vhlo.comparison_type_v1", {"NOTYPE", "WEAKORDER"}},
       {"chlo.precision", {"HIGHEST"}},
       {"stablehlo.result_accuracy_mode", {"TOLERANCE"}}}};
}

std::vector<std::string> namesOf(const DialectNames& theirs) {
  ProgramContext context;
  std::vector<std::string> names;
  for (const UnknownName& unknown : unknownNames(context, theirs))
    names.push_back(unknown.kind + " " + unknown.name +
                    (unknown.reason.empty() ? "" : " (" + unknown.reason + ")"));
  return names;
}

TEST(DialectNames, NothingIsNewInWhatIsKnown) {
  EXPECT_THAT(namesOf(knownNames()), testing::IsEmpty());
}

TEST(DialectNames, EachKindOfNameThatIsMissedIsReported) {
  DialectNames theirs = knownNames();
  ++theirs.version.minor;
  theirs.operations["stablehlo.rotate"] = {"dimension"};
  theirs.operations["stablehlo.compare"].push_back("comparison_order");
  theirs.operations["vhlo.gather_v3"] = {};
  theirs.types.insert(theirs.types.end(), {"vhlo.f128_v1", "chlo.handle"});
  theirs.attributes.push_back("stablehlo.sparsity");
  theirs.cases["vhlo.comparison_type_v1"].push_back("PARTIALORDER");
  theirs.cases["stablehlo.result_accuracy_mode"].push_back("LOWEST");
  StablehloVersion next = kCurrentStablehloVersion;
  ++next.minor;
  EXPECT_THAT(namesOf(theirs),
              testing::ElementsAre(
                  "version " + formatStablehloVersion(next),
                  "attribute of an operation comparison_order of stablehlo.compare",
                  "operation stablehlo.rotate", "operation vhlo.gather_v3", "type vhlo.f128_v1",
                  "type chlo.handle", "case PARTIALORDER of vhlo.comparison_type_v1",
                  "case LOWEST of stablehlo.result_accuracy_mode", "attribute stablehlo.sparsity"));
}

TEST(DialectNames, ANewerPatchIsNoNewVersion) {
  DialectNames theirs = knownNames();
  ++theirs.version.patch;
  EXPECT_THAT(namesOf(theirs), testing::IsEmpty());
}

TEST(DialectNames, NamesOfShardysPartitionerHaveAReason) {
  DialectNames theirs;
  theirs.operations["sdy.all_gather"] = {"gathering_axes"};
  EXPECT_THAT(namesOf(theirs),
              testing::ElementsAre(testing::AllOf(testing::StartsWith("operation sdy.all_gather ("),
                                                  testing::HasSubstr("partitioner"))));
}

}  // namespace
}  // namespace vintage::tests
