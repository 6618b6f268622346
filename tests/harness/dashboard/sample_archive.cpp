// vintage_dashboard_archive FOLDER OUTCOMES|none: an archive of twenty releases, or an empty one,
// for the dashboard's tests and benchmark, through the archive's public interface. Each view shows
// a part of its story: LAPACK's targets are renamed, old consumers do not read new calling
// conventions, three releases compute erf_inv wrongly, one was never run. The same call gives the
// same archive.
#include <cstdio>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "reports/run_notes.h"
#include "reports/speed_report.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/dashboard/or_end.h"

namespace vintage::tests {
using namespace archive;
using namespace reports;

namespace {

constexpr int kReleases = 20, kDaysApart = 41;
constexpr int kRenamed = 14;  // The release that registers LAPACK's targets by new names only.
constexpr int kNewConvention = 12;  // The release that exports the next calling convention.
constexpr int kNeverRun = 18;
const Date kFirstDay = std::chrono::sys_days(std::chrono::year(2024) / 9 / 3);

const std::vector<std::string> kPrimitives = words(
    "abs acos acosh add all_gather all_to_all and argmax argmin asin asinh atan atan2 atanh "
    "bessel_i0e bessel_i1e bitcast_convert_type broadcast_in_dim cbrt ceil cholesky clamp clz "
    "complex concatenate conj conv_general_dilated convert_element_type cos cosh cumlogsumexp "
    "cummax cummin cumprod cumsum custom_linear_solve digamma div dot_general dynamic_slice "
    "dynamic_update_slice eig eigh eq erf erf_inv erfc exp exp2 expm1 fft floor gather ge gt "
    "hessenberg householder_product igamma igamma_grad_a igammac imag integer_pow iota "
    "is_finite le lgamma log log1p logistic lt lu max min mul ne neg nextafter not or pad "
    "population_count pow qr random_bits random_gamma real reduce reduce_and reduce_max "
    "reduce_min reduce_or reduce_precision reduce_prod reduce_sum reduce_window "
    "regularized_incomplete_beta rem reshape rev rng_bit_generator round rsqrt scatter "
    "scatter_add scatter_max scatter_min scatter_mul schur select_and_gather_add select_n "
    "shift_left shift_right_arithmetic shift_right_logical sign sin sinh slice sort sqrt square "
    "squeeze sub svd tan tanh threefry2x32 top_k transpose triangular_solve tridiagonal "
    "tridiagonal_solve while xor");
constexpr std::string_view kLapack[] = {
    "cholesky", "eig", "eigh",  "hessenberg", "householder_product",
    "lu",       "qr",  "schur", "svd",        "tridiagonal"};
constexpr std::string_view kDtypes[] = {"f32", "f64", "bf16", "i32", "c64"};

bool isLapack(std::string_view primitive) {
  return std::ranges::find(kLapack, primitive) != std::end(kLapack);
}
std::string releaseName(int release) {
  return fmt::format("jax 0.{}.{}", 4 + release / 10, release % 10 + 30 * (release < 10));
}
Date releaseDay(int release) { return kFirstDay + std::chrono::days(kDaysApart * release); }
// Pseudo-random, and the same on every machine.
uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9;
  return value ^ (value >> 32);
}

struct Case {
  int producer = 0, number = 0;
  std::string_view primitive, dtype, mode;
  ContentId id;
};

std::string targetOf(std::string_view primitive, int release) {
  return fmt::format("lapack_s{}{}", primitive, release < kRenamed - 7 ? "" : "_ffi");
}

Archive::Put putOf(const Case& one) {
  Archive::Put put;
  ArtifactRecord& record = put.record;
  record.name = fmt::format("{}_{}[{},8]/cpu", one.primitive, one.dtype, one.number + 1);
  record.producer = releaseName(one.producer);
  record.buildDate = releaseDay(one.producer);
  record.format = ArtifactRecord::Format::kPortableArtifact;
  record.callingConventionVersion = one.producer < kNewConvention ? 9 : 10;
  record.stablehloVersion = fmt::format("1.{}.0", one.producer);
  record.primitive = one.primitive;
  record.caseId = record.name.substr(0, record.name.find('/'));
  record.dtypes = {std::string(one.dtype)};
  record.platforms = {"cpu"};
  const std::string shape = fmt::format("tensor<{}x8xf32>", one.number + 1);
  std::string operation = fmt::format("stablehlo.cosine %arg0 : {}", shape);
  if (isLapack(one.primitive)) {
    record.customCallTargets = {targetOf(one.primitive, one.producer)};
    operation = fmt::format("stablehlo.custom_call @{}(%arg0) : ({}) -> {}",
                            record.customCallTargets.front(), shape, shape);
  }
  const std::string text = fmt::format(
      "// {}\nmodule @jit_{} {{\n  func.func public @main(%arg0: {}) -> {} {{\n    %0 = {}\n    "
      "return %0 : {}\n  }}\n}}\n",
      record.producer, one.primitive, shape, shape, operation, shape);
  const auto bytes = std::as_bytes(std::span(text));
  put.bytes.assign(bytes.begin(), bytes.end());
  return put;
}

OutcomeRecord outcomeOf(const Case& one, int consumer, const std::string& run) {
  OutcomeRecord outcome;
  outcome.artifact = one.id;
  outcome.build = releaseName(consumer);
  outcome.platform = "cpu";
  outcome.mode = one.mode;
  outcome.run = run;
  const uint64_t chance = mixed(one.producer * 1000 + consumer + uint64_t(one.number) * 7919);
  outcome.seconds = 0.001 + chance % 1000 * 1e-5;
  const auto end = [&](OutcomeKind kind, Stage stage, std::string detail) {
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = std::move(detail);
  };
  if (one.primitive == "schur") {
    outcome.limitation = "schur-unsupported";
    end(OutcomeKind::kUnsupported, Stage::kCompile, "UNIMPLEMENTED: schur on this platform");
  } else if (one.primitive == "fft" && consumer == 5) {
    end(OutcomeKind::kRunnerError, Stage::kRun, "the worker ended before it answered");
  } else if (one.producer >= kNewConvention && consumer < kNewConvention - 2) {
    end(OutcomeKind::kError, Stage::kLoad,
        "ValueError: calling convention version 10 is not supported; this release reads 9");
  } else if (isLapack(one.primitive) && consumer >= kRenamed && one.producer < kRenamed - 7) {
    // A hostile consumer's message: it has to stay text.
    end(OutcomeKind::kError, Stage::kCompile,
        fmt::format("INVALID_ARGUMENT: <img src=x onerror=alert(1)> No registered implementation "
                    "for custom call to {} for platform Host\n  at "
                    "xla/service/cpu/ir_emitter.cc:2731 </pre><script>alert(2)</script>",
                    targetOf(one.primitive, one.producer)));
  } else if (one.primitive == "erf_inv" && consumer >= 9 && consumer <= 11 && chance % 3 != 0) {
    end(OutcomeKind::kMismatch, Stage::kCompare,
        "output 0[0, 5]: expected -0.004962015874444895, found nan");
  } else if (one.primitive == "igamma" && one.dtype == "f32" && consumer >= 16) {
    outcome.limitation = "igamma-f32";  // Which no longer holds.
  } else if (consumer % 6 == 1 && chance % 701 == 0) {
    end(OutcomeKind::kTimeout, Stage::kRun, "60 s are over");
  }
  return outcome;
}

RuntimeDescription descriptionOf(int release) {
  RuntimeDescription runtime;
  runtime.name = releaseName(release);
  runtime.version = runtime.name.substr(4);
  runtime.buildDate = releaseDay(release);
  runtime.platforms = runtime.registries = {"cpu"};
  runtime.modes = {"graph", "compiled"};
  runtime.emission.lowered = {{"cpu", kEmittedByDefault, 100, {}}};
  std::set<std::string> targets;
  for (const std::string_view primitive : kLapack) {
    if (release < kRenamed) targets.insert(targetOf(primitive, 0));
    if (release >= 3) targets.insert(targetOf(primitive, kRenamed));
    EmittedCall call;
    call.name = targetOf(primitive, release);
    call.platform = "cpu";
    call.mode = kEmittedByDefault;
    call.signature = {release < kRenamed - 7 ? 2 : 4, 1, {}};
    call.primitives = {std::string(primitive)};
    call.example = fmt::format("{}_f32[8,8]", primitive);
    runtime.emission.calls.push_back(call);
  }
  for (const std::string& name : targets) {
    RegisteredTarget target;
    target.name = name;
    target.platform = "cpu";
    runtime.targets.push_back(target);
    if (name.ends_with("_ffi") && release >= 5) runtime.stableTargets.push_back({name, {}});
  }
  return runtime;
}

BuildRecord buildOf(int release) {
  BuildRecord build;
  build.name = releaseName(release);
  build.version = build.name.substr(4);
  build.buildDate = releaseDay(release);
  build.platforms = {"cpu"};
  build.modes = {"graph", "compiled"};
  build.oldestCallingConvention = 9;
  build.newestCallingConvention = release < kNewConvention - 2 ? 9 : 10;
  build.kind = "command";
  build.details.runtime = descriptionOf(release);
  return build;
}

// The notes of a night on this release, beside its outcomes.
std::string notesOf(int release) {
  RunNotes notes;
  notes.measuredOn = releaseName(release);
  for (const std::string& primitive : kPrimitives) {
    for (const std::string_view dtype : {"f32", "f64", "bf16"}) {
      uint64_t chance = dtype.size();
      for (const char letter : primitive)
        chance = mixed(chance + static_cast<unsigned char>(letter));
      if (chance % 3 == 0 && primitive != "erf_inv") continue;
      AccuracyRow row;
      row.primitive = primitive;
      row.dtype = dtype;
      row.platform = "cpu";
      row.mode = "graph";
      row.elements = 512;
      row.allowedUlps = 6;
      row.largestUlps = static_cast<int64_t>(chance / 3 % 6 + (chance + release) % 2);
      if (primitive == "erf_inv" && release >= 9 && release <= 11) row.largestUlps = 4'194'304;
      row.differing = row.largestUlps > 0 ? 40 : 0;
      row.meanUlps = static_cast<double>(row.largestUlps) / 9;
      if (row.differing > 0) {
        row.name = fmt::format("{}_{}[1,8]/cpu", primitive, dtype);
        row.place = "output 0 [0, 5]";
        row.input = "0.36956896";
        row.expected = "0.35361463";
        row.actual = "0.35361460";
      }
      notes.accuracy.push_back(std::move(row));
    }
  }
  return runNotesJson(notes);
}

// The seconds of a run of a loop: release 15 copies its whole array in each step.
double secondsOf(int64_t size, int release) {
  const double linear = 1e-7 * static_cast<double>(size);
  return release == 15 ? linear * (1 + static_cast<double>(size) / 500) : linear;
}

MeasuredQuantity measuredOf(Quantity quantity, double before, double after, int rounds) {
  const double ratio = after / before;
  const double open = rounds == 0 ? 1 : 1.04;
  return {quantity, before, after, {ratio / open, ratio, ratio * open, rounds}};
}

// One release beside an earlier one, on a loop of three sizes and a product.
void putSpeed(Archive& archive, int before, int after) {
  BuildComparison comparison;
  comparison.before = releaseName(before);
  comparison.after = releaseName(after);
  comparison.beforeDate = releaseDay(before);
  comparison.afterDate = releaseDay(after);
  comparison.seconds = 20;
  const auto add = [&](std::string name, std::vector<MeasuredQuantity> quantities) {
    MeasuredArtifact artifact;
    artifact.artifact = fmt::format("{:064x}", comparison.artifacts.size() + 1);
    artifact.name = std::move(name);
    artifact.platform = "cpu";
    artifact.mode = "compiled";
    artifact.quantities = std::move(quantities);
    comparison.artifacts.push_back(std::move(artifact));
  };
  for (const int64_t size : {255, 4095, 65537})
    add(fmt::format("loop_f32_n{}/cpu", size),
        {measuredOf(Quantity::kRun, secondsOf(size, before), secondsOf(size, after), 12),
         measuredOf(Quantity::kCompile, 0.05, 0.05, 12),
         measuredOf(Quantity::kMemory, 8.0 * static_cast<double>(size),
                    8.0 * static_cast<double>(size), 0)});
  add("product_f32/cpu", {measuredOf(Quantity::kRun, 0.002, after == 16 ? 0.001 : 0.002, 12),
                          measuredOf(Quantity::kCompile, 0.1, after == 14 ? 0.25 : 0.1, 12)});
  add("lapack_f32/cpu", {});
  comparison.artifacts.back().problem = "<b>error</b> in compile: NOT_FOUND: no implementation";
  RunRecord run;
  run.started = formatDate(comparison.afterDate) + "T03:00:00Z";
  run.id = formatDate(comparison.afterDate) + "T03:00:00.000000Z-speed";
  run.kind = "speed";
  run.commandLine = "vintage window --archive A --speed";
  run.finished = formatDate(comparison.afterDate) + "T03:01:00Z";
  run.verdict = comparisonJson(comparison).dump();
  run.id = must(archive.putRun(run));
  must(archive.finishRun(run.id, run.verdict, run.result));
  must(archive.putRun(run).map([](const std::string&) {}));
}

void fill(Archive& archive, int64_t outcomes) {
  const int64_t cases = std::max<int64_t>(1, outcomes / ((kReleases - 1) * kReleases));
  std::vector<Case> all;
  for (int release = 0; release < kReleases; ++release) {
    must(archive.putBuild(buildOf(release)));
    std::vector<Archive::Put> puts;
    for (int64_t number = 0; number < cases; ++number) {
      const auto place = static_cast<size_t>(number);
      Case one;
      one.producer = release;
      one.number = static_cast<int>(number);
      one.primitive = kPrimitives[place % std::size(kPrimitives)];
      one.dtype = kDtypes[place / std::size(kPrimitives) % std::size(kDtypes)];
      one.mode = place % 5 == 4 ? "compiled" : "graph";
      puts.push_back(putOf(one));
      all.push_back(one);
    }
    const auto ids = must(archive.putAll(puts));
    for (size_t index = 0; index < ids.size(); ++index)
      all[all.size() - ids.size() + index].id = ids[index];
  }
  for (int consumer = 0; consumer < kReleases; ++consumer) {
    if (consumer == kNeverRun) continue;
    RunRecord run;
    run.started = formatDate(releaseDay(consumer)) + "T01:00:00Z";
    run.id = formatDate(releaseDay(consumer)) + "T01:00:00.000000Z-sample";
    run.kind = "nightly";
    if (consumer == kReleases - 1) run.label = "new-pin";
    run.commandLine = "vintage nightly --archive A --today " + formatDate(releaseDay(consumer));
    run.finished = formatDate(releaseDay(consumer)) + "T01:02:00Z";
    run.id = must(archive.putRun(run));
    std::vector<OutcomeRecord> batch;
    for (const Case& one : all) {
      batch.push_back(outcomeOf(one, consumer, run.id));
      if (batch.size() == 20'000) {
        must(archive.putOutcomes(batch));
        batch.clear();
      }
    }
    must(archive.putOutcomes(batch));
    run.verdict = notesOf(consumer);
    run.result = consumer >= kRenamed ? "broken" : "holds";
    must(archive.finishRun(run.id, run.verdict, run.result));
    must(archive.putRun(run).map([](const std::string&) {}));
  }
  for (int after = 13; after < kReleases; ++after)
    if (after != kNeverRun) putSpeed(archive, after - (after == kNeverRun + 1 ? 2 : 1), after);
  RunRecord unfinished;
  unfinished.id = formatDate(releaseDay(kReleases)) + "T01:00:00.000000Z-killed";
  unfinished.kind = "nightly";
  unfinished.started = formatDate(releaseDay(kReleases)) + "T01:00:00Z";
  must(archive.putRun(unfinished).map([](const std::string&) {}));
}

}  // namespace
}  // namespace vintage::tests

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: vintage_dashboard_archive FOLDER OUTCOMES|none\n");
    return 2;
  }
  using vintage::archive::Archive;
  auto archive = vintage::tests::must(Archive::open(arguments[1], Archive::Mode::kCreate));
  if (std::string_view(arguments[2]) != "none")
    vintage::tests::fill(archive, std::atoll(arguments[2]));
  return 0;
}
