// Large and small frames in one stream, in pieces of any size.
#include <random>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include "golden/base/memory_pages.h"
#include "harness/consumers/large_frames.h"
#include "harness/consumers/worker_pool.h"
#include "tests/rooms.h"

namespace vintage::tests {
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

TEST(LargeFrames, AreFramesLikeSmallOnes) {
  for (const size_t size : {size_t{3}, kHeldWhole + 1}) {
    const ExecuteRequest request = requestOfBytes(7, size);
    const WorkerJob job = makeJob(request);
    EXPECT_EQ(job.id, 7u);
    FrameReader reader;
    reader.append(*job.frame);
    auto frame = reader.next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ(reader.pendingBytes(), 0u);
    const auto read = requestFromFrame(std::move(**frame));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->artifact == request.artifact);
    ASSERT_EQ(read->inputs.size(), 2u);
    EXPECT_TRUE(read->inputs[0].identical(request.inputs[0]));
  }
}

TEST(LargeFrames, AreReadBetweenSmallOnes) {
  const size_t sizes[] = {0, 10, kHeldWhole + 3, 100'000, kHeldWhole + 1, kHeldWhole + 2, 1};
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    std::vector<std::byte> stream;
    for (uint64_t id = 0; const size_t size : sizes) {
      const WorkerJob job = makeJob(requestOfBytes(id++, size));
      stream.insert(stream.end(), job.frame->begin(), job.frame->end());
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
  FrameInput input(ends[0]);
  for (uint64_t id = 0; const size_t size : sizes) {
    auto frame = input.next();
    ASSERT_TRUE(frame && *frame) << id;
    const auto read = requestFromFrame(std::move(**frame));
    ASSERT_TRUE(read) << read.error().message;
    const ExecuteRequest sent = requestOfBytes(id, size);
    EXPECT_EQ(read->id, id++);
    EXPECT_TRUE(read->artifact == sent.artifact);
    ASSERT_EQ(read->inputs.size(), 2u);
    EXPECT_TRUE(read->inputs[0].identical(sent.inputs[0]));
  }
  const auto end = input.next();
  EXPECT_TRUE(end && !*end);
  writer.join();
  ::close(ends[0]);
}

TEST(LargeFrames, AnEndWithinOneIsAnError) {
  for (const size_t size : {size_t{100}, kHeldWhole + 1}) {
    const WorkerJob job = makeJob(requestOfBytes(1, size));
    for (const size_t kept :
         {size_t{1}, size_t{11}, size_t{12}, size_t{50}, job.frame->size() - 1}) {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      std::thread writer([&] {
        for (size_t sent = 0; sent < kept;) {
          const ssize_t count = ::write(ends[1], job.frame->data() + sent, kept - sent);
          ASSERT_GT(count, 0);
          sent += static_cast<size_t>(count);
        }
        ::close(ends[1]);
      });
      FrameInput input(ends[0]);
      const auto frame = input.next();
      writer.join();
      ::close(ends[0]);
      ASSERT_FALSE(frame) << kept;
      EXPECT_NE(frame.error().message.find("ends in the middle"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace vintage::tests
