// A release's environment as a build; no Python runs here.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::tests::consumers::python {
using namespace archive;
using namespace harness;

namespace {

using harness::readsFormat;
using testing::ElementsAre;
using testing::HasSubstr;

nlohmann::json environment() {
  return nlohmann::json::parse(R"({
    "name": "jax 0.4.30", "release": "0.4.30", "released": "2024-06-18",
    "released_by": "the index", "path": "/r/environments/jax-0.4.30-py3.12",
    "python": {"executable": "/usr/bin/python3.12", "version": "3.12.1"},
    "packages": [{"name": "jaxlib", "version": "0.4.30", "wheel": "jaxlib.whl", "sha256": "ab"}],
    "consumer": {"warm": ["py", "worker", "warm"], "fresh": ["py", "worker", "fresh"]},
    "producer": ["py", "produce"],
    "runtime": {"format": "vintage runtime", "version": 1, "name": "jax 0.4.30",
      "runtime_version": "0.4.30", "build_date": "2024-06-17", "released": "2024-06-18",
      "platforms": ["cpu"], "modes": ["compiled"],
      "targets": [{"name": "lapack_spotrf", "platform": "cpu"}],
      "stable_targets": [{"name": "Sharding"}],
      "calling_convention": {"oldest": 9, "newest": 9, "default": 9},
      "serialization": {"oldest": 2, "newest": 2, "default": 2},
      "stablehlo": {"oldest": "0.9.0", "newest": "1.1.3"}}})");
}

EnvironmentRequest request() { return {}; }

TEST(JaxEnvironments, ABuildCountsFromTheDayOfTheReleaseAndKnowsItsRanges) {
  auto build = buildOfEnvironment(environment(), request(), Condition::kWarm);
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->name, "jax-0.4.30");
  EXPECT_EQ(build->version, "0.4.30");
  EXPECT_EQ(build->kind, "command");
  EXPECT_EQ(formatDate(build->buildDate), "2024-06-18");
  EXPECT_EQ(build->oldestCallingConvention, 9);
  EXPECT_EQ(build->newestSerialization, 2);
  EXPECT_EQ(build->stablehloVersion, "1.1.3");
  EXPECT_THAT(build->customCallTargets, ElementsAre("Sharding", "lapack_spotrf"));
  EXPECT_THAT(build->start->worker, ElementsAre("py", "worker", "warm"));
  EXPECT_THAT(build->modes, ElementsAre("compiled"));
}

TEST(JaxEnvironments, AFreshConsumerIsABuildOfItsOwnAndTheSameProducer) {
  auto warm = buildOfEnvironment(environment(), request(), Condition::kWarm);
  auto fresh = buildOfEnvironment(environment(), request(), Condition::kFresh);
  ASSERT_TRUE(warm && fresh);
  EXPECT_EQ(fresh->name, "jax-0.4.30-fresh");
  EXPECT_THAT(fresh->start->worker, ElementsAre("py", "worker", "fresh"));
  const BuildDetails* details = &fresh->details;
  ASSERT_TRUE(details->environment);
  EXPECT_EQ(details->said->name, "jax 0.4.30 fresh");  // As its worker greets.
  EXPECT_EQ(details->environment->condition, "fresh");
  EXPECT_EQ(producerName(*warm), "jax 0.4.30");
  EXPECT_EQ(producerName(*fresh), "jax 0.4.30");
}

TEST(JaxEnvironments, TheHashesOfTheWheelsAreKept) {
  auto build = buildOfEnvironment(environment(), request(), Condition::kWarm);
  ASSERT_TRUE(build);
  const BuildDetails* details = &build->details;
  ASSERT_TRUE(details->environment);
  ASSERT_EQ(details->environment->packages.size(), 1u);
  EXPECT_EQ(details->environment->packages.front().sha256, "ab");
  EXPECT_EQ(build->start->environment, "/r/environments/jax-0.4.30-py3.12");
  EXPECT_THAT(build->start->exporter, ElementsAre("py", "produce"));
}

TEST(JaxEnvironments, ARangeThatCannotBeIsNamedWithItsRelease) {
  auto bad = environment();
  bad["runtime"]["calling_convention"]["oldest"] = 12;
  auto build = buildOfEnvironment(bad, request(), Condition::kWarm);
  ASSERT_FALSE(build);
  EXPECT_THAT(build.error().message, HasSubstr("jax 0.4.30"));
}

// A release whose first wheel the index had lost got a later day when it was added again, and the
// promises of the archive moved with it.
TEST(JaxEnvironments, TheDayThatAnArchiveHasStays) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  auto archive = Archive::open(folder / "A", Archive::Mode::kCreate);
  ASSERT_TRUE(archive) << archive.error().message;
  auto first = buildOfEnvironment(environment(), request(), Condition::kWarm);
  ASSERT_TRUE(first && archive->putBuild(*first));
  auto later = environment();
  later["released"] = later["runtime"]["released"] = "2024-06-20";
  auto again = buildOfEnvironment(later, request(), Condition::kWarm);
  ASSERT_TRUE(again);
  EXPECT_EQ(formatDate(again->buildDate), "2024-06-20");
  EXPECT_TRUE(keepArchivedDay(*archive, *again));
  EXPECT_EQ(again->buildDate, first->buildDate);
  EXPECT_EQ(again->details.runtime->day(), first->buildDate);
  EXPECT_EQ(again->details.said->buildDate, "2024-06-20");  // As its worker greets.
  EXPECT_FALSE(keepArchivedDay(*archive, *first));
  fs::remove_all(folder);
}

nlohmann::json withoutConditions() {
  auto made = environment();
  made["name"] = made["runtime"]["name"] = "tensorflow 2.21.0";
  made["consumer"] = {{"", {"py", "worker"}}};
  made["producer"] = nlohmann::json::array();
  return made;
}

TEST(Environments, AFrameworkWithoutConditionsGivesOneBuildThatExportsNothing) {
  auto build = buildOfEnvironment(withoutConditions(), request(), Condition::kOnly);
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->name, "tensorflow-2.21.0");
  EXPECT_THAT(build->start->worker, ElementsAre("py", "worker"));
  const BuildDetails* details = &build->details;
  ASSERT_TRUE(details->environment);
  EXPECT_EQ(details->said->name, "tensorflow 2.21.0");
  EXPECT_EQ(details->environment->condition, "");
  EXPECT_EQ(producerName(*build), "");
}

TEST(Environments, WhatAFrameworkReadsAndMakesIsKept) {
  using Format = ArtifactRecord::Format;
  auto made = withoutConditions();
  auto silent = buildOfEnvironment(made, request(), Condition::kOnly);
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_TRUE(readsFormat(*silent, Format::kExported));
  EXPECT_FALSE(readsFormat(*silent, Format::kSavedModel));
  made["formats"] = {"exported", "saved model"};
  made["produces"] = "saved model";
  auto build = buildOfEnvironment(made, request(), Condition::kOnly);
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_TRUE(readsFormat(*build, Format::kSavedModel));
  EXPECT_FALSE(readsFormat(*build, Format::kPortableArtifact));
  EXPECT_EQ(build->details.environment->produces, "saved model");
}

// A shell script stands in for Python.
TEST(Environments, TheProgramOfTheFrameworkIsAskedForItsReleases) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  const nlohmann::json answer{{"environments", {withoutConditions()}},
                              {"left_out", nlohmann::json::array()},
                              {"failed", nlohmann::json::array()}};
  std::ofstream(folder / "python3")
      << "#!/bin/sh\n"
      << "[ \"$1\" = -c ] && { echo 3.12.1; exit 0; }\n"
      << "echo \"$@\" > " << (folder / "asked").string() << "\n"
      << "echo '" << nlohmann::json{{"result", answer}}.dump() << "'\n";
  fs::permissions(folder / "python3", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.c_str(), 1);
  auto host = makePosixProcessHost();
  EnvironmentRequest request;
  request.framework = &kTensorFlow;
  request.releases = {"2.21.0", "2.16..2.18"};
  auto report = makeEnvironments(request, {Condition::kWarm, Condition::kFresh}, *host, {});
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->builds.size(), 1u);
  EXPECT_EQ(report->builds.front().name, "tensorflow-2.21.0");
  std::ifstream file(folder / "asked");
  std::string asked;
  std::getline(file, asked);
  EXPECT_THAT(asked, HasSubstr("harness/runtimes/python/vintage_tensorflow environment "
                               "--tensorflow 2.21.0 2.16..2.18"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vintage::tests::consumers::python
