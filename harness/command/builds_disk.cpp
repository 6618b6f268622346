// `vintage builds disk`: what environments take, and their limit.
#include <fmt/format.h>

#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/when_needed.h"

namespace vintage::harness {
namespace {

using nlohmann::json;

class DiskAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("--limit", limit_,
                   "Drop what was used longest ago and is not in use until the environments take "
                   "so much, now and before each install: 12GiB; 0 lifts the limit")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--root", request_.roots,
                   "Where environments for releases are kept (default: those of JAX and of all "
                   "other runtimes); each has a limit of its own");
  }

  Result<int> run(const std::string&, Console& console) override {
    auto host = makePosixProcessHost();
    request_.limit = limit_;
    ASSIGN_OR_RETURN(const auto answer, environmentsOnDisk(request_, *host, progressOn(console)));
    return understood("builds disk", [&]() -> Result<int> {
      console.answer(answer, textOf(answer.at("roots")));
      return kExitHolds;
    });
  }

 private:
  static std::string gigabytes(const json& bytes) {
    return fmt::format("{:.2f} GiB", bytes.get<double>() / (1 << 30));
  }

  static std::string textOf(const json& roots) {
    std::string text;
    for (const json& root : roots) {
      for (const json& one : root.at("environments"))
        text += fmt::format("{:<44} used {}  {:>10}, {:>10} of its own\n",
                            one.at("name").get<std::string>(), one.at("used").get<std::string>(),
                            gigabytes(one.at("bytes")), gigabytes(one.at("own_bytes")));
      for (const json& dropped : root.at("dropped"))
        text += fmt::format("dropped: {}\n", dropped.get<std::string>());
      const json& limit = root.at("limit");
      text += fmt::format("{}: {} in {} environments, {}\n", root.at("root").get<std::string>(),
                          gigabytes(root.at("bytes")), root.at("environments").size(),
                          limit.get<uint64_t>() > 0 ? "limit " + gigabytes(limit) : "no limit");
    }
    return text;
  }

  DiskRequest request_;
  std::optional<uint64_t> limit_;
};

}  // namespace

std::unique_ptr<BuildsAction> makeDiskAction() { return std::make_unique<DiskAction>(); }

}  // namespace vintage::harness
