#include "archive/store/artifact_row.h"

#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {

Result<ArtifactRecord> artifactOfColumns(const Query& query) {
  ArtifactRecord record;
  record.id = hashText(query.blob(0));
  record.name = query.text(1);
  record.format = static_cast<ArtifactRecord::Format>(query.integer(2));
  record.producer = query.text(3);
  record.buildDate = dateOfDay(query.integer(4));
  record.callingConventionVersion = static_cast<int>(query.integer(5));
  record.serializationVersion = static_cast<int>(query.integer(6));
  record.stablehloVersion = query.text(7);
  record.primitive = query.text(8);
  record.caseId = query.text(9);
  record.variant = query.text(12);
  record.deviceCount = static_cast<int>(query.integer(13));
  record.golden = hashText(query.blob(15));
  record.bytes = query.integer(16);
  const std::pair<int, std::vector<std::string>*> lists[] = {
      {10, &record.dtypes}, {11, &record.platforms}, {14, &record.customCallTargets}};
  for (const auto& [column, list] : lists) {
    auto values = parseList(query.text(column));
    if (!values) return within(record.name, values.error());
    *list = std::move(*values);
  }
  return record;
}

}  // namespace vintage::archive::store
