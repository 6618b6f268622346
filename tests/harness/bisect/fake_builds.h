// Builds with scripted behaviour, for the real `vintage bisect`.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "harness/runtimes/builds/builds.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::bisect {

// Registers one build for each behaviour, a day apart; vintage_bisect_fake_worker
// knows the behaviours, and reads them from the sandbox whenever it is started.
inline void registerFakeBuilds(const tests::command::Sandbox& sandbox, const std::string& folder,
                               const std::vector<std::string>& behaviour) {
  sandbox.write("plan.json", nlohmann::json(behaviour).dump());
  auto archive = archive::Archive::open(folder, archive::Archive::Mode::kReadWrite);
  ASSERT_TRUE(archive) << archive.error().message;
  for (size_t i = 0; i < behaviour.size(); ++i) {
    archive::BuildRecord build;
    build.name = fmt::format("fake {:03}", i);
    build.version = "1";
    build.buildDate = *parseDate("2025-01-01") + std::chrono::days(i);
    build.platforms = {"cpu"};
    build.modes = {"graph"};
    build.kind = "command";
    build.start.emplace().worker = {VINTAGE_BINARY "/bin/vintage_bisect_fake_worker",
                                    sandbox.path(""), std::to_string(i)};
    ASSERT_TRUE(harness::registerBuild(*archive, build));
  }
}

}  // namespace vintage::tests::bisect
