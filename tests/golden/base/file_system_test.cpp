// Real files, where the system refuses.
#include <filesystem>

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "golden/base/file_system.h"

namespace vintage::tests {
namespace {

using ::testing::HasSubstr;

// A process without a free descriptor made a folder, could not open it, and said "Bad file
// descriptor" instead of what to do.
TEST(FileSystem, AFolderWithoutADescriptorToOpenItSaysWhatToRaise) {
  const std::string folder = testing::TempDir() + "folder-without-descriptor";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status made = realFileSystem().createFolders(folder, FileAccess::kShared);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Error::Kind::kResource);
  EXPECT_THAT(made.error().message, HasSubstr("ulimit -n"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace vintage::tests
