// Large and small frames in one stream, in pieces of any size.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "golden/base/memory_pages.h"
#include "harness/runtimes/worker_server.h"
#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

ExecuteRequest requestOfBytes(uint64_t id, size_t bytes) {
  ExecuteRequest request;
  request.id = id;
  request.name = "a name";
  request.platform = "cpu";
  request.artifact.resize(bytes);
  std::mt19937 random(static_cast<uint32_t>(bytes));
  for (size_t i = 0; i < bytes; i += 1000) request.artifact[i] = static_cast<std::byte>(random());
  request.inputs.push_back(Tensor(ElementType::kF32, {3, 5}));
  request.inputs.back().mutableValues<float>()[7] = 2.5f;
  request.inputs.push_back(Tensor(ElementType::kI8, {0}));
  return request;
}

TEST(FrameStream, LargeFramesAreFramesLikeSmallOnes) {
  for (const size_t size : {size_t{3}, kHeldWhole + 1}) {
    const ExecuteRequest request = requestOfBytes(7, size);
    const auto read = requestFromFrame(travelled(request));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->artifact == request.artifact);
    ASSERT_EQ(read->inputs.size(), 2u);
    EXPECT_TRUE(read->inputs[0].identical(request.inputs[0]));
  }
}

TEST(FrameStream, LargeFramesAreReadBetweenSmallOnes) {
  const size_t sizes[] = {0, 10, kHeldWhole + 3, 100'000, kHeldWhole + 1, kHeldWhole + 2, 1};
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    std::vector<std::byte> stream;
    for (uint64_t id = 0; const size_t size : sizes) {
      const auto frame = wireForm(requestOfBytes(id++, size));
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    // Pieces that end within prefixes, headers and payloads.
    std::mt19937 random(1);
    for (size_t sent = 0; sent < stream.size();) {
      const size_t piece = std::min<size_t>(stream.size() - sent, 1 + random() % 5000);
      ASSERT_EQ(::write(ends[1], stream.data() + sent, piece), static_cast<ssize_t>(piece));
      sent += piece;
    }
    ::close(ends[1]);
  });
  uint64_t id = 0;
  const Status status = eachFrame(ends[0], [&](Frame frame) -> Status {
    ASSIGN_OR_RETURN(const auto read, requestFromFrame(std::move(frame)));
    const ExecuteRequest sent = requestOfBytes(id, sizes[id]);
    EXPECT_EQ(read.id, id++);
    EXPECT_TRUE(read.artifact == sent.artifact);
    EXPECT_EQ(read.inputs.size(), 2u);
    EXPECT_TRUE(read.inputs.at(0).identical(sent.inputs[0]));
    return {};
  });
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(id, std::size(sizes));
  writer.join();
  ::close(ends[0]);
}

TEST(FrameStream, AnEndWithinAFrameIsAnError) {
  for (const size_t size : {size_t{100}, kHeldWhole + 1}) {
    const auto bytes = wireForm(requestOfBytes(1, size));
    for (const size_t kept : {size_t{1}, size_t{11}, size_t{12}, size_t{50}, bytes.size() - 1}) {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      std::thread writer([&] {
        for (size_t sent = 0; sent < kept;) {
          const ssize_t count = ::write(ends[1], bytes.data() + sent, kept - sent);
          ASSERT_GT(count, 0);
          sent += static_cast<size_t>(count);
        }
        ::close(ends[1]);
      });
      const Status status = eachFrame(ends[0], [](const Frame&) -> Status { return {}; });
      writer.join();
      ::close(ends[0]);
      ASSERT_FALSE(status) << kept;
      EXPECT_NE(status.error().message.find("ends in the middle"), std::string::npos);
    }
  }
}

TEST(FrameStream, SmallFramesLeaveWithOneWriteAndLargeContentIsNotCopied) {
  const ExecuteRequest small = requestOfBytes(1, 100), large = requestOfBytes(2, kHeldWhole);
  FrameWriter writer;
  for (int i = 0; i < 5; ++i) encode(small, writer);
  const uint64_t ofSmall = writer.added();
  encode(large, writer);
  encode(small, writer);
  std::vector<std::span<const std::byte>> pieces;
  for (; !writer.empty(); writer.advance(writer.next().size())) pieces.push_back(writer.next());
  EXPECT_EQ(writer.written(), writer.added());
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_GT(pieces[0].size(), ofSmall);  // With the header of the large one.
  EXPECT_EQ(pieces[1].data(), large.artifact.data());
  EXPECT_EQ(pieces[1].size(), large.artifact.size());
}

// A worker could make its parent ask for gigabytes by announcing them.
TEST(FrameStream, MemoryFollowsWhatCameNotWhatWasAnnounced) {
  const std::string header = R"({"payloads":[4000000000]})";
  std::vector<std::byte> begin(kFramePrefixBytes);
  begin[0] = static_cast<std::byte>(header.size());
  for (size_t i = 0; i < 4; ++i) begin[4 + i] = static_cast<std::byte>(4000000000u >> (8 * i));
  const auto text = std::as_bytes(std::span(header));
  begin.insert(begin.end(), text.begin(), text.end());
  // Far less address space than was announced.
  const rlimit limit{size_t{3} << 30, size_t{3} << 30};
  EXPECT_EXIT(
      {
        ::setrlimit(RLIMIT_AS, &limit);
        std::vector<FrameReader> readers(50);
        for (FrameReader& reader : readers) {
          reader.append(begin);
          const auto frame = reader.next();
          if (!frame || *frame) std::_Exit(1);
          reader.append(begin);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vintage::tests
