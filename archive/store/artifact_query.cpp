#include "archive/store/artifact_query.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_store.h"
#include "archive/store/conditions.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// What is fixed at the beginning of a GLOB pattern.
std::string literalPrefix(const std::string& pattern) {
  return pattern.substr(0, pattern.find_first_of("*?["));
}

class Builder : private Conditions {
 public:
  explicit Builder(const ArtifactFilter& filter) : filter_(filter) {}

  Result<ArtifactQuery> build(const ArtifactPosition* after) {
    chooseDriver();
    if (!error_.message.empty()) return tl::unexpected(error_);
    if (after != nullptr) {
      // A row value compares as the index is ordered.
      where("(a.build_day, a.name, a.id) > (?, ?, ?)");
      const ArtifactPosition position = *after;
      bind([position](Query& query) {
        query.bind(position.buildDay).bind(position.name).bind(position.id);
      });
    }
    checkTheRest();
    // CROSS JOIN keeps SQLite from turning the order of the loops around.
    query_.recordsSql = fmt::format(
        "SELECT {} FROM {}{}{}{}", kArtifactColumns, from_, kArtifactContents, text(),
        query_.streams ? " ORDER BY a.build_day, a.name, a.id" : "");
    query_.rowsSql = fmt::format("SELECT a.id, a.build_day, a.name FROM {}{}", from_, text());
    query_.countSql = fmt::format("SELECT count(*) FROM {}{}", from_, text());
    query_.bindings = bindings();
    return query_;
  }

 private:
  void bindJson(const nlohmann::json& value) {
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    bind([text = std::move(text)](Query& query) { query.bind(text); });
  }
  void bindDay(Date day) {
    bind([day](Query& query) { query.bind(dayNumber(day)); });
  }

  // `chosen` is a select of distinct artifact ids.
  void drive(std::string_view chosen) {
    from_ = fmt::format("({}) AS chosen CROSS JOIN artifact AS a ON a.id = chosen.artifact", chosen);
    query_.streams = false;
  }
  std::string window(std::string_view table) {
    std::string text;
    if (filter_.builtFrom) {
      text += fmt::format(" AND {}build_day >= ?", table);
      bindDay(*filter_.builtFrom);
    }
    if (filter_.builtUntil) {
      text += fmt::format(" AND {}build_day <= ?", table);
      bindDay(*filter_.builtUntil);
    }
    return text;
  }
  void driveByTerms(std::string_view table, const std::vector<std::string>& terms) {
    bindList(terms);
    drive(fmt::format("SELECT DISTINCT artifact FROM {} WHERE term {}{}", table, kInList, window("")));
  }
  void driveByColumn(std::string_view column, const std::vector<std::string>& values) {
    bindList(values);
    drive(fmt::format("SELECT id AS artifact FROM artifact WHERE {} {}{}", column, kInList, window("")));
  }

  // Ids and names come as ranges in a JSON array: [[first, end, …], …].
  void driveByIds() {
    nlohmann::json ranges = nlohmann::json::array();
    for (const std::string& id : filter_.ids) {
      const auto range = hashRange(id);
      if (!range) {
        error_ = range.error();
        return;
      }
      ranges.push_back({hashText(range->first), hashText(range->end)});
    }
    bindJson(ranges);
    drive("SELECT DISTINCT artifact.id AS artifact FROM json_each(?) AS p "
          "CROSS JOIN blob ON blob.hash >= hash_bytes(p.value ->> 0) AND "
          "blob.hash < hash_bytes(p.value ->> 1) "
          "CROSS JOIN artifact ON artifact.blob = blob.id");
  }

  void driveByNames() {
    nlohmann::json ranges = nlohmann::json::array();
    for (const std::string& pattern : filter_.names) {
      const std::string prefix = literalPrefix(pattern);
      std::string end = prefix;  // The first text after all that begin with the prefix.
      while (!end.empty() && static_cast<unsigned char>(end.back()) >= 0x7f) end.pop_back();
      if (end.empty())
        end = "\U0010ffff";
      else
        ++end.back();
      ranges.push_back({prefix, end, pattern});
    }
    bindJson(ranges);
    // Names hold brackets, which GLOB would read as a set of characters.
    drive("SELECT DISTINCT artifact.id AS artifact FROM json_each(?) AS p "
          "CROSS JOIN artifact ON artifact.name >= p.value ->> 0 AND "
          "artifact.name < p.value ->> 1 "
          "WHERE artifact.name = p.value ->> 2 OR artifact.name GLOB p.value ->> 2");
  }

  bool take(const std::vector<std::string>& values, const void*& driver) {
    if (values.empty() || driver != nullptr) return false;
    driver = &values;
    return true;
  }

  void chooseDriver() {
    const void*& driver = driver_;
    if (take(filter_.ids, driver)) return driveByIds();
    if (take(filter_.names, driver)) return driveByNames();
    if (take(filter_.customCallTargets, driver))
      return driveByTerms("artifact_target", filter_.customCallTargets);
    if (take(filter_.primitives, driver)) return driveByColumn("primitive", filter_.primitives);
    if (take(filter_.producers, driver)) return driveByColumn("producer", filter_.producers);
    if (take(filter_.dtypes, driver)) return driveByTerms("artifact_dtype", filter_.dtypes);
    if (take(filter_.variants, driver)) return driveByColumn("variant", filter_.variants);
    if (take(filter_.platforms, driver)) return driveByTerms("artifact_platform", filter_.platforms);
    const bool convention = filter_.oldestCallingConvention || filter_.newestCallingConvention;
    const bool day = filter_.builtFrom || filter_.builtUntil;
    if (convention && !day) {
      driver = &filter_.oldestCallingConvention;
      std::string chosen = "SELECT id AS artifact FROM artifact WHERE 1";
      chosen += conventionRange("");
      return drive(chosen);
    }
    from_ = "artifact AS a INDEXED BY artifact_by_day";
    query_.streams = true;
  }

  std::string conventionRange(std::string_view table) {
    std::string text;
    const auto bound = [&](const std::optional<int>& value, std::string_view comparison) {
      if (!value) return;
      text += fmt::format(" AND {}calling_convention {} ?", table, comparison);
      bind([value = *value](Query& query) { query.bind(value); });
    };
    bound(filter_.oldestCallingConvention, ">=");
    bound(filter_.newestCallingConvention, "<=");
    return text;
  }

  void checkTerms(std::string_view table, const std::vector<std::string>& terms) {
    if (terms.empty() || driver_ == &terms) return;
    where(fmt::format("EXISTS (SELECT 1 FROM {0} AS t WHERE t.term {1} AND t.build_day = "
                      "a.build_day AND t.artifact = a.id)",
                      table, kInList));
    bindList(terms);
  }
  void checkColumn(std::string_view column, const std::vector<std::string>& values) {
    if (values.empty() || driver_ == &values) return;
    // The plus keeps SQLite from choosing another index for the outer loop.
    where(fmt::format("+a.{} {}", column, kInList));
    bindList(values);
  }
  void checkNames() {
    if (filter_.names.empty() || driver_ == &filter_.names) return;
    where("EXISTS (SELECT 1 FROM json_each(?) AS p WHERE a.name = p.value OR a.name GLOB p.value)");
    bindList(filter_.names);
  }

  void checkTheRest() {
    checkNames();
    checkTerms("artifact_target", filter_.customCallTargets);
    checkColumn("primitive", filter_.primitives);
    checkColumn("producer", filter_.producers);
    checkTerms("artifact_dtype", filter_.dtypes);
    checkColumn("variant", filter_.variants);
    checkTerms("artifact_platform", filter_.platforms);
    if (driver_ != &filter_.oldestCallingConvention) {
      if (const std::string range = conventionRange("+a."); !range.empty())
        where(range.substr(std::string_view(" AND ").size()));
    }
    if (const std::string range = window("a."); !range.empty())
      where(range.substr(std::string_view(" AND ").size()));
  }

  const ArtifactFilter& filter_;
  const void* driver_ = nullptr;
  std::string from_;
  ArtifactQuery query_;
  Error error_{Error::Kind::kUsage, ""};
};

}  // namespace

Result<HashRange> hashRange(std::string_view prefix) {
  const bool hexadecimal = std::all_of(prefix.begin(), prefix.end(), [](char digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  });
  if (!hexadecimal || prefix.size() < 4 || prefix.size() > 64)
    return usageError(
        "'{}' is not an id; write 4 to 64 lower-case hexadecimal digits, the whole id or its "
        "beginning",
        prefix);
  HashRange range;
  std::string padded(prefix);
  padded.resize(64, '0');
  range.first = hashBytes(padded);
  // The prefix plus one in its last digit, with zeros behind it.
  std::string end(prefix);
  while (!end.empty() && end.back() == 'f') end.pop_back();
  if (end.empty()) {
    end.assign(66, 'f');  // Longer than any hash, and after every one.
  } else {
    end.back() = end.back() == '9' ? 'a' : static_cast<char>(end.back() + 1);
    end.resize(64, '0');
  }
  range.end = hashBytes(end);
  return range;
}

Result<ArtifactQuery> makeArtifactQuery(const ArtifactFilter& filter,
                                        const ArtifactPosition* after) {
  return Builder(filter).build(after);
}

}  // namespace vintage::archive::store
