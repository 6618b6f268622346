// The small parts: targets, headers, frames in pieces, rates, threads, tokens on disk.
#include <barrier>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "archive/service/budget.h"
#include "archive/service/growing_pool.h"
#include "archive/service/request_values.h"
#include "archive/service/routes.h"
#include "archive/service/token_store.h"
#include "archive/service/upload_store.h"
#include "archive/store/frame_stream.h"
#include "golden/base/file_system.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

TEST(Target, DecodesWhatWasEncoded) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string name(random() % 20 + 1, ' ');
    for (char& c : name) c = static_cast<char>(random());
    std::string encoded;
    for (const char c : name) encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    const auto target = parseTarget("/a/" + encoded + "?k=" + encoded + "&" + encoded);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->segments, (std::vector<std::string>{"a", name}));
    EXPECT_EQ(target->parameters[0].second, name);
    EXPECT_EQ(target->parameters[1].first, name);
  }
  EXPECT_EQ(parseTarget("http://h")->segments, std::vector<std::string>{""});
  EXPECT_EQ(parseTarget("/a+b?c+d")->parameters[0].first, "c+d");
  for (const char* wrong : {"", "*", "a", "/%", "/%1", "/%g0", "/?%"})
    EXPECT_FALSE(parseTarget(wrong)) << wrong;
}

TEST(Range, EveryPartLiesWithinTheContent) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const uint64_t size = random() % 50, first = random() % 60, last = random() % 60;
    const auto choice =
        chooseRange("bytes=" + std::to_string(first) + "-" + std::to_string(last), size);
    if (last < first) {
      EXPECT_EQ(choice.status, 200);
    } else if (first >= size) {
      EXPECT_EQ(choice.status, 416);
    } else {
      ASSERT_EQ(choice.status, 206);
      EXPECT_EQ(choice.first, first);
      EXPECT_EQ(choice.length, std::min(last, size - 1) - first + 1);
    }
  }
  EXPECT_EQ(chooseRange("bytes=-0", 5).status, 416);
  EXPECT_EQ(chooseRange("bytes=0-", 0).status, 416);
  for (const char* odd : {"bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1",
                          "bytes=1-99999999999999999999", "bytes=--1"})
    EXPECT_EQ(chooseRange(odd, 5).status, 200) << odd;
}

TEST(ContentDigest, ReadsWhatItWrites) {
  for (int round = 0; round < 50; ++round) {
    const std::string id = contentHash(std::to_string(round));
    EXPECT_EQ(must(statedDigest(digestField(id))), id);
    EXPECT_EQ(must(statedDigest("md5=:AAAA:, " + digestField(id) + " ")), id);
  }
  // Of "hello world", by openssl dgst -sha256 -binary | base64.
  EXPECT_EQ(digestField(contentHash("hello world")),
            "sha-256=:uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=:");
  EXPECT_EQ(must(statedDigest("sha-512=:AAAA:")), "");
  const std::string good = digestField(contentHash(""));
  for (const std::string& wrong :
       {std::string("sha-256="), std::string("sha-256=::"), good.substr(0, good.size() - 1),
        good + ", " + good, "sha-256=:" + std::string(44, '*') + ":"})
    EXPECT_FALSE(statedDigest(wrong)) << wrong;
}

TEST(RateLimit, AllowsABurstThenTheRate) {
  RateLimit limit(2);
  const RateLimit::TimePoint start{};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(limit.take("a", start), 0) << i;
  EXPECT_DOUBLE_EQ(limit.take("a", start), 0.5);
  EXPECT_EQ(limit.take("b", start), 0);
  EXPECT_EQ(limit.take("a", start + std::chrono::milliseconds(500)), 0);
  EXPECT_GT(limit.take("a", start + std::chrono::milliseconds(500)), 0);
  EXPECT_EQ(RateLimit(0).take("a", start), 0);
}

struct Events : FrameVisitor {
  std::string text;
  Status frame(uint64_t number, std::string_view type, const nlohmann::json&) override {
    text += "\n" + std::to_string(number) + std::string(type) + ":";
    return {};
  }
  Status bytes(std::span<const std::byte> piece, bool last) override {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    if (last) text += ";";
    return {};
  }
};

TEST(FrameStream, ReadsTheSameInAnyPieces) {
  std::string stream;
  FrameStreamWriter writer(stream);
  for (size_t size : {0, 1, 50, 3000}) {
    const auto bytes = content(size, size, false);
    writer.content(contentHash(bytes), bytes);
    writer.build(sampleBuild("b" + std::to_string(size)));
  }
  writer.end();
  Events whole;
  FrameStreamReader once(whole);
  must(once.feed(stream));
  must(once.finish());
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    Events events;
    FrameStreamReader reader(events);
    for (size_t at = 0; at < stream.size();) {
      const size_t size =
          std::min<size_t>(stream.size() - at, 1 + random() % (round % 2 ? 7 : 900));
      must(reader.feed(std::string_view(stream).substr(at, size)));
      at += size;
    }
    must(reader.finish());
    EXPECT_EQ(events.text, whole.text);
  }
  // Each way to cut it off is seen.
  for (size_t cut = 0; cut < stream.size(); ++cut) {
    Events events;
    FrameStreamReader reader(events);
    const Status fed = reader.feed(std::string_view(stream).substr(0, cut));
    EXPECT_FALSE(fed && reader.finish()) << cut;
  }
}

TEST(FrameStream, TheEndCountsWhatCame) {
  for (const char* end :
       {"{\"type\":\"end\"}\n", "{\"type\":\"end\",\"contents\":2}\n",
        "{\"type\":\"end\",\"contents\":-1}\n", "{\"type\":\"end\",\"contents\":\"1\"}\n"}) {
    Events events;
    FrameStreamReader reader(events);
    std::string stream;
    FrameStreamWriter(stream).content(contentHash("x"), std::as_bytes(std::span("x", 1)));
    EXPECT_FALSE(reader.feed(stream + end)) << end;
  }
}

class TokenFile : public FolderTest {};

TEST_F(TokenFile, KeepsHashesOnly) {
  const NewToken made = must(makeToken(folder_, systemClock(), "a", Role::kPush, std::nullopt));
  const auto file = must(realFileSystem().read(path("service/tokens.json"), 1 << 20));
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  EXPECT_EQ(text.find(made.token), std::string::npos);
  EXPECT_NE(text.find(contentHash(made.token)), std::string::npos);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path("service")).permissions(), perms::owner_all);
  EXPECT_EQ(std::filesystem::status(path("service/tokens.json")).permissions(),
            perms::owner_read | perms::owner_write);
  TokenStore store(folder_, systemClock());
  EXPECT_EQ(must(store.identify(made.token)).token.name, "a");
  EXPECT_EQ(must(store.identify(made.token + "x")).standing, TokenStore::Standing::kUnknown);
  EXPECT_EQ(must(store.identify("")).standing, TokenStore::Standing::kUnknown);
  EXPECT_FALSE(makeToken(folder_, systemClock(), "a", Role::kRead, std::nullopt));
  EXPECT_FALSE(revokeToken(folder_, "b"));
  must(revokeToken(folder_, "a"));
  EXPECT_TRUE(must(readTokens(folder_)).empty());
}

class Uploads : public FolderTest {
 protected:
  // When something of this upload arrived last.
  void setTime(const std::string& name, std::chrono::system_clock::time_point time) const {
    for (const auto& file : std::filesystem::directory_iterator(path("service/uploads")))
      if (file.path().stem() == name)
        std::filesystem::last_write_time(file, std::chrono::file_clock::from_sys(time));
  }
};

TEST_F(Uploads, OneWriterAtATimeAndAbandonedOnesGo) {
  UploadStore store(folder_);
  const ContentId id = contentHash("abc");
  const auto state = store.begin("t", id, 3);
  ASSERT_TRUE(state);
  {
    const auto first = store.open("t", state->name, 0);
    ASSERT_TRUE(first);
    EXPECT_EQ(store.open("t", state->name, 0).error().kind, "busy");
    EXPECT_EQ(store.drop("t", state->name).error().kind, "busy");
    ASSERT_TRUE((*first)->append(std::as_bytes(std::span("ab", 2))));
    EXPECT_EQ(*(*first)->settle(true), 2u);
  }
  const auto now = TurnedClock().now();
  setTime(state->name, now);
  store.removeAbandoned(now + kUploadKeptFor - std::chrono::hours(1));
  EXPECT_EQ(store.find("t", state->name)->offset, 2u);
  store.removeAbandoned(now + kUploadKeptFor + std::chrono::hours(1));
  EXPECT_EQ(store.find("t", state->name).error().status, 404);
  EXPECT_TRUE(std::filesystem::is_empty(path("service/uploads")));
}

// A service that was killed between removing the announcement of a finished upload
// and removing its bytes left them for ever; and where the same content was
// announced again with another length, the upload stood beyond its end and no
// chunk could go on.
TEST_F(Uploads, WhatAKilledServiceLeftIsNotTakenUp) {
  UploadStore store(folder_);
  const ContentId id = contentHash("abc");
  const std::string name = store.begin("t", id, 6)->name;
  const std::string announced = path("service/uploads/" + name + ".json");
  const std::string arrived = path("service/uploads/" + name + ".part");
  {
    const auto chunk = store.open("t", name, 0);
    ASSERT_TRUE(chunk);
    ASSERT_TRUE((*chunk)->append(std::as_bytes(std::span("abcde", 5))));
    EXPECT_EQ(*(*chunk)->settle(true), 5u);
  }
  std::filesystem::remove(announced);
  const auto state = store.begin("t", id, 3);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->offset, 0u);
  {
    const auto chunk = store.open("t", name, 0);
    ASSERT_TRUE(chunk);
    ASSERT_TRUE((*chunk)->append(std::as_bytes(std::span("abc", 3))));
    EXPECT_EQ(*(*chunk)->settle(true), 3u);
  }
  std::filesystem::remove(announced);
  const auto now = TurnedClock().now();
  setTime(name, now);
  store.removeAbandoned(now + kUploadKeptFor - std::chrono::hours(1));
  EXPECT_TRUE(std::filesystem::exists(arrived));
  store.removeAbandoned(now + kUploadKeptFor + std::chrono::hours(1));
  EXPECT_FALSE(std::filesystem::exists(arrived));
}

// The bytes of a finished upload were mapped while they were hashed and kept: if the file was cut
// off meanwhile, or the disk could not read a page, the whole service died of SIGBUS.
TEST_F(Uploads, AFileThatIsCutOffEndsOneUploadAndNotTheService) {
  UploadStore store(folder_);
  const auto bytes = content(1, 100'000, false);
  const std::string name = store.begin("t", contentHash(bytes), bytes.size())->name;
  const auto chunk = store.open("t", name, 0);
  ASSERT_TRUE(chunk);
  ASSERT_TRUE((*chunk)->append(bytes));
  ASSERT_EQ(*(*chunk)->settle(true), bytes.size());
  const auto whole = (*chunk)->content();
  ASSERT_TRUE(whole);
  std::filesystem::resize_file(path("service/uploads/" + name + ".part"), 5000);
  EXPECT_EQ(contentHash(*whole), contentHash(bytes));
  const auto rest = (*chunk)->content();
  ASSERT_FALSE(rest);
  EXPECT_NE(rest.error().message.find("5000 of 100000 bytes"), std::string::npos)
      << rest.error().message;
}

TEST(GrowingPool, AThreadStartsWhereWorkComesAndAllOthersHaveSome) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  GrowingPool pool(64);
  EXPECT_EQ(threads(), before);
  std::barrier together(4);  // Each waits for the others: they have a thread each.
  for (int i = 0; i < 3; ++i) pool.post([&] { together.arrive_and_wait(); });
  together.arrive_and_wait();
  EXPECT_EQ(threads(), before + 3);
}

TEST(GrowingPool, NoMoreThreadsThanAllowedDoAllThatWasPosted) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  int done = 0;
  GrowingPool pool(2);
  for (int i = 0; i < 100; ++i)
    pool.post([&, alone = std::make_unique<int>(1)] {  // It can only be moved.
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
      done += *alone;
    });
  pool.join();
  EXPECT_EQ(done, 100);
  EXPECT_LE(ids.size(), 2u);
}

}  // namespace
}  // namespace vintage::tests::service
