// The rule about a custom-call target that changes under its name: on its last illegal day, one day
// later, and for each way to edit a schema.
//
// OLD is of 2026-01-10 (change_builder.h). 180 days after it is 2026-07-09, so
// 2026-07-10 is the first day without it: 2026-01-10 + 181 days.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// ---- target-changed-in-place

struct ChangedInPlace : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  ChangedInPlace() { builder.facts.add("call", "2026-02-01", {"solve"}); }
  TargetSchema& schema() { return builder.change.after.targets[0].schema; }
  std::vector<Finding> findings() { return builder.findings("target-changed-in-place"); }
};

TEST_F(ChangedInPlace, NothingWhereTheSchemaStays) { EXPECT_THAT(findings(), IsEmpty()); }

TEST_F(ChangedInPlace, NeverLegalWhileExportsCallIt) {
  schema().operands[0].type = "f64[n,n]";
  builder.setToday(day("2036-01-01"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_FALSE(found[0].legal);
  EXPECT_THAT(found[0].message, HasSubstr("operand 'a: f32[n,n]' becomes 'a: f64[n,n]'"));
}

// The versions of a kernel's format that a compiler reads: more of them break nobody, fewer do.
TEST_F(ChangedInPlace, AFormatThatIsNoLongerReadIsAChange) {
  const auto reads = [](const char* versions) {
    return TargetValue{"body", std::string("a Mosaic kernel of versions ") + versions, false};
  };
  builder.change.before.targets[0].schema.attributes = {reads("1 to 9")};
  schema().attributes = {reads("1 to 15")};
  EXPECT_THAT(findings(), IsEmpty());
  schema().attributes = {reads("7 to 15")};
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].message,
              HasSubstr("attribute 'body: a Mosaic kernel of versions 1 to 9' becomes 'body: a "
                        "Mosaic kernel of versions 7 to 15'"));
  EXPECT_THAT(found[0].artifacts, SizeIs(1));
  schema().attributes = {reads("1 to 8")};
  EXPECT_THAT(findings(), SizeIs(1));
}

// A target that changed from `any` to `cpu` was compared with nothing: it stays, but its new form
// was not checked.
TEST_F(ChangedInPlace, ATargetForAnyIsComparedWithTheOneOfAPlatform) {
  builder.change.before.targets[0].platform = "any";
  EXPECT_THAT(findings(), IsEmpty());
  schema().results.clear();
  EXPECT_THAT(findings(), SizeIs(1));
}

// A name that no release exports is free once its last artifact, of 2026-02-01, left the window.
TEST_F(ChangedInPlace, ForbiddenOnTheLastDayOfTheWindow) {
  schema().results.clear();
  builder.change.before.targets[0].exported = false;
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
}

TEST_F(ChangedInPlace, AllowedOnTheNextDayWhereNobodyExportsIt) {
  schema().results.clear();
  builder.change.before.targets[0].exported = false;
  builder.setToday(day("2026-08-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

struct SchemaEdit {
  const char* name;
  void (*edit)(TargetSchema&);
  GateResult result;
};

class EditedSchema : public testing::TestWithParam<SchemaEdit> {};

TEST_P(EditedSchema, IsJudged) {
  ChangeBuilder builder{"2026-07-31"};
  GetParam().edit(builder.change.after.targets[0].schema);
  const auto found = builder.findings("target-changed-in-place");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GetParam().result) << found[0].message;
}

constexpr GateResult kForbidden = GateResult::kForbidden, kReview = GateResult::kNeedsReview;

INSTANTIATE_TEST_SUITE_P(
    Edits, EditedSchema,
    testing::Values(
        SchemaEdit{"OperandGone", [](TargetSchema& s) { s.operands.clear(); }, kForbidden},
        SchemaEdit{"OperandNeeded",
                   [](TargetSchema& s) { s.operands.push_back({"b", "f32", false}); }, kForbidden},
        SchemaEdit{"OperandOffered",
                   [](TargetSchema& s) { s.operands.push_back({"b", "f32", true}); }, kReview},
        SchemaEdit{"OperandRenamed", [](TargetSchema& s) { s.operands[0].name = "m"; }, kForbidden},
        SchemaEdit{"OperandRelaxed", [](TargetSchema& s) { s.operands[0].optional = true; },
                   kReview},
        SchemaEdit{"ResultAdded",
                   [](TargetSchema& s) { s.results.push_back({"info", "i32", true}); }, kForbidden},
        SchemaEdit{"AttributeGone", [](TargetSchema& s) { s.attributes.clear(); }, kForbidden},
        SchemaEdit{"AttributeNeeded",
                   [](TargetSchema& s) { s.attributes.push_back({"side", "ui8", false}); },
                   kForbidden},
        SchemaEdit{"AttributeOffered",
                   [](TargetSchema& s) { s.attributes.push_back({"side", "ui8", true}); }, kReview},
        SchemaEdit{"AttributeType", [](TargetSchema& s) { s.attributes[0].type = "string"; },
                   kForbidden},
        SchemaEdit{"ApiGone", [](TargetSchema& s) { s.apiVersions = {2}; }, kForbidden},
        SchemaEdit{"ApiOffered", [](TargetSchema& s) { s.apiVersions = {2, 4}; }, kReview},
        SchemaEdit{"Aliased", [](TargetSchema& s) { s.aliases = {{0, 0}}; }, kForbidden}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vintage::tests
