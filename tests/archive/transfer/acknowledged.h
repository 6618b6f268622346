// Puts that a service has acknowledged to its clients, and whether an archive still keeps them.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/store/frame_stream.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests::transfer {

class Acknowledged {
 public:
  // One answer of the service (RecordingProxy::Observer).
  void observe(const ScriptedRequest& request, int status, const std::string& body) {
    if (request.method != "POST" || (status != 200 && status != 207)) return;
    const std::string path = request.target.substr(0, request.target.find('?'));
    const auto answer = nlohmann::json::parse(body, nullptr, false);
    const std::lock_guard lock(mutex_);
    if (path == "/v1/push") {
      Pushed pushed;
      archive::FrameStreamReader reader(pushed);
      must(reader.feed(request.body));
      std::set<uint64_t> refused;
      for (const auto& one : answer.at("refused")) refused.insert(one.at("frame").get<uint64_t>());
      for (const auto& [frame, record] : pushed.artifacts)
        if (!refused.contains(frame)) addArtifact(record);
      return;
    }
    const bool builds = path == "/v1/builds", runs = path == "/v1/runs";
    if ((!builds && !runs && path != "/v1/outcomes") || status != 200) return;
    size_t begin = 0;
    for (size_t end; (end = request.body.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const auto line = nlohmann::json::parse(request.body.substr(begin, end - begin));
      if (builds) {
        builds_.insert(must(archive::buildOfJson(line)).name);
      } else if (runs) {
        const archive::RunRecord run = must(archive::runOfJson(line)).run;
        runs_[run.id] = run.finished;
      } else {
        outcomes_.insert(
            archive::jsonText(archive::recordJson(must(archive::outcomeOfJson(line)))));
      }
    }
  }
  void addArtifact(const archive::ArtifactRecord& record) {
    artifacts_[{record.name, record.producer}] = {record.id, record.golden};
  }

  // Artifacts, builds, runs and outcomes so far.
  size_t count() const {
    const std::lock_guard lock(mutex_);
    return artifacts_.size() + builds_.size() + runs_.size() + outcomes_.size();
  }

  // Fails the test for everything that is missing or changed; returns how much.
  size_t expectKept(const archive::Archive& archive) const {
    const std::lock_guard lock(mutex_);
    size_t missing = 0;
    const auto expect = [&](bool kept, const std::string& what) {
      EXPECT_TRUE(kept) << what << " was acknowledged and is missing or changed";
      missing += !kept;
    };
    std::map<std::pair<std::string, std::string>, std::pair<archive::ContentId, archive::ContentId>>
        artifacts;
    must(archive.forEach({}, [&](const archive::ArtifactRecord& record) {
      artifacts[{record.name, record.producer}] = {record.id, record.golden};
      return true;
    }));
    for (const auto& [name, contents] : artifacts_) {
      const auto found = artifacts.find(name);
      expect(found != artifacts.end() && found->second == contents, name.first);
      for (const archive::ContentId& id : {contents.first, contents.second}) {
        if (id.empty()) continue;
        const auto bytes = archive.read(id);  // Which hashes it.
        expect(bytes.has_value(), bytes ? "" : bytes.error().message);
      }
    }
    std::set<std::string> builds, outcomes;
    for (const archive::BuildRecord& build : must(archive.builds())) builds.insert(build.name);
    for (const std::string& build : builds_) expect(builds.contains(build), build);
    std::map<std::string, std::string> runs;
    for (const archive::RunRecord& run : must(archive.runs())) runs[run.id] = run.finished;
    for (const auto& [run, finished] : runs_) {
      const auto found = runs.find(run);
      expect(found != runs.end() && (finished.empty() || found->second == finished), "run " + run);
    }
    archive::OutcomeFilter all;
    all.latestOnly = false;
    for (const archive::OutcomeRecord& outcome : must(archive.outcomes(all)))
      outcomes.insert(archive::jsonText(archive::recordJson(outcome)));
    for (const std::string& outcome : outcomes_) expect(outcomes.contains(outcome), outcome);
    return missing;
  }

 private:
  struct Pushed : archive::FrameVisitor {
    Status frame(uint64_t number, std::string_view type, const nlohmann::json& header) override {
      if (type == "artifact")
        artifacts.emplace_back(number, must(archive::artifactOfJson(header["record"])));
      return {};
    }
    Status bytes(std::span<const std::byte>, bool) override { return {}; }
    std::vector<std::pair<uint64_t, archive::ArtifactRecord>> artifacts;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::pair<archive::ContentId, archive::ContentId>>
      artifacts_;
  std::set<std::string> builds_, outcomes_;
  std::map<std::string, std::string> runs_;  // To when it was finished.
};

}  // namespace vintage::tests::transfer
