#include "archive/records/build_details.h"

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::HasSubstr;

json described(const char* day) {
  return {{"runtime",
           {{"format", "vintage runtime"},
            {"version", 1},
            {"name", "jax 0.9.2"},
            {"build_date", day}}}};
}

// A description stood in the record as it came, and each judgement parsed it again: what could not
// be read was found by the gate, months after it was archived.
TEST(BuildDetails, ADescriptionIsReadWhereItsRecordIs) {
  const auto details = detailsOfJson(described("2026-01-05"));
  ASSERT_TRUE(details) << details.error().message;
  ASSERT_TRUE(details->runtime);
  EXPECT_EQ(details->runtime->name, "jax 0.9.2");
  const auto again = detailsOfJson(detailsJson(*details));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *details);
  json wrong = described("2026-13-05");
  for (const json& runtime : {wrong["runtime"], json("text"), json(7), json::array()}) {
    wrong["runtime"] = runtime;
    const auto refused = detailsOfJson(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(refused.error().message, HasSubstr("runtime"));
  }
  wrong["runtime"] = nullptr;
  EXPECT_FALSE(detailsOfJson(wrong)->runtime);
}

}  // namespace
}  // namespace vintage::tests
