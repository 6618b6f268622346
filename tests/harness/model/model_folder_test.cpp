// `get`, then `put`, is the identity: over goldens and artifacts that are generated, and over the
// catalogue's own. tests/conformance does the same over JAX's compatibility tests.
#include "harness/model/model_folder.h"

#include <cstring>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "archive/store/record_json.h"
#include "golden/compare/golden.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;

constexpr int kGenerated = 200;
constexpr uint32_t kSeed = 19;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Archive::Put put(int number) {
    Archive::Put put;
    ArtifactRecord& record = put.record;
    record.name = pick<std::string>({"model", "tests/a.py::test[x-1]", "größe \"q\"", "α/β", " "}) +
                  std::to_string(number);
    record.producer = pick<std::string>({"jax 0.5.0", "me, \\ myself", "jax 0.12.0.1"});
    record.buildDate =
        std::chrono::sys_days(std::chrono::year(2024) / 1 / 1) + std::chrono::days(below(900));
    record.format = pick<ArtifactRecord::Format>({ArtifactRecord::Format::kExported,
                                                  ArtifactRecord::Format::kPortableArtifact,
                                                  ArtifactRecord::Format::kSavedModel});
    record.callingConventionVersion = below(11);
    record.serializationVersion = below(13);
    record.stablehloVersion = pick<std::string>({"", "1.9.3", "0.9.0"});
    record.primitive = pick<std::string>({"", "cholesky"});
    record.caseId = pick<std::string>({"", "case_f32[2]"});
    record.dtypes = pick<std::vector<std::string>>({{}, {"f32"}, {"bf16", "i1"}});
    record.platforms = pick<std::vector<std::string>>({{"cpu"}, {"tpu", "cpu"}});
    record.variant = pick<std::string>({"static", "poly", "vjp", "sharded"});
    record.deviceCount = 1 + below(8);
    record.customCallTargets = pick<std::vector<std::string>>({{}, {"Qr", "lapack_spotrf"}});
    for (int i = below(300) + 1; i > 0; --i) put.bytes.push_back(std::byte(below(256)));
    if (below(4) > 0) put.golden = golden();
    return put;
  }

 private:
  Golden golden() {
    Golden golden;
    golden.inputs = tensors();
    golden.expected = tensors();
    // `get` and `put` stored what came from a seed.
    if (below(3) == 0) {
      golden.seeds.resize(golden.inputs.size() + 1);
      golden.seeds.back() = SeededInput{random_(), -3, 7, -2};
      golden.inputs.push_back(*seededTensor(*golden.seeds.back(), ElementType::kF32, {2, 50}));
    }
    if (below(3) == 0) golden.second = {"vintage-engine 2026-11-26", golden.expected};
    golden.oracle = pick<std::string>({"mpfr", "jax 0.5.0 cpu; \"more\" precise"});
    // One over all outputs, or one for each.
    golden.comparators.push_back(comparator());
    if (below(2) > 0 && golden.expected.size() > 1)
      while (golden.comparators.size() < golden.expected.size())
        golden.comparators.push_back(comparator());
    return golden;
  }

  std::vector<Tensor> tensors() {
    std::vector<Tensor> tensors;
    for (int i = below(4); i > 0; --i) {
      const auto type = static_cast<ElementType>(below(kElementTypeCount));
      Shape shape;
      for (int rank = below(4); rank > 0; --rank) shape.push_back(below(4));
      Tensor tensor(type, shape);
      // Any bits that its type allows: NaNs with their payload, denormals, both zeros.
      const int bits = bitWidth(type);
      for (std::byte& byte : tensor.mutableBytes()) {
        const bool narrowSigned = isSignedInteger(type) && bits < 8;
        const int value = below(bits < 8 ? 1 << bits : 256);
        byte = narrowSigned ? std::byte(value - (1 << (bits - 1))) : std::byte(value);
      }
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  Comparator comparator() {
    Comparator comparator;
    comparator.kind = static_cast<Comparator::Kind>(below(11));
    if (below(2) > 0) comparator.tolerance.absolute = number();
    if (below(2) > 0) comparator.tolerance.relative = number();
    if (below(2) > 0) comparator.tolerance.ulps = int64_t{1} << below(63);
    if (below(2) > 0) comparator.roles = {"q", "other"};
    comparator.dimension = below(3);
    return comparator;
  }

  double number() { return std::ldexp(1.0 + below(1000) / 997.0, below(100) - 80); }
  int below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }
  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
  }

  std::mt19937 random_;
};

class ModelFolder : public testing::Test {
 protected:
  // By way of files in one folder, and of a second archive.
  void goesAndComesBack(const Archive& archive, const ArtifactRecord& record) {
    SCOPED_TRACE(record.name);
    const std::string files = sandbox_.path("files" + std::to_string(number_++));
    const auto written = writeModelFolder(archive, record, files);
    ASSERT_TRUE(written) << written.error().message;
    auto read = readModelFolder(files);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->bytes, *archive.read(record.id));
    ASSERT_EQ(read->golden.has_value(), !record.golden.empty());
    if (read->golden)
      EXPECT_EQ(*writeGolden(*read->golden), *writeGolden(*archive.readGolden(record)));
    if (!other_) {
      auto made = Archive::open(sandbox_.path("other"), Archive::Mode::kCreate);
      ASSERT_TRUE(made) << made.error().message;
      other_.emplace(std::move(*made));
    }
    const auto ids = other_->putAll(std::span(&*read, 1));
    ASSERT_TRUE(ids) << ids.error().message;
    ArtifactFilter same;
    same.ids = {record.id};
    const auto again = other_->list(same);
    ASSERT_TRUE(again) << again.error().message;
    const auto found = std::ranges::find_if(*again, [&](const ArtifactRecord& one) {
      return one.name == record.name && one.producer == record.producer;
    });
    ASSERT_NE(found, again->end());
    EXPECT_EQ(recordJson(*found), recordJson(record));  // The golden's hash, too.
    fs::remove_all(files);
  }

  command::Sandbox sandbox_;
  std::optional<Archive> other_;
  int number_ = 0;
};

TEST_F(ModelFolder, OverGeneratedArtifactsAndGoldens) {
  auto archive = Archive::open(sandbox_.path("A"), Archive::Mode::kCreate);
  ASSERT_TRUE(archive) << archive.error().message;
  Generator generator(kSeed);
  std::vector<Archive::Put> puts;
  for (int number = 0; number < kGenerated; ++number) puts.push_back(generator.put(number));
  const auto kept = archive->putAll(puts);
  ASSERT_TRUE(kept) << kept.error().message;
  const auto records = archive->list({});
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), size_t{kGenerated});
  for (const ArtifactRecord& record : *records) goesAndComesBack(*archive, record);
}

TEST_F(ModelFolder, OverTheCataloguesOwn) {
  const std::string folder = sandbox_.path("A");
  const auto night = sandbox_.run({"nightly", "--archive", folder, "--primitive", "tanh",
                                   "cholesky", "sort", "random_bits", "--platform", "cpu"});
  ASSERT_EQ(night.status, 0) << night.err << night.out;
  auto archive = Archive::open(folder, Archive::Mode::kReadOnly);
  ASSERT_TRUE(archive) << archive.error().message;
  const auto records = archive->list({});
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_GT(records->size(), 100u);
  std::set<std::string> variants;
  for (size_t i = 0; i < records->size(); i += 3) {
    goesAndComesBack(*archive, (*records)[i]);
    variants.insert((*records)[i].variant);
  }
  EXPECT_GE(variants.size(), 4u);
}

}  // namespace
}  // namespace vintage::tests
