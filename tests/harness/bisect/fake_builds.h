// Builds with scripted behaviour, for the real `vintage bisect`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "harness/runtimes/builds/builds.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::bisect {

inline void registerCommand(archive::Archive& archive, const std::string& name, Date date,
                            std::vector<std::string> worker) {
  archive::BuildRecord build;
  build.name = name;
  build.version = "1";
  build.buildDate = date;
  build.platforms = {"cpu"};
  build.modes = {"graph"};
  build.kind = "command";
  build.start.emplace().worker = std::move(worker);
  ASSERT_TRUE(harness::registerBuild(archive, build));
}

// Registers one build for each behaviour, a day apart; vintage_bisect_fake_worker
// knows the behaviours, and reads them from the sandbox whenever it is started.
inline void registerFakeBuilds(const tests::command::Sandbox& sandbox, const std::string& folder,
                               const std::vector<std::string>& behaviour) {
  sandbox.write("plan.json", nlohmann::json(behaviour).dump());
  auto archive = archive::Archive::open(folder, archive::Archive::Mode::kReadWrite);
  ASSERT_TRUE(archive) << archive.error().message;
  for (size_t i = 0; i < behaviour.size(); ++i)
    registerCommand(
        *archive, fmt::format("fake {:03}", i), *parseDate("2025-01-01") + std::chrono::days(i),
        {VINTAGE_BINARY "/bin/vintage_bisect_fake_worker", sandbox.path(""), std::to_string(i)});
}

// A program, and an engine for each of the first days of March 2025: `workerOf` starts it.
inline const std::string kThreeOperations = R"(module @three {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<3xf32>
    %1 = stablehlo.subtract %0, %arg1 : tensor<3xf32>
    %2 = stablehlo.add %1, %arg1 : tensor<3xf32>
    return %2 : tensor<3xf32>
  }
}
)";
inline void registerEngines(
    const std::string& folder, int days,
    const std::function<std::vector<std::string>(int day, const std::string& date)>& workerOf) {
  auto archive = archive::Archive::open(folder, archive::Archive::Mode::kReadWrite);
  ASSERT_TRUE(archive) << archive.error().message;
  for (int day = 1; day <= days; ++day) {
    const std::string date = fmt::format("2025-03-{:02}", day);
    registerCommand(*archive, "vintage-engine " + date, *parseDate(date), workerOf(day, date));
  }
}

// An archive A of the one artifact "add".
class BisectTest : public testing::Test {
 protected:
  void SetUp() override { import("add", archive_); }

  void import(const std::string& name, const std::string& archive,
              const std::string& text = tests::command::kAddText) {
    const std::string entry = tests::command::writeCompatibilityTest(sandbox_, name, 33, text);
    ASSERT_EQ(sandbox_.run({"import", entry, "--archive", archive}).status, 0)
        << tests::command::Sandbox::read(sandbox_.path("stderr"));
  }
  tests::command::Finished bisectIn(const std::string& archive,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"bisect", "--archive", archive, "--artifact",
                                       "add",    "--format",  "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  static nlohmann::json recordOf(const tests::command::Finished& finished) {
    const auto record = nlohmann::json::parse(finished.out, nullptr, false);
    EXPECT_TRUE(record.is_object()) << finished.out << finished.err;
    return record;
  }
  // The file in the folder where an archive keeps its bisects.
  static std::string fileOfBisect(const std::string& archive, const char* extension) {
    std::string found;
    for (const auto& file : std::filesystem::directory_iterator(archive + "/bisect"))
      if (file.path().extension() == extension) found = file.path();
    return found;
  }

  tests::command::Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

}  // namespace vintage::tests::bisect
