#include "harness/runtimes/frame.h"

#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace harness;

namespace {

std::vector<std::byte> bytesOf(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

Frame exampleFrame() {
  Frame frame;
  frame.header = {{"type", "execute"}, {"name", "add_f32"}};
  frame.payloads = {bytesOf("artifact"), {}, bytesOf("input")};
  return frame;
}

TEST(Frame, WireFormIsAsDocumented) {
  Frame frame;
  frame.header = {{"a", 1}};
  frame.payloads = {bytesOf("xyz")};
  const std::string header = R"({"a":1,"payloads":[3]})";
  const std::string wire =
      std::string{char(header.size()), 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0} + header + "xyz";
  EXPECT_EQ(wireForm(frame), bytesOf(wire));
}

TEST(Frame, ArrivesWholeHoweverItIsCutUp) {
  const Frame frame = exampleFrame();
  std::vector<std::byte> stream;
  for (int i = 0; i < 3; ++i) {
    const auto encoded = wireForm(frame);
    stream.insert(stream.end(), encoded.begin(), encoded.end());
  }
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    FrameReader reader;
    int frames = 0;
    for (size_t at = 0; at < stream.size();) {
      const size_t count = std::min<size_t>(1 + random() % 40, stream.size() - at);
      reader.append(std::span(stream).subspan(at, count));
      at += count;
      for (;;) {
        auto next = reader.next();
        ASSERT_TRUE(next) << next.error().message;
        if (!*next) break;
        ++frames;
        EXPECT_EQ((*next)->payloads, frame.payloads);
        EXPECT_EQ((*next)->header["name"], "add_f32");
      }
    }
    EXPECT_EQ(frames, 3);
    EXPECT_TRUE(reader.isBetweenFrames());
  }
}

TEST(Frame, TextThatIsNotUtf8StillTravels) {
  Frame frame;
  frame.header = {{"detail", std::string("bad \xff\xfe byte")}};
  FrameReader reader;
  reader.append(wireForm(frame));
  auto next = reader.next();
  ASSERT_TRUE(next && *next);
  EXPECT_THAT((*next)->header["detail"].get<std::string>(), testing::HasSubstr("bad "));
}

TEST(Frame, HostileLengthsAreRefusedBeforeMemoryIsTaken) {
  FrameReader reader(FrameLimits{1024, 4096});
  std::vector<std::byte> prefix(kFramePrefixBytes, std::byte{0xff});
  reader.append(prefix);
  auto next = reader.next();
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().message, testing::HasSubstr("at most 1024 and 4096"));
  // And it stays an error: the stream has lost its frames.
  reader.append(wireForm(exampleFrame()));
  EXPECT_FALSE(reader.next());
}

TEST(Frame, PayloadLengthsMustAddUp) {
  for (const char* lengths : {"[1]", "[9]", "[-1]", "[\"3\"]", "3", "[1,1,1,1]", "[1e300]"}) {
    const std::string header = std::string(R"({"payloads":)") + lengths + "}";
    const std::string wire =
        std::string{char(header.size()), 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0} + header + "xyz";
    FrameReader reader;
    reader.append(bytesOf(wire));
    EXPECT_FALSE(reader.next()) << lengths;
  }
}

TEST(Frame, FlippedBitsNeverCrashTheReader) {
  const auto good = wireForm(exampleFrame());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto damaged = good;
    damaged[bit / 8] ^= std::byte(1 << (bit % 8));
    FrameReader reader(FrameLimits{1 << 16, 1 << 16});
    reader.append(damaged);
    auto next = reader.next();
    if (next && *next) EXPECT_LE((*next)->payloads.size(), 8u);
  }
}

}  // namespace
}  // namespace vintage::tests
