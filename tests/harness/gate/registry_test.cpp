#include "archive/records/runtime_description.h"

#include <gmock/gmock.h>

#include "golden/base/strict_json.h"

namespace vintage::tests {
using namespace archive;

namespace {

using testing::HasSubstr;

Date day(const char* text) { return *parseDate(text); }

RuntimeDescription sample() {
  RuntimeDescription out;
  out.name = "runtime 2026-05-01";
  out.version = "1.2.3";
  out.buildDate = day("2026-05-01");
  out.released = day("2026-05-04");
  out.platforms = {"cpu"};
  out.modes = {"eager", "graph"};
  RegisteredTarget target;
  target.name = "solve_ffi";
  target.platform = "cpu";
  target.schema = {{4},
                   {{"a", "f32[*,n,n]", false}, {"alpha", "f32", true}},
                   {{"x", "f32[*,n,m]", false}},
                   {{"uplo", "ui8", false}},
                   {{0, 0}}};
  target.since = day("2026-01-05");
  target.exported = true;
  target.exportedSince = day("2026-02-01");
  target.replaces = {"solve", "solve_batched"};
  target.removedOn = day("2027-01-01");
  out.targets = {target};
  out.stableTargets = {{"solve", std::nullopt}, {"solve_ffi", day("2026-01-05")}};
  out.callingConvention = {9, 10, 9, day("2026-04-01")};
  out.serialization = {1, 12, 11, std::nullopt};
  out.stablehlo = {StablehloVersion{0, 9, 0}, StablehloVersion{1, 20, 0},
                   StablehloVersion{1, 18, 2}};
  out.serializationSchema = "table T { a: int; }\nroot_type T;\n";
  out.packages = {"0.11.0", "0.11.0", "0.10.1", 301};
  return out;
}

TEST(Registry, EveryFieldSurvivesItsJson) {
  const RuntimeDescription description = sample();
  auto again = parseRuntimeDescription(toJson(description).dump(), "r.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, description);
}

TEST(Registry, OrderOfTargetsAndAttributesMeansNothing) {
  RuntimeDescription description = sample();
  RegisteredTarget other = description.targets[0];
  other.name = "a_first";
  other.schema.attributes = {{"z", "i32", false}, {"b", "i32", false}};
  description.targets.push_back(other);
  auto again = parseRuntimeDescription(toJson(description).dump(), "r.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->targets[0].name, "a_first");
  EXPECT_EQ(again->targets[0].schema.attributes[0].name, "b");
}

TEST(Registry, AValueIsWrittenAsNameAndType) {
  EXPECT_EQ(parseTargetValue("a: f32[*,m,n]"), (TargetValue{"a", "f32[*,m,n]", false}));
  EXPECT_EQ(parseTargetValue("alpha?: f32"), (TargetValue{"alpha", "f32", true}));
  EXPECT_EQ(parseTargetValue("any number of operands"),
            (TargetValue{"", "any number of operands", false}));
}

struct BadDocument {
  const char* name;
  const char* patch;    // Merged into the sample (RFC 7386).
  const char* message;  // The expected message.
};

class BadRegistry : public testing::TestWithParam<BadDocument> {};

TEST_P(BadRegistry, IsRefusedWithItsPlace) {
  nlohmann::json document = toJson(sample());
  document.merge_patch(nlohmann::json::parse(GetParam().patch));
  auto result = parseRuntimeDescription(document.dump(), "r.json");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("r.json"));
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Documents, BadRegistry,
    testing::Values(
        BadDocument{"OtherFormat", R"({"format": "a letter"})", "\"format\": \"vintage runtime\""},
        BadDocument{"NewerVersion", R"({"version": 2})", "reads versions up to 1"},
        BadDocument{"VersionZero", R"({"version": 0})", "from 1 to 1"},
        BadDocument{"NoName", R"({"name": null})", "name: is missing"},
        BadDocument{"NoDate", R"({"build_date": "2026-02-30"})",
                    "build_date: '2026-02-30' is not a date"},
        BadDocument{"UnknownField", R"({"buildDate": "2026-02-01"})",
                    "buildDate: is not a field here"},
        BadDocument{"TargetsAsText", R"({"targets": "none"})",
                    "targets: expected a list, found \"none\""},
        BadDocument{"TargetAsText", R"({"targets": ["potrf"]})", "targets[0]: expected an object"},
        BadDocument{"TargetWithoutName", R"({"targets": [{"name": ""}]})", "targets[0].name"},
        BadDocument{"DoubleTarget", R"({"targets": [{"name": "a"}, {"name": "a"}]})",
                    "'a' on 'any' stands there twice"},
        BadDocument{"DoubleStable", R"({"stable_targets": [{"name": "a"}, {"name": "a"}]})",
                    "'a' stands there twice"},
        BadDocument{
            "ExportedAndNot",
            R"({"targets": [{"name": "a", "exported": false, "exported_since": "2026-01-01"}]})",
            "targets[0].exported_since"},
        BadDocument{"RangeUpsideDown",
                    R"({"calling_convention": {"oldest": 11, "newest": 10, "default": 10}})",
                    "the oldest version 11 is newer"},
        BadDocument{"DefaultOutside",
                    R"({"serialization": {"oldest": 2, "newest": 10, "default": 1}})",
                    "serialization.default: 1 is not one of"},
        BadDocument{"NegativeVersion",
                    R"({"calling_convention": {"oldest": -1, "newest": 10, "default": 10}})",
                    "calling_convention.oldest: expected a whole number"},
        BadDocument{
            "HugeVersion",
            R"({"calling_convention": {"oldest": 1, "newest": 99999999999999999999, "default": 10}})",
            "calling_convention.newest: expected a whole number"},
        BadDocument{"BadStablehlo", R"({"stablehlo": {"oldest": "one"}})", "stablehlo.oldest"},
        BadDocument{"StablehloUpsideDown", R"({"stablehlo": {"oldest": "1.21.0"}})",
                    "newer than the newest, 1.20.0"}),
    [](const auto& info) { return info.param.name; });

// A truncated or altered file is read or rejected; nothing crashes.
TEST(Registry, DamagedTextIsReadOrRefused) {
  const std::string text = toJson(sample()).dump();
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parseRuntimeDescription(text.substr(0, length), "r.json"));
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      auto result = parseRuntimeDescription(damaged, "r.json");
      if (!result) EXPECT_FALSE(result.error().message.empty());
    }
}

TEST(Registry, DeeplyNestedTextIsRefused) {
  EXPECT_FALSE(parseRuntimeDescription(std::string(200'000, '['), "r.json"));
  const std::string deep = R"({"format": "vintage runtime", "version": 1, "name": )" +
                           std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_FALSE(parseRuntimeDescription(deep, "r.json"));
}

}  // namespace
}  // namespace vintage::tests
