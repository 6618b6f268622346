#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/builds/builds.h"
#include "harness/command/record_json.h"
#include "harness/command/verb.h"
#include "harness/worker/worker_pool.h"

namespace vintage {
namespace {

class BuildsVerb final : public Verb {
 public:
  const char* name() const override { return "builds"; }
  const char* summary() const override {
    return "List the builds that an archive knows, or register one";
  }
  const char* example() const override {
    return "vintage builds --archive A\n  vintage builds --archive A --add -- /opt/old/worker --flag";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_flag("--add", add_,
                 "Start the COMMAND, which speaks the worker protocol, and register the build "
                 "that it says it is");
    app.add_option("COMMAND", command_, "The worker's program and its arguments, after --");
  }

  Result<int> run(Console& console) override {
    if (add_ == command_.empty())
      return failure(Error::Kind::kUsage, "--add and the COMMAND of a worker go together");
    auto archive = Archive::open(archive_, add_ ? Archive::Mode::kReadWrite
                                                : Archive::Mode::kReadOnly);
    if (!archive) return tl::unexpected<Error>(archive.error());
    if (add_) return add(*archive, console);
    auto builds = archive->builds();
    if (!builds) return tl::unexpected<Error>(builds.error());
    nlohmann::json list = nlohmann::json::array();
    for (const BuildRecord& build : *builds) {
      if (console.json())
        list.push_back(toJson(build));
      else
        console.line(describe(build));
    }
    if (console.json())
      console.printJson(list);
    else
      console.line(fmt::format("{} build{}", builds->size(), builds->size() == 1 ? "" : "s"));
    return kExitHolds;
  }

 private:
  static std::string describe(const BuildRecord& build) {
    return fmt::format("{}  {:<32} {:<10} {:<8} calling conventions {} to {}, StableHLO up to {}{}",
                       formatDate(build.buildDate), build.name,
                       fmt::join(build.platforms, ","), build.kind,
                       build.oldestCallingConvention, build.newestCallingConvention,
                       build.stablehloVersion,
                       canStart(build) ? "" : ", cannot be started here");
  }

  Result<int> add(Archive& archive, Console& console) const {
    auto host = makePosixProcessHost();
    WorkerPoolOptions options;
    options.command = command_;
    WorkerPool pool(options, *host);
    auto hello = pool.greet();
    if (!hello) return tl::unexpected<Error>(hello.error());
    BuildRecord build = hello->build;
    build.kind = "command";
    build.command = command_;
    if (Status status = archive.putBuild(build); !status)
      return tl::unexpected<Error>(status.error());
    if (console.json())
      console.printJson(toJson(build));
    else
      console.line("registered: " + describe(build));
    return kExitHolds;
  }

  std::string archive_;
  bool add_ = false;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Verb> makeBuildsVerb() { return std::make_unique<BuildsVerb>(); }

}  // namespace vintage
