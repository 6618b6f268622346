#include "harness/judge/nightly/generate.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/importer/described_module.h"
#include "primitives/catalogue/export.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;
using namespace archive;

namespace {

constexpr size_t kArtifactsInOneSync = 1024;
constexpr size_t kMostWaiting = 256;   // Cases.
constexpr int kCasesPerContext = 100;  // Each is parsed and read back for every platform.

// The exports of one case.
struct ExportedCase {
  std::vector<Archive::Put> puts;
  size_t declared = 0;
  std::vector<Error> refused;
};

// Facts of a module's bytes, once they are read back.
struct ModuleFacts {
  std::optional<StablehloVersion> version;
  std::vector<std::string> targets;
};

// Modules that the platforms of one case share; most do.
struct KnownModules {
  WrittenModules written;
  std::map<std::vector<std::byte>, ModuleFacts> readBack;
};

// Its bytes go to `bytes`.
Result<Exported> write(ProgramContext& context, const Case& entry, const std::string& platform,
                       const GenerateOptions& options, KnownModules& known,
                       std::vector<std::byte>& bytes) {
  const PhaseMeter::Busy busy(options.phases, "lower and serialize");
  ASSIGN_OR_RETURN(auto exported, exportCase(context, entry, platform, {.profile = options.profile},
                                             &known.written));
  ASSIGN_OR_RETURN(bytes, within("<case " + entry.id + ">", writeExported(exported)));
  return exported;
}

// Reads them as a consumer would, so that the record says what the bytes say.
Result<ModuleFacts> readBack(ProgramContext& context, const std::vector<std::byte>& module,
                             const std::string& place, KnownModules& known) {
  if (const auto found = known.readBack.find(module); found != known.readBack.end())
    return found->second;
  ASSIGN_OR_RETURN(auto program, context.readPortableArtifact(module, place));
  ModuleFacts facts{program.artifactVersion(), program.customCallTargets()};
  known.readBack.emplace(module, facts);
  return facts;
}

Result<Archive::Put> exportOn(ProgramContext& context, const Case& entry,
                              const std::string& platform, const BuildRecord& producer,
                              const GenerateOptions& options, KnownModules& known) {
  Archive::Put put;
  ASSIGN_OR_RETURN(const auto exported, write(context, entry, platform, options, known, put.bytes));
  const PhaseMeter::Busy busy(options.phases, "read back");
  const std::string place = "<case " + entry.id + ">";
  ASSIGN_OR_RETURN(auto facts, readBack(context, exported.module, place, known));
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) {
    ASSIGN_OR_RETURN(auto derivative,
                     readBack(context, next->module, place + ", its derivative", known));
    facts.targets = mergedTargets(facts.targets, derivative.targets);
  }

  ArtifactRecord& record = put.record;
  record.name = fmt::format("{}/{}", entry.id, fmt::join(exported.platforms, ","));
  record.format = ArtifactRecord::Format::kExported;
  record.producer = producer.name;
  record.buildDate = producer.buildDate;
  record.callingConventionVersion = exported.callingConventionVersion;
  record.serializationVersion = exported.serializationVersion;
  if (facts.version) record.stablehloVersion = formatStablehloVersion(*facts.version);
  record.primitive = entry.primitive;
  record.caseId = entry.id;
  for (ElementType type : entry.dtypes) record.dtypes.emplace_back(stablehloName(type));
  std::sort(record.dtypes.begin(), record.dtypes.end());
  record.platforms = exported.platforms;
  record.variant = entry.variant;
  record.deviceCount = static_cast<int>(exported.deviceCount);
  record.customCallTargets = std::move(facts.targets);
  return put;
}

ExportedCase exportAll(ProgramContext& context, const Case& entry, const BuildRecord& producer,
                       const GenerateOptions& options) {
  ExportedCase result;
  std::optional<Golden> golden;
  KnownModules known;
  for (const std::string& platform : entry.platforms) {
    if (!admits(options.platforms, platform)) continue;
    // One artifact can serve several platforms.
    const bool served = std::ranges::any_of(result.puts, [&](const Archive::Put& put) {
      return lists(put.record.platforms, platform);
    });
    if (served) continue;
    auto put = exportOn(context, entry, platform, producer, options, known);
    if (!put) {
      if (put.error().kind == Error::Kind::kUnsupported &&
          findLimitation(limitations(), entry, platform, "graph"))
        ++result.declared;
      else
        result.refused.push_back(put.error());
      continue;
    }
    if (!golden) {
      const PhaseMeter::Busy busy(options.phases, "goldens");
      auto made = goldenFor(entry);
      if (!made) {
        result.refused.push_back(made.error());
        break;
      }
      golden = std::move(*made);
    }
    put->golden = *golden;
    result.puts.push_back(std::move(*put));
  }
  return result;
}

// Threads export, the caller archives; what is exported waits in between.
class Generator {
 public:
  Generator(std::span<const Case* const> cases, const BuildRecord& producer,
            const GenerateOptions& options)
      : cases_(cases), producer_(producer), options_(options) {}

  void exportSome() {
    std::optional<ProgramContext> context;
    for (int programs = 0;; ++programs) {
      const size_t index = next_++;
      if (index >= cases_.size() || stopped_) break;
      if (programs % kCasesPerContext == 0) context.emplace();
      ExportedCase exported = exportAll(*context, *cases_[index], producer_, options_);
      std::unique_lock lock(mutex_);
      roomy_.wait(lock, [&] { return waiting_.size() < kMostWaiting || stopped_; });
      waiting_.push_back(std::move(exported));
      filled_.notify_one();
    }
  }

  // The next ones, at least one; they come in the order in which they are done.
  std::vector<ExportedCase> takeSome() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return !waiting_.empty(); });
    roomy_.notify_all();
    return std::exchange(waiting_, {});
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    roomy_.notify_all();
  }

 private:
  std::span<const Case* const> cases_;
  const BuildRecord& producer_;
  const GenerateOptions& options_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable filled_, roomy_;
  std::vector<ExportedCase> waiting_;
};

Result<std::set<std::string>> namesKept(const Archive& archive, const BuildRecord& producer) {
  ArtifactFilter filter;
  filter.producers = {producer.name};
  std::set<std::string> names;
  RETURN_IF_ERROR(archive.forEach(filter, [&](const ArtifactRecord& record) {
    names.insert(record.name);
    return true;
  }));
  return names;
}

}  // namespace

Result<GenerateReport> generateArtifacts(std::span<const Case* const> cases,
                                         const BuildRecord& producer,
                                         const GenerateOptions& options, Archive& archive,
                                         const std::function<void(size_t done)>& progress) {
  ASSIGN_OR_RETURN(auto kept, namesKept(archive, producer));
  GenerateReport report;
  report.cases = cases.size();
  Generator generator(cases, producer, options);
  std::vector<std::jthread> exporters;
  for (int i = 0; i < std::max(1, options.threads); ++i)
    exporters.emplace_back([&] { generator.exportSome(); });
  std::vector<Archive::Put> batch;
  Status status;
  for (size_t done = 0; done < cases.size() && status;) {
    for (ExportedCase& one : generator.takeSome()) {
      ++done;
      report.exported += one.puts.size();
      report.declared += one.declared;
      report.refused.insert(report.refused.end(), one.refused.begin(), one.refused.end());
      for (Archive::Put& put : one.puts) {
        report.added += !kept.contains(put.record.name);
        batch.push_back(std::move(put));
      }
    }
    if (batch.size() >= kArtifactsInOneSync || done == cases.size()) {
      const PhaseMeter::Busy busy(options.phases, "archive");
      auto ids = archive.putAll(batch);
      if (!ids) status = tl::unexpected<Error>(ids.error());
      batch.clear();
    }
    if (progress) progress(done);
  }
  generator.stop();
  exporters.clear();
  if (!status) return tl::unexpected<Error>(status.error());
  return report;
}

}  // namespace vintage::harness
