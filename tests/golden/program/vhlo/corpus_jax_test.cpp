// The artifacts that JAX's own compatibility tests keep.
#include <gmock/gmock.h>

#include "portable_texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

std::vector<std::filesystem::path> jaxArtifacts() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder =
      std::filesystem::path(VINTAGE_SHARED) / "corpus/jax-backcompat";
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (std::filesystem::exists(entry.path() / "module.mlirbc"))
        paths.push_back(entry.path() / "module.mlirbc");
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool wrapsTensorflow(const std::filesystem::path& path) {
  return path.string().find("tf_call_tf_function") != std::string::npos;
}

TEST(JaxCorpus, EveryArtifactLoadsAndIsWrittenAgain) {
  const auto artifacts = jaxArtifacts();
  if (artifacts.empty()) GTEST_SKIP() << "no corpus beside the project";
  ProgramContext context;
  size_t loaded = 0, wrappers = 0;
  for (const std::filesystem::path& path : artifacts) {
    SCOPED_TRACE(path.parent_path().filename().string());
    const std::vector<std::byte> bytes = fileBytes(path);
    Result<Program> program = context.readPortableArtifact(bytes, path.string());
    if (wrapsTensorflow(path)) {
      ASSERT_FALSE(program);
      EXPECT_EQ(program.error().kind, Error::Kind::kUnsupported);
      EXPECT_THAT(program.error().message, testing::HasSubstr("SavedModel"));
      ++wrappers;
      continue;
    }
    ASSERT_TRUE(program) << program.error().message;
    ++loaded;
    // The release that wrote it can be written again, and so can the current one.
    for (StablehloVersion target : {*program->artifactVersion(), kCurrentStablehloVersion}) {
      Result<std::vector<std::byte>> again = program->writePortableArtifact(target);
      ASSERT_TRUE(again) << again.error().message;
      Result<Program> reread = context.readPortableArtifact(*again, path.string());
      ASSERT_TRUE(reread) << reread.error().message;
      EXPECT_EQ(printGeneric(*reread), printGeneric(*program));
    }
    Result<Program::MinimumVersion> minimum = program->minimumVersion();
    ASSERT_TRUE(minimum) << minimum.error().message;
    EXPECT_LE(minimum->version, *program->artifactVersion()) << minimum->reason;
  }
  EXPECT_EQ(loaded + wrappers, artifacts.size());
  EXPECT_EQ(loaded, 105u);
  EXPECT_EQ(wrappers, 3u);
}

}  // namespace
}  // namespace vintage::tests
