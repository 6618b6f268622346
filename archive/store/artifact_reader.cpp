
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using List = std::vector<std::string>;

// Each of them has a row also where nothing has this number.
struct Origin {
  static constexpr std::string_view kSql =
      "SELECT producer, build_day, format, calling_convention, serialization, stablehlo FROM "
      "(SELECT ? AS number) LEFT JOIN origin ON id = number";
  std::string producer, stablehlo;
  Date buildDate{};
  ArtifactRecord::Format format{};
  int callingConvention = 0, serialization = 0;
  Status read(const Query& row) {
    return readRow(row, 0, producer, buildDate, format, callingConvention, serialization,
                   stablehlo);
  }
};

struct Kind {
  static constexpr std::string_view kSql =
      "SELECT p.text, v.text, k.device_count, d.texts FROM (SELECT ? AS number) LEFT JOIN kind AS "
      "k "
      "ON k.id = number LEFT JOIN label AS p ON p.id = k.primitive LEFT JOIN label AS v ON v.id = "
      "k.variant LEFT JOIN list AS d ON d.id = k.dtypes";
  std::string primitive, variant;
  int deviceCount = 0;
  List dtypes;
  Status read(const Query& row) { return readRow(row, 0, primitive, variant, deviceCount, dtypes); }
};

struct Form {
  static constexpr std::string_view kSql =
      "SELECT m.suffix, l.texts FROM (SELECT ? AS number) LEFT JOIN form AS m ON m.id = number "
      "LEFT "
      "JOIN list AS l ON l.id = m.platforms";
  std::string suffix;
  List platforms;
  Status read(const Query& row) { return readRow(row, 0, suffix, platforms); }
};

struct Tail {
  static constexpr std::string_view kSql =
      "SELECT text FROM (SELECT ? AS number) LEFT JOIN tail ON id = number";
  std::optional<std::string> text;
  Status read(const Query& row) { return readRow(row, 0, text); }
};

struct Targets {
  static constexpr std::string_view kSql =
      "SELECT texts FROM (SELECT ? AS number) LEFT JOIN list ON id = number";
  List texts;
  Status read(const Query& row) { return readRow(row, 0, texts); }
};

template <typename Part>
class Known {
 public:
  Result<const Part*> find(Database& database, int64_t id) {
    if (const auto known = parts_.find(id); known != parts_.end()) return &known->second;
    Part part;
    ASSIGN_OR_RETURN(auto query, database.query(Part::kSql));
    ASSIGN_OR_RETURN(const auto row, query.bind(id).step());
    if (row) RETURN_IF_ERROR(part.read(query));
    return &parts_.emplace(id, std::move(part)).first->second;
  }

 private:
  std::unordered_map<int64_t, Part> parts_;
};

}  // namespace

struct ArtifactReader::Parts {
  Known<Origin> origins;
  Known<Kind> kinds;
  Known<Form> forms;
  Known<Tail> tails;
  Known<Targets> targets;

  Status read(Database& database, const Query& query, ArtifactRecord& record) {
    ASSIGN_OR_RETURN(const auto* form, forms.find(database, query.integer(1)));
    ASSIGN_OR_RETURN(const auto* tail, tails.find(database, query.integer(2)));
    // A name of which a part is missing is none.
    if (!query.isNull(8) && tail->text) record.name = query.text(8) + *tail->text;
    record.caseId = query.integer(7) != 0 ? record.name : query.text(6);
    if (!record.name.empty()) record.name += form->suffix;
    record.platforms = form->platforms;
    ASSIGN_OR_RETURN(const auto* origin, origins.find(database, query.integer(3)));
    record.producer = origin->producer;
    record.stablehloVersion = origin->stablehlo;
    record.buildDate = origin->buildDate;
    record.format = origin->format;
    record.callingConventionVersion = origin->callingConvention;
    record.serializationVersion = origin->serialization;
    ASSIGN_OR_RETURN(const auto* kind, kinds.find(database, query.integer(4)));
    record.primitive = kind->primitive;
    record.variant = kind->variant;
    record.deviceCount = kind->deviceCount;
    record.dtypes = kind->dtypes;
    if (query.isNull(5)) return {};
    ASSIGN_OR_RETURN(const auto* list, targets.find(database, query.integer(5)));
    record.customCallTargets = list->texts;
    return {};
  }
};

ArtifactReader::ArtifactReader(Database& database)
    : database_(database), parts_(std::make_unique<Parts>()) {}
ArtifactReader::~ArtifactReader() = default;

Status ArtifactReader::read(const Query& query, ArtifactRecord& record) {
  record.id = hashText(query.blob(9));
  record.bytes = query.integer(10);
  record.golden = hashText(query.blob(11));
  return within(record.name, parts_->read(database_, query, record));
}

Result<ArtifactRecord> ArtifactReader::row(int64_t id) {
  static const std::string kByRow =
      fmt::format("SELECT {} FROM artifact AS r LEFT JOIN family AS f ON {}{} WHERE r.id = ?",
                  kArtifactColumns, kFamilyOfArtifact, kArtifactContents);
  ASSIGN_OR_RETURN(auto query, database_.query(kByRow));
  ASSIGN_OR_RETURN(const auto found, query.bind(id).step());
  if (!found) return notFound("{}: artifact row {} is gone", database_.path(), id);
  ArtifactRecord record;
  RETURN_IF_ERROR(read(query, record));
  return record;
}

}  // namespace vintage::archive
