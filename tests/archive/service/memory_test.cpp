// The service's memory for contents that are much larger than the pieces in which it moves them. A
// download was held two and a half times while it was sent, an upload three times while it was
// kept.
#include <fstream>
#include <sstream>

#include "archive/store/blob_store.h"
#include "archive/store/content_reader.h"
#include "golden/base/memory_pages.h"
#include "tests/archive/service/running_service.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

constexpr size_t kLarge = size_t{64} << 20;

class ServiceMemory : public ServiceTest {
 protected:
  // The most that a process had in memory until now.
  static size_t peakOf(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
    return 0;
  }
};

TEST_F(ServiceMemory, LargeContentsComeAndGoInPieces) {
  // One that zstd makes smaller, one that it cannot.
  const auto sent = content(1, kLarge), kept = content(2, kLarge, false);
  const ContentId keptId = must(open().put(sampleRecord("large"), kept, nullptr));
  const ContentId small = must(open().put(sampleRecord("small", 2), content(3, 1000), nullptr));
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  ASSERT_EQ(client.get("/v1/blobs/" + small).status, 200);
  const size_t before = peakOf(service.process());
  ASSERT_GT(before, 0u);

  const Reply whole = client.get("/v1/blobs/" + keptId);
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.header("content-length"), std::to_string(kLarge));
  EXPECT_TRUE(whole.body == text(kept));
  const Reply part = client.get("/v1/blobs/" + keptId, {"Range: bytes=30000000-30999999"});
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.body == text(kept).substr(30'000'000, 1'000'000));
  EXPECT_EQ(client.get("/v1/blobs/" + keptId, {"Range: bytes=90000000-"}).status, 416);

  const ContentId id = contentHash(sent);
  const std::string place =
      client.post("/v1/uploads", {{"id", id}, {"bytes", sent.size()}}).header("location");
  const Reply done = client.send("PATCH", place, text(sent), {"Upload-Offset: 0"});
  EXPECT_EQ(done.status, 201) << done.body;
  // As a frame among others too.
  const Reply frames = client.post("/v1/contents", {{"ids", {id}}});
  EXPECT_NE(frames.body.find(text(sent).substr(0, 1000)), std::string::npos);
  EXPECT_GT(frames.body.size(), kLarge);

  EXPECT_LT(peakOf(service.process()), before + kLarge / 2);
  service.end(SIGTERM);
  EXPECT_TRUE(must(open().read(id)) == sent);
}

// All of a content is read before its first byte is sent: a client that gets 200 gets what it
// asked for, and one that asks for damaged bytes gets an error.
TEST_F(ServiceMemory, LargeDamageIsAnErrorBeforeTheFirstByte) {
  const auto bytes = content(1, kHeldWhole + 1);
  const ContentId id = must(open().put(sampleRecord("large"), bytes, nullptr));
  const std::string file = archive_ + "/blobs/" + id.substr(0, 2) + "/" + id + ".zst";
  RunningService service(archive_);
  Client client(service.url(), token(Role::kPush));
  EXPECT_EQ(client.get("/v1/blobs/" + id).status, 200);
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size - 1);
  const Reply cut = client.get("/v1/blobs/" + id);
  EXPECT_EQ(cut.status, 500);
  EXPECT_NE(cut.body.find("ends too early"), std::string::npos) << cut.body;
  {
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(static_cast<std::streamoff>(size / 2));
    damaged.write("vintage", 7);
  }
  EXPECT_EQ(client.get("/v1/blobs/" + id).status, 500);
  // Putting the content again heals it.
  EXPECT_EQ(must(open().put(sampleRecord("large"), bytes, nullptr)), id);
  EXPECT_TRUE(client.get("/v1/blobs/" + id).body == text(bytes));
}

// Another process that writes to a source could change it between its hash and its packing.
TEST_F(ServiceMemory, ASourceThatChangesIsNotKept) {
  Archive archive = open();
  const auto bytes = content(1, 300'000);
  const ContentSource source{contentHash(bytes), bytes.size(),
                             [&](const ContentSource::Visit& visit) {
                               auto now = bytes;
                               now[5] = std::byte{0};
                               return visit(now);
                             }};
  const Lease lease = must(archive.acquireLease({}, "test", std::chrono::hours(1)));
  const auto put = archive.putContent(lease.id, source);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().kind, Error::Kind::kBadInput);
  EXPECT_NE(put.error().message.find("changed while it was read"), std::string::npos);
  EXPECT_FALSE(archive.read(source.id));
  for (const auto& left : std::filesystem::recursive_directory_iterator(archive_ + "/blobs"))
    EXPECT_FALSE(left.is_regular_file()) << left.path();
}

}  // namespace
}  // namespace vintage::tests::service
