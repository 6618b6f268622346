// The most memory that a verb holds for an artifact with large constants. It was six to nine
// times the artifact: each stage (a file, a frame, MLIR's two dialects, the tree) had its copy.
#include <filesystem>
#include <fstream>
#include <random>

#include <fcntl.h>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr size_t kFloats = size_t{16} << 20;  // 64 MiB.
// Far below twice, and above what allocators and the measure of the system leave open.
constexpr double kMost = 1.3;

class MemoryCommand : public testing::Test {
 protected:
  // One constant of floats between 1 and 2, which zstd cannot make much smaller; their maximum.
  std::string artifact(const std::string& name, size_t floats) const {
    const std::string text = sandbox_.path(name + ".mlir"), file = sandbox_.path(name);
    {
      std::ofstream out(text, std::ios::binary);
      out << "module @constants { func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n"
             "%c = stablehlo.constant dense<\"0x";
      std::mt19937 random(1);
      std::string digits;
      for (size_t i = 0; i < floats; ++i) {
        const uint32_t bits = 0x3F800000u | (random() >> 9);
        for (int byte = 0; byte < 4; ++byte)
          for (const int shift : {4, 0})
            digits += "0123456789ABCDEF"[(bits >> (8 * byte + shift)) & 15];
        if (digits.size() < size_t{1} << 20 && i + 1 < floats) continue;
        out << digits;
        digits.clear();
      }
      out << "\"> : tensor<" << floats
          << "xf32>\n%0 = stablehlo.reduce(%c init: %x) applies stablehlo.maximum across "
             "dimensions = [0] : (tensor<"
          << floats << "xf32>, tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32> } }\n";
    }
    EXPECT_EQ(
        sandbox_.run({"convert", text, "--target", "1.8.0", "--to", "portable", "-o", file}).status,
        0);
    std::filesystem::remove(text);
    return file;
  }

  struct Measured {
    int status = -1;
    size_t bytes = 0;  // Of its largest process, those that it starts included.
  };
  Measured measure(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{VINTAGE_BINARY "/bin/vintage"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      const int out = ::open(sandbox_.path("stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(out, STDERR_FILENO);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, static_cast<size_t>(usage.ru_maxrss)
                                                              << 10};
  }

  // With the large artifact, of `bytes`, the call takes less than kMost times `bytes` more memory
  // than with the small one.
  void expectOnce(size_t bytes, const std::vector<std::string>& large,
                  const std::vector<std::string>& small) {
    const Measured base = measure(small);
    ASSERT_EQ(base.status, 0) << Sandbox::read(sandbox_.path("stdout"));
    const Measured peak = measure(large);
    ASSERT_EQ(peak.status, 0) << Sandbox::read(sandbox_.path("stdout"));
    const double times = (static_cast<double>(peak.bytes) - static_cast<double>(base.bytes)) /
                         static_cast<double>(bytes);
    RecordProperty(large.front(), std::to_string(times));
    EXPECT_LT(times, kMost) << large.front() << ": " << peak.bytes << " bytes of memory, and "
                            << base.bytes << " for a small artifact";
  }

  Sandbox sandbox_;
};

TEST_F(MemoryCommand, AnArtifactIsHeldOnce) {
  const std::string large = artifact("large", kFloats), small = artifact("small", 4);
  const size_t bytes = std::filesystem::file_size(large);
  ASSERT_GT(bytes, kFloats * 4);
  const std::string a = sandbox_.path("A"), b = sandbox_.path("B");
  const auto put = [](const std::string& file, const std::string& archive) {
    return std::vector<std::string>{"put",    file,        "--archive",    archive,
                                    "--name", "constants", "--build-date", "2026-03-01"};
  };
  expectOnce(bytes, put(large, a), put(small, b));
  const auto get = [](const std::string& archive) {
    return std::vector<std::string>{"get",   "constants", "--archive",
                                    archive, "-o",        archive + ".got"};
  };
  expectOnce(bytes, get(a), get(b));
  EXPECT_EQ(std::filesystem::file_size(a + ".got/module.mlirbc"), bytes);
  EXPECT_EQ(Sandbox::read(a + ".got/module.mlirbc"), Sandbox::read(large));
  // The text is for people: without the elements, and so not twice the artifact.
  EXPECT_LT(std::filesystem::file_size(a + ".got/module.mlir"), 10'000u);
  EXPECT_THAT(Sandbox::read(a + ".got/module.mlir"), HasSubstr("stablehlo.reduce"));
  const auto replay = [](const std::string& archive) {
    return std::vector<std::string>{"replay", "--archive", archive, "--workers", "1"};
  };
  expectOnce(bytes, replay(a), replay(b));
}

}  // namespace
}  // namespace vintage::tests::command
