// Exports of a release come into the archive; a shell script stands in for the release.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "golden/program/program.h"
#include "harness/runtimes/builds/producing.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests::consumers::python {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* kIdentity = R"(module @identity {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
})";

class Producing : public testing::Test {
 protected:
  Producing() {
    std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    archive_ = *Archive::open((folder_ / "A").string(), Archive::Mode::kCreate);
    golden::ProgramContext context;
    auto program = context.parseText(kIdentity, "identity");
    auto bytes = program->writePortableArtifact(*parseStablehloVersion("1.0.0"));
    std::ofstream(folder_ / "module.mlirbc", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes->data()),
               static_cast<std::streamsize>(bytes->size()));
  }
  ~Producing() override {
    archive_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // A release that runs `script`; its folder is $1.
  BuildRecord release(const std::string& script, const std::string& produces = "exported") const {
    BuildRecord build;
    build.name = "jax-0.8.1";
    build.kind = "command";
    BuildDetails& details = build.details;
    details.said = SaidOfItself{"jax 0.8.1", "2025-11-18"};
    details.environment = PythonEnvironment{};
    details.environment->condition = "warm";
    details.environment->produces = produces;
    const std::string whole =
        "echo \"$@\" > '" + (folder_ / "arguments").string() +
        "'\nwhile [ \"$1\" != --out ]; do shift; done; shift; mkdir -p \"$1\"\n" + script;
    build.start.emplace().exporter = {"/bin/sh", "-c", whole, "producer"};
    return build;
  }

  // Writes the artifact `name` into $1, as a producer does.
  std::string artifact(const std::string& name) const {
    return "mkdir -p \"$1/" + name + "\"; cp '" + (folder_ / "module.mlirbc").string() + "' \"$1/" +
           name + "\"; echo '{\"name\": \"" + name +
           R"(", "kind": "module", "platform": "cpu", "serialized_date": "2025-11-18",
 "producer": "jax 0.8.1", "primitive": "copy", "harness": "copy_3", "variant": "static",
 "calling_convention_version": 10, "inputs": [], "outputs": []}' > "$1/)" +
           name + "/meta.json\"\n";
  }
  static std::string answer(const std::string& artifacts) {
    return R"(echo '{"result": {"exported": 1, "without_golden": 1, "unimplemented": 0,
 "refused": 2, "kinds": [
  {"platforms": "cpu", "variant": "static", "mode": "default", "status": "exported", "count": 1},
  {"platforms": "cpu", "variant": "static", "mode": "default", "status": "refused", "count": 2}],
 "reasons": [{"primitive": "add", "reason": "export: no", "count": 2, "example": "add/cpu"}],
 "artifacts": [)" +
           artifacts + R"(]}}' | tr -d '\n'; echo
)";
  }

  // With which the release was called.
  std::string arguments() const { return fileText(folder_ / "arguments"); }

  Result<ProduceReport> run(const BuildRecord& build, const ProduceRequest& request = {}) {
    return produce(build, request, *archive_, *host_, {});
  }

  fs::path folder_;
  std::optional<Archive> archive_;
  std::unique_ptr<ProcessHost> host_ = makePosixProcessHost();
};

constexpr const char* kOne = R"({"name": "a", "folder": "a"})";

TEST_F(Producing, WhatWasExportedIsArchivedWithWhatItsProducerSays) {
  auto report = run(release(artifact("a") + answer(kOne)));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->added, 1u);
  EXPECT_EQ(report->producer, "jax 0.8.1");
  ASSERT_EQ(report->kinds.size(), 1u);
  EXPECT_EQ(report->kinds.front().refused, 2u);
  ASSERT_EQ(report->reasons.size(), 1u);
  EXPECT_EQ(report->reasons.front().reason, "export: no");
  auto record = archive_->find("a");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->producer, "jax 0.8.1");
  EXPECT_EQ(record->primitive, "copy");
  EXPECT_EQ(record->caseId, "copy_3");
  EXPECT_EQ(formatDate(record->buildDate), "2025-11-18");
  // Its folder is not needed any more.
  EXPECT_FALSE(fs::exists(folder_ / "A/produced/jax-0.8.1/a"));
}

// A release's packages run while it exports: they read homes and used the network, where its worker
// could not.
TEST_F(Producing, AReleaseExportsInTheSandbox) {
  if (std::system("bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true "
                  ">/dev/null 2>&1") != 0)
    GTEST_SKIP() << "bubblewrap does not start here";
  const std::string secret = folder_ / "secret", elsewhere = folder_ / "elsewhere";
  std::ofstream(secret) << "the secret";
  BuildRecord build =
      release("cat '" + secret + "' > \"$1/read\"; grep -c : /proc/net/dev > \"$1/" +
              "interfaces\"; touch '" + elsewhere + "'\n" + answer(""));
  build.platforms = {"cpu"};
  ProduceRequest request;
  request.keep = folder_ / "kept";
  const auto in = [&](const char* name) {
    std::ifstream file(request.keep / name);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  auto report = run(build, request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(in("read"), "");
  EXPECT_EQ(in("interfaces"), "1\n");
  EXPECT_FALSE(fs::exists(elsewhere));
  request.sandbox = SandboxUse::kNone;
  ASSERT_TRUE(run(build, request));
  EXPECT_EQ(in("read"), "the secret");
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST_F(Producing, FoldersStayWhereTheyAreToBeKept) {
  ProduceRequest request;
  request.keep = folder_ / "kept";
  ASSERT_TRUE(run(release(artifact("a") + answer(kOne)), request));
  EXPECT_TRUE(fs::exists(folder_ / "kept/a/meta.json"));
}

TEST_F(Producing, ASecondCallAddsNothing) {
  ASSERT_TRUE(run(release(artifact("a") + answer(kOne))));
  auto again = run(release(answer(kOne)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->added, 0u);
  EXPECT_TRUE(again->notImported.empty());
}

TEST_F(Producing, WhatWasExportedBeforeTheProducerBrokeIsArchived) {
  auto report = run(release(artifact("a") + answer(kOne) + "exit 3"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->added, 1u);
  EXPECT_THAT(report->broke, HasSubstr("status 3"));
}

TEST_F(Producing, AFolderThatCannotBeReadIsNamedAndTheOthersAreArchived) {
  auto report = run(release(artifact("a") + artifact("b") + "echo '{' > \"$1/b/meta.json\"\n" +
                            answer(std::string(kOne) + R"(, {"name": "b", "folder": "b"})")));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->added, 1u);
  ASSERT_EQ(report->notImported.size(), 1u);
  EXPECT_THAT(report->notImported.front().message, HasSubstr("b/meta.json"));
}

TEST_F(Producing, AReleaseIsAskedForWhatItsFrameworkKnows) {
  ProduceRequest request;
  request.filters = {"name=dense*"};
  ASSERT_TRUE(run(release(artifact("a") + answer(kOne)), request));
  EXPECT_THAT(arguments(), HasSubstr("--platform cpu"));
  EXPECT_THAT(arguments(), HasSubstr("--cases all"));
  ASSERT_TRUE(run(release(artifact("a") + answer(kOne), "saved model"), request));
  EXPECT_THAT(arguments(), Not(HasSubstr("--platform")));
  EXPECT_THAT(arguments(), Not(HasSubstr("--cases")));
  EXPECT_THAT(arguments(), HasSubstr("--filter name=dense*"));
}

TEST_F(Producing, ABuildThatMakesAnotherFormatIsNamedWithWhatItMakes) {
  ProduceRequest request;
  request.format = "saved-model";
  auto report = run(release(answer(kOne)), request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(report.error().message, HasSubstr("'jax-0.8.1' makes exported"));
  EXPECT_TRUE(run(release(artifact("a") + answer(kOne), "saved model"), request));
  request.format = "exported";
  EXPECT_FALSE(run(release(answer(kOne), "saved model"), request));
}

TEST_F(Producing, OnlyAnExportedIsWrapped) {
  ASSERT_TRUE(run(release(artifact("a") + answer(kOne))));  // A module.
  ProduceRequest request;
  request.wrapped = {"a"};
  auto report = run(release(answer(kOne), "saved model"), request);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("it is a portable artifact; an Exported is"));
  report = run(release(answer(kOne)), request);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("name a release of TensorFlow"));
}

TEST_F(Producing, APackageMakesModelsBesideTheRelease) {
  ProduceRequest request;
  request.with = "keras";
  BuildRecord own = release(artifact("a") + answer(kOne));  // An environment of the user's.
  ASSERT_TRUE(run(own, request));
  EXPECT_THAT(arguments(), HasSubstr("--with keras"));
  auto report = run(release(answer(kOne), "saved model"), request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(report.error().message, HasSubstr("--with keras: beside TensorFlow its models need"));
  // The release's own process has no network, so another one installs the package.
  own.start->environment = folder_;
  std::ofstream(folder_ / "environment.json") << "{}";
  std::ofstream(folder_ / "programs.py")
      << "import sys\nopen(sys.argv[3] + '/installed', 'w').write(' '.join(sys.argv[1:]))\n"
         "print('{\"result\": {\"environments\": [{\"with\": \"keras==3.15.1\"}]}}')\n";
  std::ofstream(folder_ / "start") << "#!/bin/sh\nshift\n" << own.start->exporter[2];
  fs::permissions(folder_ / "start", fs::perms::owner_all);
  own.start->exporter = {folder_ / "start", folder_ / "programs.py"};
  request.with = "keras>=3";
  ASSERT_TRUE(run(own, request));
  EXPECT_THAT(arguments(), HasSubstr("--with keras==3.15.1"));
  EXPECT_EQ(
      fileText(folder_ / "installed"),
      fmt::format("environment --beside {} --with keras>=3 --format lines", folder_.string()));
}

TEST_F(Producing, ABuildThatOnlyConsumesIsNamed) {
  BuildRecord build;
  build.name = "demo 1";
  auto report = run(build);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::kUsage);
  EXPECT_THAT(report.error().message, HasSubstr("'demo 1' exports nothing"));
}

}  // namespace
}  // namespace vintage::tests::consumers::python
