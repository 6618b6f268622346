// A service on a disk of its own that really is full, below its files and below
// SQLite: what it acknowledged stays, what it refused is not half there.
#include <sys/mount.h>

#include "archive/integrity/fsck.h"
#include "archive/store/frame_stream.h"
#include "tests/archive/service/scan.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class FullDisk : public Scan {
 protected:
  void TearDown() override {
    service_.reset();
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
    Scan::TearDown();
  }
  bool mounted_ = false;
};

TEST_F(FullDisk, Is507AndNothingAcknowledgedIsLost) {
  std::filesystem::create_directory(path("disk"));
  if (::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=8m") != 0)
    GTEST_SKIP() << "needs the right to mount a small disk";
  mounted_ = true;
  std::filesystem::rename(archive_, path("moved"));
  std::filesystem::copy(path("moved"), path("disk/archive"),
                        std::filesystem::copy_options::recursive);
  archive_ = path("disk/archive");
  std::ofstream(path("disk/filler"), std::ios::binary) << std::string(2 << 20, 'f');
  start();  // Its access log lies on the same disk.
  std::vector<std::string> kept;
  std::string refused;
  const auto fill = [&](size_t size, const std::string& expected) {
    for (int number = 0; number < 2'000; ++number) {
      const std::string bytes = text(content(static_cast<uint64_t>(size + number), size, false));
      const std::string said = curl("/v1/blobs/" + contentHash(bytes), "-T " + file("up", bytes));
      if (said == "201") {
        kept.push_back(bytes);
        continue;
      }
      EXPECT_EQ(said, expected) << body_;
      refused = bytes;
      return;
    }
    ADD_FAILURE() << "it was never full";
  };
  fill(400'000, "507 full");  // As files.
  const std::string large = refused;
  EXPECT_FALSE(keeps(large));
  fill(40'000, "507 full");  // In the index.
  const std::string small = refused;
  EXPECT_FALSE(keeps(small));
  // Everything else that writes is refused too, or goes through as a whole.
  const std::string announced = json{{"id", contentHash(large)}, {"bytes", large.size()}}.dump();
  const std::string begun = curl("/v1/uploads", "-H Content-Type: -d @" + file("a", announced));
  EXPECT_TRUE(begun == "507 full" || begun == "201") << begun;
  if (begun == "201") {
    const std::string place = "/v1/uploads/" + json::parse(body_).at("upload").get<std::string>();
    EXPECT_EQ(curl(place, "-X PATCH -H Content-Type: -H 'Upload-Offset: 0' --data-binary @" +
                              file("up", large)),
              "507 full");
  }
  std::string frames;
  FrameStreamWriter writer(frames);
  ArtifactRecord record = sampleRecord("whole", 1);
  record.format = ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
  record.id = contentHash(large);
  writer.content(record.id, std::as_bytes(std::span(large)));
  writer.artifact(record);
  writer.end();
  const std::string push = "-H 'Content-Type: application/vnd.vintage.frames' --data-binary @";
  EXPECT_EQ(curl("/v1/push", push + file("frames", frames)), "507 full");
  EXPECT_TRUE(must(open().list({})).empty());
  // Reading goes on.
  EXPECT_EQ(curl("/healthz"), "200");
  EXPECT_EQ(curl("/v1/blobs/" + contentHash(kept.front())), "200");
  EXPECT_TRUE(body_ == kept.front());

  std::filesystem::remove(path("disk/filler"));
  EXPECT_EQ(curl("/v1/blobs/" + contentHash(small), "-T " + file("up", small)), "201");
  EXPECT_EQ(curl("/v1/push", push + path("frames")), "200");
  EXPECT_EQ(service_->end(SIGTERM), 0);
  for (const std::string& bytes : kept) EXPECT_TRUE(keeps(bytes));
  FsckOptions options;
  options.readData = true;
  const auto summary = must(checkArchive(archive_, options, [](const FsckFinding& finding) {
    EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
  }));
  EXPECT_GT(summary.blobsRead, 10);
}

}  // namespace
}  // namespace vintage::tests::service
