// Damaged bytes give one error each, and nothing worse.
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "golden/program/portable_artifact.h"
#include "portable_texts.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

std::vector<std::byte> bytesOf(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::vector<std::byte> ordinaryArtifact(ProgramContext& context, StablehloVersion version) {
  return context.parseText(kOrdinaryProgram, "text")->writePortableArtifact(version).value();
}

// Reads, and checks that an error has the usual form.
void readAnyhow(ProgramContext& context, const std::vector<std::byte>& bytes) {
  Result<Program> program = context.readPortableArtifact(bytes, "damaged.mlirbc");
  if (program) return;  // Some bits do not matter, or spell another program.
  EXPECT_TRUE(program.error().kind == Error::Kind::kBadInput ||
              program.error().kind == Error::Kind::kUnsupported);
  EXPECT_THAT(program.error().message, HasSubstr("damaged.mlirbc"));
  EXPECT_GT(program.error().message.size(), std::string("damaged.mlirbc: ").size() + 10);
}

class DamagedArtifact : public testing::TestWithParam<StablehloVersion> {};

// One release for each version of MLIR's bytecode.
INSTANTIATE_TEST_SUITE_P(Bytecodes, DamagedArtifact,
                         testing::Values(StablehloVersion{0, 9, 0}, StablehloVersion{0, 10, 0},
                                         StablehloVersion{0, 12, 0}, StablehloVersion{0, 14, 0},
                                         kCurrentStablehloVersion),
                         [](const auto& each) {
                           return "v" + std::to_string(each.param.major) + "_" +
                                  std::to_string(each.param.minor);
                         });

TEST_P(DamagedArtifact, TruncationIsAnError) {
  ProgramContext context;
  const std::vector<std::byte> whole = ordinaryArtifact(context, GetParam());
  testing::internal::CaptureStderr();
  for (size_t length = 0; length < whole.size(); length += 7) {
    SCOPED_TRACE(length);
    Result<Program> program = context.readPortableArtifact(
        std::vector<std::byte>(whole.begin(), whole.begin() + length), "damaged.mlirbc");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(program.error().message, HasSubstr("damaged.mlirbc"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// In child processes, as workers read: MLIR's reader itself still fails on a few of the flips that
// leave every count consistent (a use of a value that no operation defines yet, a use-list order
// that is no permutation). The bound keeps the share of flips that are caught before from
// shrinking.
TEST_P(DamagedArtifact, FlippedBitsAreSurvivedOrCostOneWorker) {
  std::vector<std::byte> whole;
  {
    ProgramContext context;
    whole = ordinaryArtifact(context, GetParam());
  }
  constexpr int kRounds = 1500;
  constexpr int kMostLost = kRounds / 500;
  int lost = 0;
  for (int next = 0; next < kRounds;) {
    int progress[2];
    ASSERT_EQ(pipe(progress), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // A hang is lost like a crash.
      ProgramContext context;
      for (int round = next; round < kRounds; ++round) {
        if (write(progress[1], &round, sizeof round) != sizeof round) _exit(2);
        std::minstd_rand random(1000 + round);
        std::vector<std::byte> bytes = whole;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
          bytes[random() % bytes.size()] ^= std::byte{1} << (random() % 8);
        readAnyhow(context, bytes);
      }
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    close(progress[1]);
    int round = next;
    while (read(progress[0], &round, sizeof round) == sizeof round) {
    }
    close(progress[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0) << "an error has not the form it should have";
      break;
    }
    ++lost;
    next = round + 1;
  }
  EXPECT_LE(lost, kMostLost);
}

TEST(ForeignArtifact, EmptyFile) {
  ProgramContext context;
  Result<Program> program = context.readPortableArtifact({}, "empty");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(program.error().message, HasSubstr("empty: "));
}

TEST(ForeignArtifact, OtherFormatsAreNamed) {
  struct Case {
    std::string bytes, format;
    Error::Kind kind;
  };
  const Case cases[] = {
      {"module { }", "text", Error::Kind::kBadInput},
      {std::string("PK\x03\x04rest"), "zip", Error::Kind::kBadInput},
      {std::string("\x93NUMPY\x01\x00", 8), "NumPy", Error::Kind::kBadInput},
      {std::string("\x0a\x5b\x0a\x09the_input\x12\x0bPlaceholder*#\x0a\x14_user_specified_name"),
       "SavedModel", Error::Kind::kUnsupported},
      {"Li8uL0BQYXhIZWFkZXIAAAAAc2F2ZWRfbW9kZWwv", "SavedModel", Error::Kind::kUnsupported},
  };
  ProgramContext context;
  for (const Case& each : cases) {
    Result<Program> program = context.readPortableArtifact(bytesOf(each.bytes), "foreign");
    ASSERT_FALSE(program) << each.format;
    EXPECT_EQ(program.error().kind, each.kind) << each.format;
    EXPECT_THAT(program.error().message, HasSubstr(each.format));
  }
}

// The bytes of an artifact of the current version as `producer` would have written them.
std::vector<std::byte> writtenBy(std::string_view producer, std::vector<std::byte> bytes) {
  // "StableHLO_v1.22.0" follows the magic and one byte of bytecode version.
  std::copy_n(reinterpret_cast<const std::byte*>(producer.data()), producer.size(),
              bytes.begin() + 5);
  return bytes;
}

TEST(ForeignArtifact, MajorVersionOfTheFutureSaysWhatIsRead) {
  ProgramContext context;
  Result<Program> program = context.readPortableArtifact(
      writtenBy("StableHLO_v2.10.0", ordinaryArtifact(context, kCurrentStablehloVersion)),
      "tomorrow");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(program.error().message, HasSubstr("2.10.0"));
  EXPECT_THAT(program.error().message, HasSubstr("1.22.0"));
}

// JAX writes the newest version that it has where no older target is asked for, and most programs
// hold nothing new: each was refused for its version alone.
TEST(ForeignArtifact, LaterMinorVersionIsReadWhereAllIsKnown) {
  ProgramContext context;
  const std::vector<std::byte> bytes = ordinaryArtifact(context, kCurrentStablehloVersion);
  Result<Program> program =
      context.readPortableArtifact(writtenBy("StableHLO_v1.99.0", bytes), "tomorrow");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->artifactVersion(), (StablehloVersion{1, 99, 0}));
  EXPECT_TRUE(isNewerThanKnown(*program->artifactVersion()));
  EXPECT_EQ(program->writePortableArtifact(kCurrentStablehloVersion).value(), bytes);
}

TEST(ForeignArtifact, LaterMinorVersionWithSomethingNewIsNoDamage) {
  ProgramContext context;
  std::vector<std::byte> bytes = ordinaryArtifact(context, kCurrentStablehloVersion);
  constexpr std::string_view kName = "transpose_v1";
  const auto at = std::search(bytes.begin(), bytes.end(), kName.begin(), kName.end(),
                              [](std::byte a, char b) { return a == std::byte(b); });
  ASSERT_NE(at, bytes.end());
  *at = std::byte('x');
  Result<Program> program =
      context.readPortableArtifact(writtenBy("StableHLO_v1.99.0", bytes), "tomorrow");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kUnsupported);
  for (const char* part : {"1.99.0", "xranspose_v1", "up to 1.22.0"})
    EXPECT_THAT(program.error().message, HasSubstr(part));
  // At a version that is known it is what it was: damage.
  program = context.readPortableArtifact(bytes, "today");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
}

TEST(ForeignArtifact, OtherProducersAreNamed) {
  Result<ArtifactHeader> header =
      readArtifactHeader(bytesOf(std::string("ML\xefR\x0dSomebody_v1\0", 17)), "bytecode");
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(header.error().message, HasSubstr("Somebody_v1"));
}

TEST(ForeignArtifact, PatchReleasesOfTheCurrentVersionAreRead) {
  Result<ArtifactHeader> header =
      readArtifactHeader(bytesOf(std::string("ML\xefR\x0dStableHLO_v1.22.9\0", 23)), "patch");
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->bytecodeVersion, 6u);
  EXPECT_EQ(header->version, (StablehloVersion{1, 22, 9}));
}

TEST(ForeignArtifact, ProducerWithoutVersionIsDamage) {
  for (const char* producer : {"StableHLO_v", "StableHLO_v1.2", "StableHLO_v1.2.x",
                               "StableHLO_v99999999999.0.0", "StableHLO_v-1.0.0"}) {
    Result<ArtifactHeader> header =
        readArtifactHeader(bytesOf("ML\xefR\x0d" + std::string(producer) + '\0'), "bytecode");
    ASSERT_FALSE(header) << producer;
    EXPECT_EQ(header.error().kind, Error::Kind::kBadInput) << producer;
  }
}

}  // namespace
}  // namespace vintage::tests
