// Declared limitations of real consumers: their file, and the pairs that they cover.
#include "harness/replay/consumer_limitations.h"

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kText = R"({"format": "vintage limitations", "version": 1, "limitations": [
 {"id": "tf-eig", "class": "target not registered", "consumers": ["tensorflow-2.21.0"],
  "primitive": "eig", "dtypes": ["float32"], "platforms": ["cpu"], "modes": ["compiled"],
  "description": "no LAPACK", "issue": "https://example.org/1", "since": "2026-11-01",
  "until": "2027-05-01",
  "evidence": {"artifacts": 3, "example": "eig_f32/cpu@p", "message": "No FFI handler"}}]})";

std::vector<Limitation> limitations() {
  return must(parseConsumerLimitations(kText, "limitations.json"));
}

ArtifactRecord eig() {
  ArtifactRecord record = sampleRecord("eig_f32/cpu", 0);
  record.primitive = "eig";
  record.dtypes = {"f32"};
  record.producer = "p";
  return record;
}

const Limitation* speaking(const std::vector<Limitation>& limitations, const ArtifactRecord& record,
                           const char* build, OutcomeKind outcome, const char* detail,
                           const char* day = "2026-11-23") {
  OutcomeRecord recorded;
  recorded.build = build;
  recorded.platform = "cpu";
  recorded.mode = "compiled";
  recorded.outcome = outcome;
  recorded.stage = Stage::kCompile;
  recorded.detail = detail;
  return match(limitations, record, recorded, *parseDate(day));
}

constexpr const char* kNoHandler = "No FFI handler registered for lapack_sgeev on a platform Host";

TEST(ConsumerLimitations, CoverAFailureOfTheirClassOnTheirBuilds) {
  const auto all = limitations();
  const ArtifactRecord record = eig();
  const auto error = OutcomeKind::kError;
  EXPECT_EQ(speaking(all, record, "tensorflow-2.21.0", error, kNoHandler), &all[0]);
  EXPECT_EQ(speaking(all, record, "tensorflow-2.18.1", error, kNoHandler), nullptr);
  // Another failure, and a crash, are none that was declared.
  EXPECT_EQ(speaking(all, record, "tensorflow-2.21.0", error, "not implemented"), nullptr);
  EXPECT_EQ(speaking(all, record, "tensorflow-2.21.0", OutcomeKind::kCrash, kNoHandler), nullptr);
  ArtifactRecord other = record;
  other.dtypes = {"f64"};
  EXPECT_EQ(speaking(all, other, "tensorflow-2.21.0", error, kNoHandler), nullptr);
}

TEST(ConsumerLimitations, APassContradictsThemAndABrokenRunnerSaysNothing) {
  const auto all = limitations();
  EXPECT_NE(speaking(all, eig(), "tensorflow-2.21.0", OutcomeKind::kPass, ""), nullptr);
  EXPECT_EQ(speaking(all, eig(), "tensorflow-2.21.0", OutcomeKind::kRunnerError, kNoHandler),
            nullptr);
}

TEST(ConsumerLimitations, HoldUntilTheirLastDay) {
  const auto all = limitations();
  const auto on = [&](const char* day) {
    return speaking(all, eig(), "tensorflow-2.21.0", OutcomeKind::kError, kNoHandler, day);
  };
  EXPECT_EQ(on("2026-10-31"), nullptr);
  EXPECT_NE(on("2026-11-01"), nullptr);
  EXPECT_NE(on("2027-05-01"), nullptr);
  EXPECT_EQ(on("2027-05-02"), nullptr);
}

TEST(ConsumerLimitations, CanNameArtifactsAndProducers) {
  auto all = limitations();
  const auto covers = [&](const ArtifactRecord& record) {
    return speaking(all, record, "tensorflow-2.21.0", OutcomeKind::kError, kNoHandler) != nullptr;
  };
  ArtifactRecord other = eig();
  other.producer = "q";
  all[0].artifacts = {"eig_f32/cpu@p"};
  EXPECT_TRUE(covers(eig()));
  EXPECT_FALSE(covers(other));
  all[0].artifacts.clear();
  all[0].producers = {"q"};
  EXPECT_FALSE(covers(eig()));
  EXPECT_TRUE(covers(other));
}

class DeclaredConsumerLimitations : public FolderTest {};

TEST_F(DeclaredConsumerLimitations, AreKeptWithTheArchiveAsTheyWereDeclared) {
  const Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  EXPECT_THAT(must(consumerLimitations(archive)), IsEmpty());
  const auto all = limitations();
  ASSERT_TRUE(declareLimitations(archive, all));
  EXPECT_EQ(must(consumerLimitations(archive)), all);
  ASSERT_TRUE(declareLimitations(archive, {}));
  EXPECT_THAT(must(consumerLimitations(archive)), IsEmpty());
}

TEST(ConsumerLimitations, AMistakeIsNamedWithItsPlace) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  struct Mistake {
    std::string text;
    const char* message;
  };
  const Mistake mistakes[] = {
      {with("target not registered", "unknown"), "'unknown' is not a class of failures"},
      {with(R"(["tensorflow-2.21.0"])", "[]"), "names its builds"},
      {with("2027-05-01", "May"), "limitations[0].until: 'May' is no date"},
      {with("no LAPACK", ""), "says what does not work"},
      {with("\"primitive\"", "\"primitiv\""), "primitiv"},
  };
  for (const auto& [text, message] : mistakes) {
    const auto read = parseConsumerLimitations(text, "f.json");
    ASSERT_FALSE(read) << message;
    EXPECT_EQ(read.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(read.error().message, HasSubstr(message));
    EXPECT_THAT(read.error().message, HasSubstr("f.json"));
  }
  const auto newer = parseConsumerLimitations(with("\"version\": 1", "\"version\": 2"), "f.json");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, Error::Kind::kUnsupported);
}

}  // namespace
}  // namespace vintage::tests
