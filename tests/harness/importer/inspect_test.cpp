// Many artifacts are read by few processes, and each comes out as if it were read alone.
#include <gmock/gmock.h>

#include "golden/program/program.h"
#include "harness/importer/inspect.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

std::vector<std::byte> moduleThatAdds(const std::string& type) {
  ProgramContext context;
  auto program = context.parseText("func.func public @main(%a: " + type + ") -> " + type +
                                       " {\n  %0 = stablehlo.add %a, %a : " + type +
                                       "\n  return %0 : " + type + "\n}",
                                   "<test>");
  EXPECT_TRUE(program) << program.error().message;
  return *program->writePortableArtifact({1, 9, 0});
}

TEST(InspectArtifacts, EachIsWhatItIsAlone) {
  std::vector<std::vector<std::byte>> files;
  for (const char* type : {"tensor<2xf32>", "tensor<3xi8>", "tensor<?xf64>"})
    files.push_back(moduleThatAdds(type));
  std::vector<std::byte> cut = files.front();
  cut.resize(cut.size() / 2);
  files.insert(files.begin() + 1, cut);           // The reader refuses it,
  files.push_back({std::byte{1}, std::byte{2}});  // and this is no artifact at all.

  std::vector<ArtifactToInspect> artifacts;
  for (size_t i = 0; i < files.size(); ++i)
    artifacts.push_back({files[i], "file " + std::to_string(i), {.outputs = true}});
  for (int jobs : {1, 3}) {
    const auto together = inspectArtifacts(artifacts, jobs);
    ASSERT_EQ(together.size(), files.size());
    for (size_t i = 0; i < files.size(); ++i) {
      const auto alone = inspectArtifact(files[i], artifacts[i].name, artifacts[i].options);
      ASSERT_EQ(together[i].has_value(), alone.has_value()) << i;
      if (alone) {
        EXPECT_EQ(together[i]->record.dtypes, alone->record.dtypes);
        EXPECT_EQ(together[i]->details, alone->details);
      } else {
        EXPECT_EQ(together[i].error().message, alone.error().message);
        EXPECT_EQ(together[i].error().kind, alone.error().kind);
      }
    }
    EXPECT_EQ(together[0]->record.dtypes, std::vector<std::string>{"f32"});
    EXPECT_EQ(together[2]->record.dtypes, std::vector<std::string>{"i8"});
    EXPECT_EQ(together[3]->record.variant, "poly");
    EXPECT_FALSE(together[1] || together[4]);
  }
  EXPECT_TRUE(inspectArtifacts({}, 2).empty());
}

}  // namespace
}  // namespace vintage::tests
