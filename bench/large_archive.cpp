#include "bench/large_archive.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/store/blob_store.h"
#include "archive/store/database.h"
#include "golden/base/content_hash.h"

namespace vintage::tests {
using namespace archive;

namespace {

// 64 bytes each, with their true hash.
Status fillContents(Database& database, int64_t count) {
  std::mt19937_64 random(1);
  std::vector<std::byte> content(64);
  ASSIGN_OR_RETURN(auto row, database.query("INSERT INTO blob (id, hash, bytes, codec, "
                                            "stored_bytes, in_file) VALUES (?, ?, 64, 0, 64, 0)"));
  ASSIGN_OR_RETURN(auto bytes,
                   database.query("INSERT INTO blob_content (blob, content) VALUES (?, ?)"));
  for (int64_t number = 1; number <= count; ++number) {
    for (std::byte& byte : content) byte = static_cast<std::byte>(random());
    RETURN_IF_ERROR(row.bind(number).bindBlob(hashBytes(contentHash(content))).run());
    RETURN_IF_ERROR(bytes.bind(number).bindBlob(content).run());
  }
  return {};
}

// All rows as benchRecord() tells them, straight into the tables. Indexes that
// can be made afterwards are: sorting is faster than inserting in any order.
Status fill(Database& database, int64_t count) {
  std::vector<std::string> indexes;
  std::string drop;
  {
    ASSIGN_OR_RETURN(auto query, database.query("SELECT name, sql FROM sqlite_schema WHERE type = "
                                                "'index' AND sql IS NOT NULL AND tbl_name "
                                                "IN ('artifact', 'blob', 'family')"));
    while (query.step().value_or(false)) {
      drop += fmt::format("DROP INDEX {};", query.text(0));
      indexes.push_back(query.text(1));
    }
  }
  const std::string numbers = fmt::format(
      "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) ",
      count - 1);
  std::vector<std::string> steps = {
      "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN",
      drop,
      "INSERT INTO list (id, texts) VALUES (1, '[\"f32\",\"f64\"]'), (2, '[\"cpu\"]'), (3, "
      "'[\"lapack_spotrf_ffi\"]')",
      "INSERT INTO list_term (term, list) VALUES ('f32', 1), ('f64', 1), ('cpu', 2), "
      "('lapack_spotrf_ffi', 3)",
      "INSERT INTO label (id, text) VALUES (1, 'add'), (2, 'dot_general'), (3, 'static')",
      "INSERT INTO kind (id, primitive, variant, device_count, dtypes) VALUES (1, 1, 3, 1, 1), (2, "
      "2, 3, 1, 1)",
      "INSERT INTO tail (id, text) VALUES (1, '')",
      "INSERT INTO form (id, suffix, platforms) VALUES (1, '', 2)",
      "WITH RECURSIVE days (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM days WHERE n < 179) INSERT "
      "INTO origin (id, producer, build_day, format, calling_convention, serialization, stablehlo) "
      "SELECT n + 1, 'bench', 20000 + n, 2, 9, 0, '' FROM days",
      "INSERT INTO head (id, text) " + numbers +
          "SELECT n + 1, 'dot_general_f32[4,' || n || ']' FROM numbers",
      "INSERT INTO family " + numbers +
          "SELECT n + 1, 1, n + 1, 1, 1 + n % 180, 1 + n % 2, iif(n / 180 % 50, NULL, 3), NULL "
          "FROM "
          "numbers",
      "INSERT INTO artifact " + numbers + "SELECT n + 1, n + 1, NULL, 1 FROM numbers"};
  for (const std::string& step : steps) {
    RETURN_IF_ERROR(database.execute(step));
  }
  RETURN_IF_ERROR(fillContents(database, count));
  indexes.push_back("COMMIT");
  indexes.push_back("PRAGMA wal_checkpoint(TRUNCATE)");
  for (const std::string& step : indexes) {
    RETURN_IF_ERROR(database.execute(step));
  }
  return {};
}

Status make(const std::string& folder, int64_t count) {
  ASSIGN_OR_RETURN(const auto archive, Archive::open(folder, Archive::Mode::kCreate));
  ASSIGN_OR_RETURN(const auto there, archive.count({}));
  if (there >= count) return {};  // With what other runs put into it.
  if (there != 0)
    return failure(
        Error::Kind::kUsage,
        fmt::format("{}: holds {} artifacts where {} are wanted; remove it", folder, there, count));
  ASSIGN_OR_RETURN(auto database, Database::open(folder + "/index.sqlite", {}));
  return fill(*database, count);
}

// In a process of its own: its memory is not the benchmarks'.
bool makeApart(const std::string& folder, int64_t count) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Status made = make(folder, count);
    if (!made) std::fprintf(stderr, "%s\n", made.error().message.c_str());
    ::_exit(made ? 0 : 3);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

class Made {
 public:
  Made() {
    const char* wanted = std::getenv("VINTAGE_BENCH_ARTIFACTS");
    const char* kept = std::getenv("VINTAGE_BENCH_LARGE");
    const char* base = std::getenv("VINTAGE_BENCH_FOLDER");
    large_.artifacts = wanted ? std::atoll(wanted) : 1'000'000;
    if (kept == nullptr) {
      temporary_ = std::string(base ? base : ".") + "/archive-bench-XXXXXX";
      if (::mkdtemp(temporary_.data()) == nullptr) std::perror(temporary_.c_str());
    }
    large_.folder = kept ? kept : temporary_ + "/archive";
    if (!makeApart(large_.folder, large_.artifacts)) std::exit(3);
  }
  ~Made() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  }
  const LargeArchive& large() const { return large_; }

 private:
  std::string temporary_;
  LargeArchive large_;
};

}  // namespace

const LargeArchive& largeArchive() {
  static const Made made;
  return made.large();
}

ArtifactRecord benchRecord(int64_t number) {
  ArtifactRecord made;
  made.name = "dot_general_f32[4," + std::to_string(number) + "]";
  made.producer = "bench";
  made.format = ArtifactRecord::Format::kSavedModel;  // Which nobody parses.
  made.buildDate = Date(std::chrono::days(20'000 + number % 180));
  made.callingConventionVersion = 9;
  made.primitive = number % 2 ? "dot_general" : "add";
  made.dtypes = {"f32", "f64"};
  made.platforms = {"cpu"};
  if (number / 180 % 50 == 0) made.customCallTargets = {"lapack_spotrf_ffi"};
  return made;
}

}  // namespace vintage::tests
