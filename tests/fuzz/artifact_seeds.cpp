// Writes seeds for vintage_fuzz_portable_artifact: each text of a folder as a
// portable artifact at the lowest version that holds it, at one in between, and
// at the current one.
//
//   vintage_fuzz_artifact_seeds tests/fuzz/corpus/stablehlo_text build/fuzz/seeds
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "golden/program/program.h"

namespace fs = std::filesystem;

namespace {

bool writeSeeds(vintage::golden::ProgramContext& context, const fs::path& text,
                const fs::path& folder) {
  std::ifstream file(text);
  std::stringstream content;
  content << file.rdbuf();
  const auto program = context.parseText(content.str(), text.string());
  if (!program) {
    std::fprintf(stderr, "%s\n", program.error().message.c_str());
    return false;
  }
  const auto minimum = program->minimumVersion();
  if (!minimum) {
    std::fprintf(stderr, "%s\n", minimum.error().message.c_str());
    return false;
  }
  constexpr vintage::StablehloVersion kBetween{1, 0, 0};
  for (const auto version : {minimum->version, kBetween, vintage::kCurrentStablehloVersion}) {
    const auto bytes = program->writePortableArtifact(version, {.locations = true});
    if (!bytes) continue;  // The one in between may be too old.
    const std::string name =
        text.stem().string() + "_" + vintage::formatStablehloVersion(version) + ".mlirbc";
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s TEXTS FOLDER\n", arguments[0]);
    return 2;
  }
  fs::create_directories(arguments[2]);
  vintage::golden::ProgramContext context;
  bool good = true;
  for (const auto& entry : fs::directory_iterator(arguments[1]))
    good = writeSeeds(context, entry.path(), arguments[2]) && good;
  return good ? 0 : 1;
}
