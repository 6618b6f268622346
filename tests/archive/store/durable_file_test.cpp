// Whole files and new folders over power cuts and over full disks.
#include "golden/base/file.h"

#include <gtest/gtest.h>

#include "tests/archive/store/faulty_file_system.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

class FileTest : public FolderTest {
 protected:
  static std::string text(const std::string& path) {
    const auto bytes = must(readFile(path));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
};

// A report, a golden or a consumer's limitations was reported as written, and renamed without a
// sync: after a power cut the file was empty or missing.
TEST_F(FileTest, WhatWasWrittenSurvivesAPowerCut) {
  FaultyFileSystem disk;
  const std::string bytes(100'000, 'x');
  must(writeFile(disk, path("report.json"), std::as_bytes(std::span(bytes))));
  disk.cutPower();
  ASSERT_TRUE(std::filesystem::exists(path("report.json")));
  EXPECT_EQ(text(path("report.json")), bytes);
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, AFullDiskLeavesWhatWasThere) {
  must(writeTextFile(path("report.json"), "before"));
  FaultyFileSystem disk;
  const std::string bytes(100'000, 'x');
  for (disk.failAt = 1; disk.failAt <= 4; ++disk.failAt) {
    disk.operations = 0;
    const Status written = writeFile(disk, path("report.json"), std::as_bytes(std::span(bytes)));
    ASSERT_FALSE(written) << disk.failAt;
    EXPECT_EQ(written.error().kind, Error::Kind::kResource);
    EXPECT_NE(written.error().message.find("report.json: it cannot be written"), std::string::npos)
        << written.error().message;
    EXPECT_EQ(text(path("report.json")), "before");
    EXPECT_EQ(files(), 1U) << disk.failAt;
  }
}

// The name of a folder that was made on the way was not synced in its own parent: with the power
// everything below it went.
TEST_F(FileTest, NewFoldersSurviveAPowerCut) {
  FaultyFileSystem disk;
  must(createFoldersDurably(disk, path("a/b/c")));
  disk.cutPower();
  EXPECT_TRUE(std::filesystem::is_directory(path("a/b/c")));
}

TEST_F(FileTest, ANewArchiveSurvivesAPowerCut) {
  FaultyFileSystem disk;
  ArchiveEnvironment environment;
  environment.fileSystem = &disk;
  must(Archive::open(path("shared/team/archive"), Archive::Mode::kCreate, environment));
  disk.cutPower();
  EXPECT_TRUE(Archive::open(path("shared/team/archive"), Archive::Mode::kReadWrite));
}

}  // namespace
}  // namespace vintage::tests
