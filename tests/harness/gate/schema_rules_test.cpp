// Breaks by a change of a flatbuffer schema: found by the comparison, proven by flatbuffers itself
// (its conformance check, and bytes written and read), and judged by the gate at its border.
#include <random>

#include <flatbuffers/idl.h>
#include <fmt/format.h>

#include "harness/gate/rules/serialization_schema.h"
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kBase = R"(
namespace wire;
enum Kind : byte { leaf = 0, tuple = 1 }
table Node { kind: Kind (id: 0); children: [Node] (id: 1); name: string (id: 2); }
struct Point { x: float; y: float; }
table Root { version: ushort (id: 0); tree: Node (id: 1); count: int = 7 (id: 2); at: Point (id: 3);
             key: string (id: 4); }
root_type Root;
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct SchemaEdit {
  const char* name;
  const char* from;
  const char* to;
  bool breaksOldBytes, breaksOldReaders, extends;
};

class EditedFlatbuffer : public testing::TestWithParam<SchemaEdit> {};

TEST_P(EditedFlatbuffer, IsToldByWhatItBreaks) {
  const SchemaEdit& edit = GetParam();
  auto found = compareSchemas(kBase, replaced(kBase, edit.from, edit.to));
  ASSERT_TRUE(found) << found.error().message;
  bool oldBytes = false, oldReaders = false, extends = false;
  for (const SchemaDifference& difference : *found) {
    oldBytes |= difference.breaksOldBytes;
    oldReaders |= difference.breaksOldReaders;
    extends |= difference.extends;
  }
  EXPECT_EQ(oldBytes, edit.breaksOldBytes);
  EXPECT_EQ(oldReaders, edit.breaksOldReaders);
  EXPECT_EQ(extends, edit.extends);
}

// The comparison must report every change that `flatc --conform` rejects.
TEST_P(EditedFlatbuffer, IsNoLaxerThanFlatbuffers) {
  flatbuffers::Parser before, after;
  ASSERT_TRUE(before.Parse(kBase));
  const std::string text = replaced(kBase, GetParam().from, GetParam().to);
  ASSERT_TRUE(after.Parse(text.c_str())) << after.error_;
  const bool conforms = after.ConformTo(before).empty();
  if (!conforms) {
    EXPECT_TRUE(GetParam().breaksOldBytes || GetParam().breaksOldReaders)
        << after.ConformTo(before);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Edits, EditedFlatbuffer,
    testing::Values(
        SchemaEdit{"FieldAdded", "key: string (id: 4);", "key: string (id: 4); more: int (id: 5);",
                   false, false, true},
        SchemaEdit{"RequiredFieldAdded", "key: string (id: 4);",
                   "key: string (id: 4); more: string (id: 5, required);", true, false, true},
        SchemaEdit{"FieldRemoved", "key: string (id: 4);", "", true, false, false},
        SchemaEdit{"FieldDeprecated", "(id: 4)", "(id: 4, deprecated)", false, false, true},
        SchemaEdit{"FieldRenamed", "key: string", "label: string", false, false, false},
        SchemaEdit{"IdsSwapped", "version: ushort (id: 0); tree: Node (id: 1);",
                   "version: ushort (id: 1); tree: Node (id: 0);", true, true, false},
        SchemaEdit{"TypeWidened", "version: ushort", "version: uint", true, true, false},
        SchemaEdit{"TypeChanged", "key: string", "key: [ubyte]", true, true, false},
        SchemaEdit{"DefaultChanged", "count: int = 7", "count: int = 8", true, true, false},
        SchemaEdit{"DefaultBecomesNull", "count: int = 7", "count: int = null", true, true, false},
        SchemaEdit{"BecomesRequired", "(id: 4)", "(id: 4, required)", true, false, false},
        SchemaEdit{"EnumeratorAdded", "tuple = 1 }", "tuple = 1, list = 2 }", false, false, true},
        SchemaEdit{"EnumeratorRemoved", "leaf = 0, tuple = 1", "leaf = 0", true, false, false},
        SchemaEdit{"EnumeratorRenumbered", "tuple = 1", "tuple = 2", true, false, true},
        SchemaEdit{"EnumeratorsSwapped", "leaf = 0, tuple = 1", "tuple = 0, leaf = 1", true, true,
                   false},
        SchemaEdit{"EnumWidened", "Kind : byte", "Kind : int", true, true, false},
        SchemaEdit{"StructGrown", "y: float;", "y: float; z: float;", true, true, false},
        SchemaEdit{"StructReordered", "x: float; y: float;", "x: int; y: float;", true, true,
                   false},
        SchemaEdit{"NestedTable", "name: string (id: 2)", "name: int (id: 2)", true, true, false},
        SchemaEdit{"RootChanged", "root_type Root", "root_type Node", true, true, false},
        SchemaEdit{"NamespaceRenamed", "namespace wire", "namespace other", false, false, false},
        SchemaEdit{"IdentifierAdded", "root_type Root;",
                   "root_type Root; file_identifier \"VNTG\";", true, true, false}),
    [](const auto& info) { return info.param.name; });

TEST(SchemaComparison, EqualTextsDifferInNothing) {
  EXPECT_THAT(*compareSchemas(kBase, kBase), IsEmpty());
}

// Random edits of defaults and field order, judged by writing with the one schema and reading with
// the other: values must survive a change that is called harmless.
TEST(SchemaComparison, WhatItCallsHarmlessReadsBack) {
  std::mt19937 random(20261120);
  const auto make = [&](int fields, unsigned seed) {
    std::mt19937 choose(seed);
    std::string text = "table T {";
    const char* types[] = {"int", "uint", "short", "string", "[int]"};
    for (int id = 0; id < fields; ++id)
      text += fmt::format(" f{0}: {1}{2} (id: {0});", id, types[choose() % 5 % (id == 0 ? 1 : 5)],
                          id == 0 ? fmt::format(" = {}", choose() % 2) : "");
    return text + " } root_type T;";
  };
  int harmless = 0, harmful = 0;
  for (int round = 0; round < 300; ++round) {
    const unsigned seed = random() % 12, other = random() % 12;
    const std::string before = make(3, seed),
                      after = make(3 + random() % 2, random() % 2 == 0 ? seed : other);
    auto found = compareSchemas(before, after);
    ASSERT_TRUE(found) << found.error().message;
    const bool breaks = std::any_of(found->begin(), found->end(), [](const auto& difference) {
      return difference.breaksOldBytes;
    });
    flatbuffers::Parser writer, reader;
    ASSERT_TRUE(writer.Parse(before.c_str()));
    ASSERT_TRUE(reader.Parse(after.c_str()));
    EXPECT_EQ(breaks, !reader.ConformTo(writer).empty()) << before << "\n" << after;
    (breaks ? harmful : harmless) += 1;
    if (breaks) continue;
    ASSERT_TRUE(writer.Parse("{ f0: 1 }"));
    std::string then, now;
    writer.opts.output_default_scalars_in_json = reader.opts.output_default_scalars_in_json = true;
    ASSERT_TRUE(flatbuffers::GenerateText(writer, writer.builder_.GetBufferPointer(), &then));
    ASSERT_TRUE(flatbuffers::GenerateText(reader, writer.builder_.GetBufferPointer(), &now));
    EXPECT_THAT(now, HasSubstr("f0: 1"));
    EXPECT_THAT(then, HasSubstr("f0: 1"));
  }
  EXPECT_GT(harmless, 20);
  EXPECT_GT(harmful, 20);
}

TEST(SchemaComparison, BadTextsAreRefused) {
  for (const char* text :
       {"", "table T {", "table T { a: int; }", "include \"/etc/passwd\"; table T {} root_type T;",
        "table T { a: Unknown; } root_type T;", "table T { a: int (id: 4); } root_type T;"}) {
    auto result = compareSchemas(kBase, text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().message, HasSubstr("the new serialization schema"));
  }
}

TEST(SchemaComparison, DamagedTextIsReadOrRefused) {
  const std::string text = kBase;
  std::mt19937 random(7);
  for (size_t length = 0; length < text.size(); ++length)
    (void)compareSchemas(text.substr(0, length), kBase);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)compareSchemas(kBase, damaged);
  }
  (void)compareSchemas(kBase, "table T { a: " + std::string(100'000, '[') + "int; } root_type T;");
}

// ---- schema-breaks-old-bytes, schema-breaks-old-readers

struct SchemaRules : testing::Test {
  ChangeBuilder builder{"2026-07-09"};
  SchemaRules() {
    builder.change.before.serializationSchema = kBase;
    builder.change.after.serializationSchema = replaced(kBase, "count: int = 7", "count: int = 8");
    builder.change.before.serialization = {1, 11, 11, {}};
    builder.change.after.serialization = {1, 11, 11, {}};
  }
};

// OLD, of 2026-01-10, wrote the old form: inside until 2026-07-09.
TEST_F(SchemaRules, OldBytesForbiddenOnTheLastDayOfTheWindow) {
  const auto found = builder.findings("schema-breaks-old-bytes");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "Root.count (id 2)");
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_EQ(found[0].legal->date, day("2026-07-10"));
}

TEST_F(SchemaRules, OldBytesAllowedOnTheNextDay) {
  builder.setToday(day("2026-07-10"));
  EXPECT_THAT(builder.findings("schema-breaks-old-bytes"), IsEmpty());
}

TEST_F(SchemaRules, AnExportedOfTheWindowWouldBreak) {
  builder.facts.add("exported", "2026-02-01").format = ArtifactRecord::Format::kExported;
  builder.facts.add("module", "2026-03-01").format = ArtifactRecord::Format::kPortableArtifact;
  builder.setToday(day("2026-07-31"));
  const auto found = builder.findings("schema-breaks-old-bytes");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].artifacts, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
}

// OLD is a consumer of the last 21 days until 2026-01-31.
TEST_F(SchemaRules, OldReadersForbiddenOnTheTwentyFirstDay) {
  builder.setToday(day("2026-01-31"));
  const auto found = builder.findings("schema-breaks-old-readers");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-02-01"));
}

TEST_F(SchemaRules, OldReadersAllowedOnTheNextDay) {
  builder.setToday(day("2026-02-01"));
  EXPECT_THAT(builder.findings("schema-breaks-old-readers"), IsEmpty());
}

TEST_F(SchemaRules, ANewFieldNeedsANewSerializationVersion) {
  builder.change.after.serializationSchema =
      replaced(kBase, "key: string (id: 4);", "key: string (id: 4); more: int (id: 5);");
  const auto found = builder.findings("schema-breaks-old-readers");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].instance, "Root.more (id 5)");
  builder.change.after.serialization.newest = 12;
  EXPECT_THAT(builder.findings("schema-breaks-old-readers"), IsEmpty());
  EXPECT_THAT(builder.findings("schema-breaks-old-bytes"), IsEmpty());
}

TEST_F(SchemaRules, ASchemaThatIsNoLongerToldIsSaidToBeNotJudged) {
  builder.change.after.serializationSchema.clear();
  const auto notes = builder.verdict().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const Finding& note) {
    return note.rule == "schema-breaks-old-bytes";
  }));
}

}  // namespace
}  // namespace vintage::tests
