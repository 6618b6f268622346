// Modules with every operation, as several releases wrote them: text and bytes.
#include <gmock/gmock.h>

#include "portable_texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

std::vector<std::filesystem::path> versionTexts() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder =
      std::filesystem::path(VINTAGE_SHARED) / "corpus/vhlo-versions";
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class VersionCorpus : public testing::TestWithParam<std::filesystem::path> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VersionCorpus);
// Without it their absence would go unnoticed.
TEST(VersionsCorpus, IsThere) {
  if (versionTexts().empty()) GTEST_SKIP() << VINTAGE_SHARED "/corpus/vhlo-versions is absent";
}
INSTANTIATE_TEST_SUITE_P(Shared, VersionCorpus, testing::ValuesIn(versionTexts()),
                         [](const auto& each) {
                           // stablehlo_legalize_to_vhlo.1_19_0.mlir
                           return "v" + each.param.stem().extension().string().substr(1);
                         });

TEST_P(VersionCorpus, BytesHoldTheTextBesideThem) {
  const std::filesystem::path bytesPath = GetParam().string() + ".bc";
  ProgramContext context;
  Result<Program> fromBytes =
      context.readPortableArtifact(fileBytes(bytesPath), bytesPath.string());
  ASSERT_TRUE(fromBytes) << fromBytes.error().message;
  Result<Program> fromText = context.parseText(fileText(GetParam()), GetParam().string());
  ASSERT_TRUE(fromText) << fromText.error().message;
  // Both go through the current version, which makes omitted defaults explicit.
  auto settled = [&](const Program& program) {
    return printGeneric(
        context
            .readPortableArtifact(program.writePortableArtifact(kCurrentStablehloVersion).value(),
                                  "settled")
            .value());
  };
  EXPECT_EQ(settled(*fromBytes), settled(*fromText));
  EXPECT_EQ(printGeneric(*fromBytes), settled(*fromText));
}

TEST_P(VersionCorpus, WritesTheSameBytesAsThatRelease) {
  const std::filesystem::path bytesPath = GetParam().string() + ".bc";
  const std::vector<std::byte> upstream = fileBytes(bytesPath);
  ProgramContext context;
  Result<Program> program = context.readPortableArtifact(upstream, bytesPath.string());
  ASSERT_TRUE(program) << program.error().message;
  const StablehloVersion version = program->artifactVersion().value();
  Result<std::vector<std::byte>> bytes = program->writePortableArtifact(version);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_TRUE(*bytes == upstream) << bytes->size() << " and " << upstream.size() << " bytes";
  Result<Program> again = context.readPortableArtifact(*bytes, "written again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printGeneric(*again), printGeneric(*program));

  Result<Program> text = context.parseText(fileText(GetParam()), GetParam().string());
  ASSERT_TRUE(text) << text.error().message;
  Result<std::vector<std::byte>> fromText = text->writePortableArtifact(version);
  ASSERT_TRUE(fromText) << fromText.error().message;
  EXPECT_TRUE(*fromText == upstream) << fromText->size() << " and " << upstream.size() << " bytes";
}

TEST_P(VersionCorpus, NeedsNoLaterVersionThanItsOwn) {
  const std::filesystem::path bytesPath = GetParam().string() + ".bc";
  ProgramContext context;
  Result<Program> program = context.readPortableArtifact(fileBytes(bytesPath), bytesPath.string());
  ASSERT_TRUE(program) << program.error().message;
  Result<Program::MinimumVersion> minimum = program->minimumVersion();
  ASSERT_TRUE(minimum) << minimum.error().message;
  EXPECT_LE(minimum->version, program->artifactVersion().value()) << minimum->reason;
  // The lowest version is one that can be written, and the release before it is not.
  ASSERT_TRUE(program->writePortableArtifact(minimum->version));
  StablehloVersion before = kOldestStablehloVersion;
  for (StablehloVersion release : releases())
    if (release < minimum->version) before = release;
  if (minimum->version > kOldestStablehloVersion) {
    EXPECT_FALSE(program->writePortableArtifact(before));
  }
}

}  // namespace
}  // namespace vintage::tests
