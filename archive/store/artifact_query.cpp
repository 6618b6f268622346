// From an ArtifactFilter to SQL.
#include <fmt/format.h>

#include "archive/store/artifact_table.h"
#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

class Builder : private Conditions {
 public:
  explicit Builder(const ArtifactFilter& filter) : filter_(filter) {}

  Result<ArtifactQuery> build() {
    RETURN_IF_ERROR(chooseDriver());
    checkTheRest();
    // CROSS JOIN keeps SQLite from turning the order of the loops around.
    const std::string from = from_ + family_, conditions = text();
    // `behind` is joined once for each chosen artifact, even if its name fits several patterns.
    const auto select = [&](std::string_view columns, std::string_view behind) {
      if (!distinct_)
        return fmt::format("SELECT {} FROM {}{}{}", columns, from, behind, conditions);
      return fmt::format(
          "SELECT {} FROM (SELECT DISTINCT r.id AS artifact, f.id AS family FROM {}{}) AS chosen "
          "CROSS JOIN artifact AS r ON r.id = chosen.artifact CROSS JOIN family AS f ON f.id = "
          "chosen.family{}",
          columns, from, conditions, behind);
    };
    query_.recordsSql = select(kArtifactColumns, kArtifactContents);
    query_.rowsSql = select(
        "r.id AS id, origin.build_day AS build_day, n.text || tail.text || form.suffix AS name",
        " LEFT JOIN origin ON origin.id = f.origin LEFT JOIN head AS n ON n.id = f.head LEFT JOIN "
        "tail ON tail.id = f.tail LEFT JOIN form ON form.id = r.form");
    query_.countSql =
        byOrigin_ && filter_.platforms.empty()
            ? fmt::format(
                  "SELECT coalesce(sum(f.span), 0) FROM family AS f INDEXED BY family_by_origin{}",
                  text())
            : fmt::format("SELECT count({}) FROM {}{}{}", distinct_ ? "DISTINCT r.id" : "*", from_,
                          countsFamilies_ ? family_ : "", conditions);
    query_.bindings = bindings();
    return query_;
  }

 private:
  static constexpr std::string_view kLabels =
      "IN (SELECT id FROM label WHERE text IN (SELECT value FROM json_each(?)))";
  static constexpr std::string_view kListsWithTerm =
      "IN (SELECT list FROM list_term WHERE term IN (SELECT value FROM json_each(?)))";

  // Ids and names come as ranges in a JSON array: [[first, end, …], …].
  Status driveByIds() {
    nlohmann::json ranges = nlohmann::json::array();
    for (const std::string& id : filter_.ids) {
      ASSIGN_OR_RETURN(const auto range, hashRange(id));
      ranges.push_back({hashText(range.first), hashText(range.last)});
    }
    bindJson(ranges);
    from_ = fmt::format(
        "json_each(?) AS p CROSS JOIN blob ON {} CROSS JOIN artifact AS r ON r.blob = blob.id",
        hashIsFrom("blob.hash", "hash_bytes(p.value ->> 0)", "hash_bytes(p.value ->> 1)"));
    family_ = fmt::format(" CROSS JOIN family AS f ON {}", kFamilyOfArtifact);
    countsFamilies_ =
        hasOrigin() || hasKind() || !filter_.names.empty() || !filter_.customCallTargets.empty();
    distinct_ = true;
    return {};
  }

  void driveByNames() {
    nlohmann::json ranges = nlohmann::json::array();
    for (const std::string& pattern : filter_.names) {
      // The literal beginning of a GLOB pattern.
      const std::string prefix = pattern.substr(0, pattern.find_first_of("*?["));
      std::string end = prefix;  // The first text after all that begin with the prefix.
      while (!end.empty() && static_cast<unsigned char>(end.back()) >= 0x7f) end.pop_back();
      if (end.empty())
        end = "\U0010ffff";
      else
        ++end.back();
      // Where the prefix goes on into the tail or the suffix, the head is shorter than it.
      std::string first = prefix.substr(0, prefix.rfind('/'));
      if (const size_t bracket = first.rfind(']'); bracket != std::string::npos)
        first.resize(bracket + 1);
      ranges.push_back({first, end, pattern});
    }
    bindJson(ranges);
    from_ = fmt::format(
        "json_each(?) AS p CROSS JOIN head AS h ON h.text >= p.value ->> 0 AND h.text "
        "< p.value ->> 1 CROSS JOIN family AS f INDEXED BY family_by_name ON f.head = "
        "h.id CROSS JOIN tail AS t ON t.id = f.tail CROSS JOIN artifact AS r ON {} "
        "CROSS JOIN form AS m ON m.id = r.form",
        kArtifactsOfFamily);
    // Names hold brackets, which GLOB would read as a set of characters.
    where(
        "(h.text || t.text || m.suffix = p.value ->> 2 OR h.text || t.text || m.suffix GLOB "
        "p.value ->> 2)");
    distinct_ = true;
  }

  Status chooseDriver() {
    if (!filter_.ids.empty()) return driveByIds();
    if (!filter_.names.empty()) {
      driveByNames();
    } else if (!filter_.customCallTargets.empty()) {
      from_ = ofFamilies("family_by_targets");
    } else {
      byOrigin_ = hasOrigin() || hasKind() || !filter_.platforms.empty();
      if (byOrigin_) {
        from_ = ofFamilies("family_by_origin");
      } else {
        from_ = "artifact AS r";
        family_ = fmt::format(" CROSS JOIN family AS f ON {}", kFamilyOfArtifact);
        countsFamilies_ = false;
      }
      query_.streams = !hasKind() && filter_.producers.empty();
    }
    return {};
  }

  static std::string ofFamilies(std::string_view index) {
    return fmt::format("family AS f INDEXED BY {} CROSS JOIN artifact AS r ON {}", index,
                       kArtifactsOfFamily);
  }

  bool hasOrigin() const {
    return !filter_.producers.empty() || filter_.builtFrom || filter_.builtUntil ||
           filter_.oldestCallingConvention || filter_.newestCallingConvention;
  }
  bool hasKind() const {
    return !filter_.primitives.empty() || !filter_.variants.empty() || !filter_.dtypes.empty();
  }

  void checkTheRest() {
    if (!filter_.ids.empty() && !filter_.names.empty()) {
      where(
          "EXISTS (SELECT 1 FROM json_each(?) AS w CROSS JOIN head AS h CROSS JOIN tail AS t CROSS "
          "JOIN form AS m WHERE h.id = f.head AND t.id = f.tail AND m.id = r.form AND (h.text || "
          "t.text || m.suffix = w.value OR h.text || t.text || m.suffix GLOB w.value))");
      bindJson(filter_.names);
    }
    in("f.targets", filter_.customCallTargets, kListsWithTerm);
    // A plus keeps SQLite from choosing another index for the outer loop.
    if (hasOrigin() || byOrigin_) {
      Conditions origin;
      origin.in("producer", filter_.producers);
      origin.compare("build_day >=", filter_.builtFrom);
      origin.compare("build_day <=", filter_.builtUntil);
      origin.compare("calling_convention >=", filter_.oldestCallingConvention);
      origin.compare("calling_convention <=", filter_.newestCallingConvention);
      among(byOrigin_ || isTargets() ? "f.origin" : "+f.origin", "origin", origin);
    }
    if (hasKind()) {
      Conditions kind;
      kind.in("primitive", filter_.primitives, kLabels);
      kind.in("variant", filter_.variants, kLabels);
      kind.in("dtypes", filter_.dtypes, kListsWithTerm);
      among(byOrigin_ ? "f.kind" : "+f.kind", "kind", kind);
    }
    if (!filter_.platforms.empty()) {
      Conditions form;
      form.in("platforms", filter_.platforms, kListsWithTerm);
      among("r.form", "form", form);
    }
  }
  bool isTargets() const {
    return filter_.ids.empty() && filter_.names.empty() && !filter_.customCallTargets.empty();
  }

  const ArtifactFilter& filter_;
  bool byOrigin_ = false;
  bool distinct_ = false, countsFamilies_ = true;
  // The artifacts `r`, and the way from them to their families `f` where those are not there yet.
  std::string from_, family_;
  ArtifactQuery query_;
};

}  // namespace

Result<HashRange> hashRange(std::string_view prefix) {
  if (prefix.find_first_not_of("0123456789abcdef") != std::string_view::npos || prefix.size() < 4 ||
      prefix.size() > 64)
    return usageError(
        "'{}' is not an id; write 4 to 64 lower-case hexadecimal digits, the whole id or its "
        "beginning",
        prefix);
  HashRange range;
  const size_t open = 64 - prefix.size();
  range.first = hashBytes(std::string(prefix) + std::string(open, '0'));
  range.last = hashBytes(std::string(prefix) + std::string(open, 'f'));
  return range;
}

Result<int64_t> ArtifactQuery::count(Database& database) const {
  ASSIGN_OR_RETURN(const auto number, firstInteger(database, countSql, bindings));
  return number.value_or(0);
}

Result<ArtifactQuery> makeArtifactQuery(const ArtifactFilter& filter) {
  return Builder(filter).build();
}

Status checkFilter(const ArtifactFilter& filter) {
  RETURN_IF_ERROR(makeArtifactQuery(filter));
  return {};
}

}  // namespace vintage::archive
