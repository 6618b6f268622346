// vintage_nights_archive FOLDER NIGHTS: an archive of two products, for the dashboard's tests of
// many builds: nights of TensorFlow, and a release of JAX every ten days between them. A night of
// TensorFlow fails fft once, and svd from a night on.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/dashboard/or_end.h"

namespace vintage::tests {
using namespace archive;

namespace {

constexpr int kFftFails = 120, kSvdFailsFrom = 200;
constexpr int kDaysOfRelease = 10;
const Date kFirstDay = std::chrono::sys_days(std::chrono::year(2025) / 11 / 3);
const std::vector<std::string> kPrimitives = words("abs cholesky fft svd tan while");

Archive::Put putOf(const std::string& primitive) {
  Archive::Put put;
  put.record.name = primitive + "_f32[8]/cpu";
  put.record.producer = "jax-0.5.0";
  put.record.buildDate = kFirstDay;
  put.record.format = ArtifactRecord::Format::kPortableArtifact;
  put.record.primitive = primitive;
  put.record.platforms = {"cpu"};
  const auto bytes = std::as_bytes(std::span(put.record.name));
  put.bytes.assign(bytes.begin(), bytes.end());
  return put;
}

class Filler {
 public:
  Filler(Archive& archive, std::vector<ContentId> artifacts, std::string run)
      : archive_(archive), artifacts_(std::move(artifacts)), run_(std::move(run)) {}

  void build(const std::string& name, Date day, const std::vector<std::string>& failing) {
    BuildRecord build;
    build.name = name;
    build.buildDate = day;
    build.platforms = {"cpu"};
    build.modes = {"graph"};
    build.kind = "command";
    must(archive_.putBuild(build));
    std::vector<OutcomeRecord> outcomes;
    for (size_t index = 0; index < artifacts_.size(); ++index) {
      OutcomeRecord& outcome = outcomes.emplace_back();
      outcome.artifact = artifacts_[index];
      outcome.build = name;
      outcome.platform = "cpu";
      outcome.mode = "graph";
      outcome.run = run_;
      if (std::ranges::count(failing, kPrimitives[index]) == 0) continue;
      outcome.outcome = OutcomeKind::kError;
      outcome.stage = Stage::kCompile;
    }
    must(archive_.putOutcomes(outcomes));
  }

 private:
  Archive& archive_;
  std::vector<ContentId> artifacts_;
  std::string run_;
};

void fill(Archive& archive, int nights) {
  std::vector<Archive::Put> puts;
  for (const std::string& primitive : kPrimitives) puts.push_back(putOf(primitive));
  RunRecord run;
  run.kind = "nightly";
  run.started = formatDate(kFirstDay) + "T01:00:00Z";
  run.id = formatDate(kFirstDay) + "T01:00:00.000000Z-nights";
  Filler filler(archive, must(archive.putAll(puts)), must(archive.putRun(run)));
  for (int night = 0; night < nights; ++night) {
    const Date day = kFirstDay + std::chrono::days(night);
    std::string digits = formatDate(day);
    std::erase(digits, '-');
    std::vector<std::string> failing;
    if (night == kFftFails) failing.emplace_back("fft");
    if (night >= kSvdFailsFrom) failing.emplace_back("svd");
    filler.build("tf-nightly-2.22.0.dev" + digits, day, failing);
    if (night % kDaysOfRelease == 5)
      filler.build(fmt::format("jax-0.6.{}", night / kDaysOfRelease), day, {});
  }
  must(archive.finishRun(run.id, "", "broken"));
}

}  // namespace
}  // namespace vintage::tests

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: vintage_nights_archive FOLDER NIGHTS\n");
    return 2;
  }
  using vintage::archive::Archive;
  auto archive = vintage::tests::must(Archive::open(arguments[1], Archive::Mode::kCreate));
  vintage::tests::fill(archive, std::atoi(arguments[2]));
  return 0;
}
