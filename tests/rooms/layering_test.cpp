// The rooms depend on each other as cmake/rooms.txt declares, and in no other way.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/base/texts.h"
#include "tests/rooms/source_tree.h"

namespace vintage::tests::rooms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Layering : public testing::Test {
 protected:
  static const DeclaredRooms& rooms() {
    static const DeclaredRooms kRooms = [] {
      return parseRooms(fileText(VINTAGE_SOURCE "/cmake/rooms.txt"));
    }();
    return kRooms;
  }
  static const std::vector<Source>& sources() {
    static const std::vector<Source> kSources = readSources(VINTAGE_SOURCE, rooms());
    return kSources;
  }
};

TEST_F(Layering, TheDeclaredRoomsAreThereAndKnowEachOther) {
  ASSERT_GT(rooms().size(), 20u);
  ASSERT_GT(sources().size(), 400u);
  for (const auto& [room, uses] : rooms())
    for (const std::string& used : uses)
      EXPECT_TRUE(rooms().contains(used)) << room << ": " << used;
}

TEST_F(Layering, NoRoomIncludesOneThatItMayNotUse) {
  EXPECT_THAT(forbiddenIncludes(sources(), rooms()), IsEmpty());
}

TEST_F(Layering, NoEdgeIsDeclaredInVain) {
  EXPECT_THAT(unusedEdges(sources(), rooms()), IsEmpty());
}

TEST_F(Layering, NoRoomsNeedEachOther) { EXPECT_EQ(findCycle(rooms()), ""); }

// Two types of one name in two rooms once broke the one-definition rule:
// vintage::Process was both a process of the operating system and a replica.
TEST_F(Layering, NoTypeNameMeansTwoThings) {
  EXPECT_THAT(typesDeclaredTwice(sources(), rooms()), IsEmpty());
}

TEST_F(Layering, EveryFileIsInTheNamespaceOfItsTopLevelFolder) {
  EXPECT_THAT(foreignNamespaces(sources(), rooms()), IsEmpty());
}

// 46 headers of `using namespace` once hid where a name came from.
TEST_F(Layering, NoHeaderOpensANamespace) { EXPECT_THAT(openedInHeaders(sources()), IsEmpty()); }

// Five rooms reached into the store through the header of its parts, and 67 statements of SQL stood
// outside of it: no table could change without them.
TEST_F(Layering, TheStoreIsClosed) {
  EXPECT_THAT(openingsOfStore(sources()), IsEmpty());
  auto changed = sources();
  changed.push_back({"harness/new.cpp", "#include \"archive/store/blob_store.h\"\n"});
  changed.push_back({"harness/other.cpp", "database.query(\"SELECT id FROM blob\");\n"});
  EXPECT_THAT(openingsOfStore(changed),
              ElementsAre("harness/new.cpp reaches the store's database through "
                          "archive/store/blob_store.h",
                          "harness/other.cpp:1: SQL outside of the store"));
}

TEST_F(Layering, AForbiddenIncludeIsNamedWithItsLine) {
  auto changed = sources();
  changed.push_back({"golden/base/new.h", "#pragma once\n#include \"archive/store/archive.h\"\n"});
  ASSERT_THAT(forbiddenIncludes(changed, rooms()), SizeIs(1));
  EXPECT_THAT(forbiddenIncludes(changed, rooms())[0],
              testing::StartsWith(
                  "golden/base/new.h:2: golden/base may not include archive/store/archive.h"));
}

TEST(LayeringCheck, FindsWhatIsWrongInASmallTree) {
  const DeclaredRooms rooms = parseRooms("# comment\na/b:\na/c: a/b\na/c/d: a/b\n");
  EXPECT_EQ(roomOf("a/c/d/e/x.h", rooms), "a/c/d");
  EXPECT_EQ(roomOf("a/x.h", rooms), "");
  const std::vector<Source> sources{
      {"a/b/x.h", "#include \"a/c/y.h\"\nnamespace vintage::a {\nstruct X {\n"},
      {"a/c/y.h", "#include \"a/b/x.h\"\nnamespace vintage::a::c {\nclass X final : public Y {\n"},
      {"a/c/z.h", "namespace vintage::b {\nusing namespace a;\n}\n"}};
  EXPECT_THAT(forbiddenIncludes(sources, rooms), SizeIs(1));
  EXPECT_THAT(unusedEdges(sources, rooms), ElementsAre("a/c/d includes nothing of a/b"));
  EXPECT_THAT(typesDeclaredTwice(sources, rooms),
              ElementsAre("X is declared in a/b/x.h and a/c/y.h"));
  EXPECT_THAT(foreignNamespaces(sources, rooms),
              ElementsAre("a/c/z.h:1: vintage::b instead of vintage::a"));
  EXPECT_THAT(openedInHeaders(sources), ElementsAre("a/c/z.h:2: `using namespace` in a header"));
  EXPECT_EQ(findCycle(rooms), "");
  EXPECT_EQ(findCycle(parseRooms("a: b\nb: c\nc: b\n")), "b -> c -> b");
}

}  // namespace
}  // namespace vintage::tests::rooms
