#include "golden/compare/golden.h"

#include <random>

#include <gmock/gmock.h>

#include "golden/base/content_hash.h"
#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

Golden exampleGolden() {
  Golden golden;
  for (int i = 0; i < kElementTypeCount; ++i) {
    Tensor tensor(static_cast<ElementType>(i), {2, 3});
    for (size_t b = 0; b < tensor.mutableBytes().size(); ++b)
      tensor.mutableBytes()[b] = static_cast<std::byte>((b * 37 + i) % 2);
    golden.inputs.push_back(std::move(tensor));
  }
  golden.inputs.push_back(Tensor(ElementType::kF32, {0, 4}));
  golden.expected = {Tensor(ElementType::kC128, {}), Tensor(ElementType::kI1, {65})};
  Comparator close;
  close.kind = Comparator::Kind::kElementwise;
  close.tolerance.absolute = 0.1;
  close.tolerance.relative = 1e-300;
  close.tolerance.ulps = INT64_MAX;
  Comparator qr;
  qr.kind = Comparator::Kind::kQr;
  qr.roles = {"q", "r"};
  golden.comparators = {close, qr};
  golden.oracle = "mpfr, \"exact\" — 256 bits";
  return golden;
}

void expectEqual(const Golden& a, const Golden& b) {
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  ASSERT_EQ(a.expected.size(), b.expected.size());
  ASSERT_EQ(a.comparators.size(), b.comparators.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) EXPECT_TRUE(a.inputs[i].identical(b.inputs[i]));
  for (size_t i = 0; i < a.expected.size(); ++i)
    EXPECT_TRUE(a.expected[i].identical(b.expected[i]));
  for (size_t i = 0; i < a.comparators.size(); ++i) {
    EXPECT_EQ(a.comparators[i].kind, b.comparators[i].kind);
    EXPECT_EQ(a.comparators[i].tolerance.absolute, b.comparators[i].tolerance.absolute);
    EXPECT_EQ(a.comparators[i].tolerance.relative, b.comparators[i].tolerance.relative);
    EXPECT_EQ(a.comparators[i].tolerance.ulps, b.comparators[i].tolerance.ulps);
    EXPECT_EQ(a.comparators[i].roles, b.comparators[i].roles);
  }
  EXPECT_EQ(a.oracle, b.oracle);
}

TEST(Golden, RoundTrips) {
  const auto bytes = writeGolden(exampleGolden());
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, *writeGolden(exampleGolden()));
  const auto read = readGolden(*bytes, "example");
  ASSERT_TRUE(read) << read.error().message;
  expectEqual(exampleGolden(), *read);
}

// The layout of docs/reference/golden_format.md, spelled out.
TEST(Golden, HasTheDocumentedLayout) {
  Golden golden;
  Tensor input(ElementType::kI16, {2});
  input.mutableValues<int16_t>()[0] = 0x0102;
  golden.inputs = {input};
  golden.comparators = {Comparator{}};
  golden.oracle = "x";
  const auto bytes = writeGolden(golden);
  const std::string header = R"({"comparators":[{"kind":"exact"}],"expected":[],)"
                             R"("inputs":[{"dtype":"int16","shape":[2]}],"oracle":"x"})";
  std::string content = "VINTGOLD";
  content += std::string("\x01\0\0\0\0\0\0\0", 8);
  content += static_cast<char>(header.size());
  content += std::string(7, '\0') + header;
  content.resize((content.size() + 63) / 64 * 64);
  content += std::string("\x02\x01\0\0", 4);
  content += contentHash(content);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()), content);
}

TEST(Golden, EveryTruncationAndFlippedBitIsFound) {
  Golden golden = exampleGolden();
  golden.inputs.resize(3);
  const std::vector<std::byte> bytes = *writeGolden(golden);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(readGolden(std::span(bytes).first(length), "short")) << length;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::vector<std::byte> damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    ASSERT_FALSE(readGolden(damaged, "damaged")) << bit;
  }
}

// An attacker who damages a file can also correct its checksum.
std::vector<std::byte> resealed(std::vector<std::byte> bytes) {
  bytes.resize(bytes.size() - 64);
  for (const char c : contentHash(bytes)) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

TEST(Golden, NothingFollowsTheLastTensor) {
  std::vector<std::byte> bytes = *writeGolden(exampleGolden());
  bytes.insert(bytes.end() - 64, std::byte{0});
  const auto read = readGolden(resealed(bytes), "longer");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("1 bytes follow the last tensor"));
}

TEST(Golden, HostileContentIsAnErrorOrAGolden) {
  const std::vector<std::byte> bytes = *writeGolden(exampleGolden());
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int flips = 0; flips < 2; ++flips)
      damaged[random() % 700] ^= static_cast<std::byte>(1u << random() % 8);
    const auto read = readGolden(resealed(damaged), "hostile");
    if (read)
      EXPECT_TRUE(writeGolden(*read));
    else
      EXPECT_THAT(read.error().message, HasSubstr("hostile"));
  }
}

std::vector<std::byte> withHeader(const std::string& header) {
  std::string content = "VINTGOLD";
  content += std::string("\x01\0\0\0\0\0\0\0", 8);
  for (size_t i = 0; i < 8; ++i) content += static_cast<char>(header.size() >> (8 * i));
  content += header;
  content += contentHash(content);
  const auto* begin = reinterpret_cast<const std::byte*>(content.data());
  return {begin, begin + content.size()};
}

TEST(Golden, NamesWhatIsWrongInTheHeader) {
  const std::string exact = R"("comparators":[{"kind":"exact"}],"oracle":"x")";
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "not a JSON object"},
      {"{", "not a JSON object"},
      {std::string(100000, '['), "not a JSON object"},
      {"{}", "lacks 'oracle'"},
      {"{" + exact + "}", "'inputs'"},
      {"{" + exact + R"(,"inputs":[{"dtype":"f33","shape":[]}]})", "'f33'"},
      {"{" + exact + R"(,"inputs":[{"dtype":"float32","shape":[-1]}]})", "inputs 0"},
      {"{" + exact + R"(,"inputs":[{"dtype":"float32","shape":[4611686018427387904,4]}]})",
       "too many to count"},
      {"{" + exact + R"(,"inputs":[{"dtype":"float32","shape":[99]}]})", "before the 99"},
      {"{" + exact + R"(,"inputs":[{"dtype":"float32","shape":[1e3]}]})", "inputs 0"},
      {R"({"comparators":[{"kind":"near"}],"oracle":"x","inputs":[],"expected":[]})", "'near'"},
      {R"({"comparators":[{"kind":"exact","ulps":"1"}],"oracle":"x"})", "malformed"},
      {R"({"comparators":[],"oracle":"x","inputs":[],"expected":[{"dtype":"bool","shape":[0]}]})",
       ""},
  };
  for (const auto& [header, expected] : cases) {
    const auto read = readGolden(withHeader(header), "file.golden");
    ASSERT_FALSE(read) << header.substr(0, 80);
    EXPECT_THAT(read.error().message, HasSubstr(expected));
    EXPECT_THAT(read.error().message, HasSubstr("file.golden"));
  }
}

TEST(Golden, ANewerVersionIsNamed) {
  std::vector<std::byte> bytes = *writeGolden(exampleGolden());
  bytes[8] = std::byte{4};
  const auto read = readGolden(resealed(bytes), "newer");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(read.error().message, HasSubstr("version 4; this build reads versions 1 to 3"));
}

TEST(Golden, KeepsASecondOpinionFromVersionThreeOn) {
  Golden golden = exampleGolden();
  EXPECT_EQ((*writeGolden(golden))[8], std::byte{1});
  golden.second = {"vintage-engine 2026-11-26", golden.expected};
  golden.second->outputs[1].mutableBytes()[64] ^= std::byte{1};
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ((*bytes)[8], std::byte{3});
  const auto read = readGolden(*bytes, "doubted");
  ASSERT_TRUE(read) << read.error().message;
  expectEqual(golden, *read);
  ASSERT_TRUE(read->second);
  EXPECT_EQ(read->second->by, "vintage-engine 2026-11-26");
  EXPECT_TRUE(read->second->outputs[0].identical(golden.second->outputs[0]));
  EXPECT_TRUE(read->second->outputs[1].identical(golden.second->outputs[1]));
  golden.second->outputs.pop_back();
  EXPECT_FALSE(writeGolden(golden));
}

TEST(Golden, RefusesToWriteWhatCannotBeRead) {
  Golden golden = exampleGolden();
  golden.comparators[0].tolerance.absolute = -1;
  EXPECT_FALSE(writeGolden(golden));
  golden = exampleGolden();
  golden.oracle = "\xff";
  EXPECT_FALSE(writeGolden(golden));
  golden = exampleGolden();
  golden.comparators.push_back({});
  EXPECT_FALSE(writeGolden(golden));
  golden = exampleGolden();
  golden.inputs[0].mutableBytes()[0] = std::byte{2};
  EXPECT_FALSE(writeGolden(golden));
}

// FIPS 180-2, appendix B, and the hash of nothing.
TEST(ContentHash, KnownAnswers) {
  EXPECT_EQ(contentHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(contentHash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  ContentHasher hasher;
  hasher.update("a");
  hasher.update("bc");
  EXPECT_EQ(hasher.finish(), contentHash("abc"));
  EXPECT_EQ(hasher.finish(), contentHash(""));
  EXPECT_TRUE(isContentHash(contentHash("abc")));
  EXPECT_FALSE(isContentHash("BA7816BF"));
}

}  // namespace
}  // namespace vintage::tests
