// The real programs where a machine is not as one expects: a wall clock that is turned in the
// middle of a night, a TMPDIR of 1 MiB, overlayfs, names without case, descriptors that run out.
#include <memory>
#include <set>
#include <thread>

#include <sys/mount.h>
#include <sys/resource.h>

#include <gmock/gmock.h>

#include "golden/base/clock.h"
#include "golden/base/date.h"
#include "tests/archive/service/running_service.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests::transfer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;
namespace fs = std::filesystem;

// Of this process, and so of what it starts.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t few) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{few, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

class Surroundings : public testing::Test {
 protected:
  ~Surroundings() override {
    for (auto place = mounts_.rbegin(); place != mounts_.rend(); ++place)
      ::umount2(place->c_str(), MNT_DETACH);
  }
  bool mount(const char* type, const std::string& place, const std::string& options) {
    fs::create_directories(place);
    if (::mount(type, place.c_str(), type, 0, options.c_str()) != 0) return false;
    mounts_.push_back(place);
    return true;
  }
  // With status 0; all that was printed.
  std::string must(const std::vector<std::string>& arguments, int expected = 0) {
    const Finished finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, expected)
        << testing::PrintToString(arguments) << finished.out << finished.err;
    return finished.out + finished.err;
  }
  void expectWhole(const std::string& archive) {
    EXPECT_THAT(must({"fsck", "--archive", archive, "--read-data"}), HasSubstr("is whole"));
  }
  static std::vector<std::string> night(const std::string& archive) {
    return {"nightly", "--archive", archive, "--primitive", "neg"};
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
  std::vector<std::string> mounts_;
};

TEST_F(Surroundings, AClockThatIsTurnedInANightChangesNothingOfIt) {
  for (const char* days : {"400", "-400"}) {
    for (const char* after : {"1", "2", "5"}) {
      SCOPED_TRACE(testing::Message() << days << " days after " << after << " looks");
      const std::string archive = archive_ + days + "." + after, mark = archive + ".turned";
      std::string said;
      {
        const Variable seconds("TURNED_CLOCK_SECONDS", std::to_string(std::stol(days) * 86'400));
        const Variable looks("TURNED_CLOCK_AFTER", after), made("TURNED_CLOCK_MARK", mark);
        const Variable preload("LD_PRELOAD", VINTAGE_BINARY "/bin/libvintage_turned_clock.so");
        said = must(night(archive));
      }
      EXPECT_TRUE(fs::exists(mark)) << "the clock was never turned";
      EXPECT_THAT(said, HasSubstr("verdict: holds"));
      // One date in all that the night says and writes, that of its beginning.
      std::vector<std::string> dates;
      for (const auto& entry : fs::directory_iterator(archive + "/reports"))
        dates.push_back(entry.path().filename());
      EXPECT_THAT(
          dates,
          ElementsAre(formatDate(std::chrono::floor<std::chrono::days>(systemClock().now()))));
      EXPECT_THAT(said, HasSubstr("Tonight's build is vintage-engine " + dates.at(0)));
      must({"gc", "--archive", archive});
      EXPECT_THAT(must(night(archive)), HasSubstr(" 0 of them new in the archive"));
      expectWhole(archive);
    }
  }
}

TEST_F(Surroundings, AMebibyteForTemporaryFilesIsEnough) {
  const std::string small = sandbox_.path("small"), tiny = sandbox_.path("tiny");
  if (!mount("tmpfs", small, "size=1m") || !mount("tmpfs", tiny, "size=64k"))
    GTEST_SKIP() << "needs the right to mount a small disk";
  fillArchive(archive_, 1, 300);
  const RealService service(sandbox_, sandbox_.path("B"));
  {
    const Variable temporary("TMPDIR", small);
    must(night(sandbox_.path("N")));
    must({"push", archive_, service.url()});
    must({"pull", service.url(), sandbox_.path("C")});
    must({"mirror", service.url(), sandbox_.path("M")});
    must({"backup", sandbox_.path("K"), "--archive", archive_});
    must({"restore", sandbox_.path("K"), sandbox_.path("R")});
    must({"report", "--archive", sandbox_.path("N"), "--html", sandbox_.path("html")});
  }
  for (const char* copy : {"B", "C", "M", "R"}) expectSameArchives(archive_, sandbox_.path(copy));
  EXPECT_TRUE(fs::is_empty(small));
  // Where even the list of records does not fit, the message names the variable.
  const Variable temporary("TMPDIR", tiny);
  EXPECT_THAT(must({"pull", service.url(), sandbox_.path("D")}, 3), HasSubstr("TMPDIR"));
}

// The lower layer is an image that nobody writes, as in a container.
TEST_F(Surroundings, AnArchiveOfALowerLayerIsReadAndWritten) {
  const std::string disk = sandbox_.path("disk");
  if (!mount("tmpfs", disk, "size=256m")) GTEST_SKIP() << "needs the right to mount";
  for (const char* folder : {"/lower", "/upper", "/work"}) fs::create_directory(disk + folder);
  must(night(disk + "/lower/A"));
  const std::string before = must({"list", "--archive", disk + "/lower/A"});
  const std::string merged = sandbox_.path("merged");
  if (!mount("overlay", merged,
             "lowerdir=" + disk + "/lower,upperdir=" + disk + "/upper,workdir=" + disk + "/work"))
    GTEST_SKIP() << "needs the right to mount an overlay";
  EXPECT_EQ(must({"list", "--archive", merged + "/A"}), before);
  must({"nightly", "--archive", merged + "/A", "--primitive", "add"});
  {
    const RealService service(sandbox_, merged + "/A");
    fillArchive(sandbox_.path("more"), 2, 40);
    must({"push", sandbox_.path("more"), service.url()});
  }
  must({"gc", "--archive", merged + "/A"});
  must({"mirror", merged + "/A", sandbox_.path("M")});
  expectWhole(merged + "/A");
  expectSameArchives(merged + "/A", sandbox_.path("M"));
  EXPECT_EQ(must({"list", "--archive", disk + "/lower/A"}), before);
}

// NTFS as Windows sees it: Aa and aA are one file.
TEST_F(Surroundings, NamesThatDifferInCaseStayApart) {
  const std::string image = sandbox_.path("image"), disk = sandbox_.path("disk");
  if (std::system("command -v mkntfs lowntfs-3g >/dev/null") != 0)
    GTEST_SKIP() << "needs mkntfs and lowntfs-3g (Debian: ntfs-3g)";
  std::ofstream(image).close();
  fs::resize_file(image, 128 << 20);
  fs::create_directory(disk);
  if (std::system(("mkntfs -qF '" + image + "' >/dev/null 2>&1 && lowntfs-3g -o ignore_case '" +
                   image + "' '" + disk + "' 2>/dev/null")
                      .c_str()) != 0)
    GTEST_SKIP() << "needs the right to mount";
  mounts_.push_back(disk);
  std::ofstream(disk + "/Aa") << "";
  ASSERT_TRUE(fs::exists(disk + "/aA"));

  {
    archive::Archive archive =
        tests::must(archive::Archive::open(archive_, archive::Archive::Mode::kCreate));
    uint64_t number = 0;
    for (const char* name : {"Solve", "solve", "SOLVE"}) {
      archive::ArtifactRecord record = sampleRecord(name);
      record.format = archive::ArtifactRecord::Format::kSavedModel;
      record.primitive = name;
      record.producer = std::string("Maker of ") + name;
      archive::RunRecord run;
      run.kind = "nightly";
      const archive::ContentId id =
          tests::must(archive.put(record, content(++number, 400), nullptr));
      tests::must(archive.putBuild(sampleBuild(name, 0)));
      archive::OutcomeRecord outcome;
      outcome.artifact = id;
      outcome.build = name;
      outcome.platform = "cpu";
      outcome.mode = "graph";
      outcome.run = tests::must(archive.putRun(run));
      outcome.outcome = archive::OutcomeKind::kPass;
      tests::must(archive.putOutcomes(std::span(&outcome, 1)));
    }
  }
  must({"mirror", archive_, disk + "/A"});
  expectSameArchives(archive_, disk + "/A");
  // Files of one name in small letters are one there.
  const auto files = [](const std::string& folder) {
    std::multiset<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      std::string name = fs::relative(entry.path(), folder);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (entry.is_regular_file()) found.insert(std::move(name));
    }
    return found;
  };
  for (const char* kind : {"tables", "html"}) {
    const std::string here = disk + "/" + kind, there = sandbox_.path(kind);
    for (const std::string& folder : {here, there}) {
      if (kind == std::string("html"))
        must({"report", "--archive", archive_, "--html", folder});
      else
        must({"tables", "--archive", archive_, "--out", folder});
    }
    EXPECT_EQ(files(here), files(there)) << kind;
  }
  must({"backup", disk + "/K", "--archive", disk + "/A"});
  must({"restore", disk + "/K", disk + "/R"});
  expectSameArchives(archive_, disk + "/R");
  expectWhole(disk + "/A");
}

TEST_F(Surroundings, PushesWhileDescriptorsRunOutLoseNothing) {
  fillArchive(archive_, 3, 60);
  std::unique_ptr<RealService> service;
  {
    const DescriptorLimit few(48);
    service = std::make_unique<RealService>(sandbox_, sandbox_.path("B"));
  }
  {
    // Others hold all that the service has, and let them go while the push tries again.
    std::vector<std::unique_ptr<service::RawConnection>> others;
    for (int number = 0; number < 60; ++number)
      others.push_back(
          std::make_unique<service::RawConnection>(static_cast<uint16_t>(service->port())));
    std::thread let([&] {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      others.clear();
    });
    must({"push", archive_, service->url()});
    let.join();
  }
  expectSameArchives(archive_, sandbox_.path("B"));
  // Those of the client run out: it stops and says so, or is content with them. The next call
  // continues.
  const Finished pulled = [&] {
    const DescriptorLimit few(13);
    return sandbox_.run({"pull", service->url(), sandbox_.path("C"), "--jobs", "64"});
  }();
  if (pulled.status != 0) {
    EXPECT_EQ(pulled.status, 3);
    EXPECT_THAT(pulled.err, HasSubstr("ulimit -n"));
  }
  must({"pull", service->url(), sandbox_.path("C")});
  expectSameArchives(archive_, sandbox_.path("C"));
  expectWhole(sandbox_.path("C"));
}

}  // namespace
}  // namespace vintage::tests::transfer
