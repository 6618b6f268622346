// Process groups: the four examples of the specification, and ids that do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/engine/process_grid.h"

namespace vintage::tests {
using namespace harness;

namespace {

using ::testing::HasSubstr;
using Groups = std::vector<ProcessGroup>;

Groups groupsOf(const ProcessGrid& grid, Grouping grouping,
                const std::vector<std::vector<int64_t>>& rows) {
  auto groups = processGroups(grid, grouping, rows);
  EXPECT_TRUE(groups) << (groups ? "" : groups.error().message);
  return groups ? *groups : Groups();
}

// The number of (replica, partition) where there are two partitions.
constexpr ProcessNumber at(int64_t replica, int64_t partition) { return 2 * replica + partition; }

TEST(ProcessGrid, CrossReplica) {
  EXPECT_EQ(
      groupsOf({4, 2}, Grouping::kCrossReplica, {{0, 1}, {2, 3}}),
      (Groups{
          {at(0, 0), at(1, 0)}, {at(0, 1), at(1, 1)}, {at(2, 0), at(3, 0)}, {at(2, 1), at(3, 1)}}));
}

TEST(ProcessGrid, CrossPartition) {
  EXPECT_EQ(
      groupsOf({4, 2}, Grouping::kCrossPartition, {{0, 1}}),
      (Groups{
          {at(0, 0), at(0, 1)}, {at(1, 0), at(1, 1)}, {at(2, 0), at(2, 1)}, {at(3, 0), at(3, 1)}}));
}

TEST(ProcessGrid, CrossReplicaAndPartition) {
  EXPECT_EQ(
      groupsOf({4, 2}, Grouping::kCrossReplicaAndPartition, {{0, 1}, {2, 3}}),
      (Groups{{at(0, 0), at(1, 0), at(0, 1), at(1, 1)}, {at(2, 0), at(3, 0), at(2, 1), at(3, 1)}}));
}

TEST(ProcessGrid, FlattenedIds) {
  EXPECT_EQ(
      groupsOf({4, 2}, Grouping::kFlattenedIds, {{0, 1, 2, 3}, {4, 5, 6, 7}}),
      (Groups{{at(0, 0), at(0, 1), at(1, 0), at(1, 1)}, {at(2, 0), at(2, 1), at(3, 0), at(3, 1)}}));
}

TEST(ProcessGrid, PaddingIsLeftOutAndNoRowsAreAll) {
  EXPECT_EQ(groupsOf({3, 1}, Grouping::kCrossReplica, {{2, 0}, {1, -1}}), (Groups{{2, 0}, {1}}));
  EXPECT_EQ(groupsOf({2, 2}, Grouping::kFlattenedIds, {}), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(groupsOf({2, 2}, Grouping::kCrossPartition, {}), (Groups{{0, 1}, {2, 3}}));
}

TEST(ProcessGrid, IdsThatAreNotThereOrStandTwice) {
  auto large = processGroups({2, 2}, Grouping::kCrossPartition, {{0, 2}});
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("partition 2"));
  auto twice = processGroups({2, 2}, Grouping::kFlattenedIds, {{0, 3}, {3}});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("process 3 twice"));
}

// For every grid and grouping, all ids together name each process once.
TEST(ProcessGrid, GroupsOfAllIdsPartitionTheGrid) {
  for (int64_t replicas = 1; replicas <= 5; ++replicas) {
    for (int64_t partitions = 1; partitions <= 5; ++partitions) {
      for (const Grouping grouping :
           {Grouping::kCrossReplica, Grouping::kCrossPartition, Grouping::kCrossReplicaAndPartition,
            Grouping::kFlattenedIds}) {
        std::vector<int> seen(static_cast<size_t>(replicas * partitions));
        for (const ProcessGroup& group : groupsOf({replicas, partitions}, grouping, {}))
          for (const ProcessNumber process : group) ++seen.at(static_cast<size_t>(process));
        EXPECT_THAT(seen, ::testing::Each(1)) << replicas << " x " << partitions;
      }
    }
  }
}

}  // namespace
}  // namespace vintage::tests
