#include "archive/store/schema.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::archive::store {
namespace {

// Lists (dtypes, platforms, targets) stand in the artifact's row, as JSON, and
// once more in a table of terms that only serves to find artifacts by them.
// Terms carry the build day so that a window of one term is one range.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE blob (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  in_file INTEGER NOT NULL
) STRICT;

CREATE TABLE blob_content (
  blob INTEGER PRIMARY KEY REFERENCES blob (id),
  content BLOB NOT NULL
) STRICT;

CREATE TABLE artifact (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blob (id),
  golden INTEGER REFERENCES blob (id),
  name TEXT NOT NULL,
  producer TEXT NOT NULL,
  build_day INTEGER NOT NULL,
  format INTEGER NOT NULL,
  calling_convention INTEGER NOT NULL,
  serialization INTEGER NOT NULL,
  stablehlo TEXT NOT NULL,
  primitive TEXT NOT NULL,
  case_id TEXT NOT NULL,
  variant TEXT NOT NULL,
  device_count INTEGER NOT NULL,
  dtypes TEXT NOT NULL,
  platforms TEXT NOT NULL,
  targets TEXT NOT NULL,
  added INTEGER NOT NULL,
  UNIQUE (name, producer)
) STRICT;
CREATE INDEX artifact_by_blob ON artifact (blob);
CREATE INDEX artifact_by_golden ON artifact (golden) WHERE golden IS NOT NULL;
CREATE INDEX artifact_by_day ON artifact (build_day, name, id);
CREATE INDEX artifact_by_primitive ON artifact (primitive, build_day);
CREATE INDEX artifact_by_variant ON artifact (variant, build_day);
CREATE INDEX artifact_by_producer ON artifact (producer, build_day);
CREATE INDEX artifact_by_convention ON artifact (calling_convention, build_day);

CREATE TABLE artifact_dtype (
  term TEXT NOT NULL, build_day INTEGER NOT NULL, artifact INTEGER NOT NULL,
  PRIMARY KEY (term, build_day, artifact)
) STRICT, WITHOUT ROWID;
CREATE TABLE artifact_platform (
  term TEXT NOT NULL, build_day INTEGER NOT NULL, artifact INTEGER NOT NULL,
  PRIMARY KEY (term, build_day, artifact)
) STRICT, WITHOUT ROWID;
CREATE TABLE artifact_target (
  term TEXT NOT NULL, build_day INTEGER NOT NULL, artifact INTEGER NOT NULL,
  PRIMARY KEY (term, build_day, artifact)
) STRICT, WITHOUT ROWID;

CREATE TABLE build (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  version TEXT NOT NULL,
  build_day INTEGER NOT NULL,
  platforms TEXT NOT NULL,
  modes TEXT NOT NULL,
  oldest_calling_convention INTEGER NOT NULL,
  newest_calling_convention INTEGER NOT NULL,
  newest_serialization INTEGER NOT NULL,
  stablehlo TEXT NOT NULL,
  targets TEXT NOT NULL,
  kind TEXT NOT NULL,
  command TEXT NOT NULL
) STRICT;

CREATE TABLE run (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  command_line TEXT NOT NULL,
  started TEXT NOT NULL,
  finished TEXT NOT NULL,
  verdict TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE run_limitation (
  run TEXT NOT NULL REFERENCES run (id),
  id TEXT NOT NULL,
  primitive TEXT NOT NULL,
  dtypes TEXT NOT NULL,
  platforms TEXT NOT NULL,
  modes TEXT NOT NULL,
  variants TEXT NOT NULL,
  description TEXT NOT NULL,
  issue TEXT NOT NULL,
  since TEXT NOT NULL,
  until TEXT,
  skip_run INTEGER NOT NULL,
  PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outcome (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blob (id),
  golden BLOB NOT NULL,
  build INTEGER NOT NULL REFERENCES build (id),
  platform TEXT NOT NULL,
  mode TEXT NOT NULL,
  run TEXT NOT NULL REFERENCES run (id),
  outcome INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  detail TEXT NOT NULL,
  seconds REAL NOT NULL,
  limitation TEXT NOT NULL,
  UNIQUE (blob, golden, build, platform, mode, run)
) STRICT;
CREATE INDEX outcome_by_run ON outcome (run, outcome);
CREATE INDEX outcome_by_build ON outcome (build, outcome);
CREATE INDEX outcome_by_outcome ON outcome (outcome, run);
CREATE INDEX outcome_by_platform ON outcome (platform, run);
CREATE INDEX outcome_by_mode ON outcome (mode, run);
)sql";

// What else is known of a build, as JSON.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE build ADD COLUMN details TEXT NOT NULL DEFAULT '';
)sql";

// Leases (archive/store/lease.h).
constexpr std::string_view kVersion3 = R"sql(
CREATE TABLE lease (
  id TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_by_expiry ON lease (expires);
CREATE TABLE lease_content (
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  lease TEXT NOT NULL REFERENCES lease (id) ON DELETE CASCADE,
  PRIMARY KEY (hash, lease)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_content_by_lease ON lease_content (lease);
)sql";

// Retention: what stays whatever a policy says, and what was removed, by which
// rule. Dictionaries for zstd; `id` is zstd's own, which each frame repeats.
constexpr std::string_view kVersion4 = R"sql(
CREATE TABLE hold (
  artifact INTEGER PRIMARY KEY REFERENCES artifact (id),
  reason TEXT NOT NULL,
  placed INTEGER NOT NULL,
  until_day INTEGER
) STRICT;
CREATE TABLE removal (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  golden BLOB CHECK (golden IS NULL OR length(golden) = 32),
  name TEXT NOT NULL,
  producer TEXT NOT NULL,
  build_day INTEGER NOT NULL,
  primitive TEXT NOT NULL,
  case_id TEXT NOT NULL,
  removed INTEGER NOT NULL,
  reason TEXT NOT NULL,
  outcomes TEXT NOT NULL
) STRICT;
CREATE INDEX removal_by_hash ON removal (hash);
CREATE INDEX removal_by_name ON removal (name, producer);
CREATE TABLE dictionary (
  id INTEGER PRIMARY KEY CHECK (id > 0),
  blob INTEGER NOT NULL UNIQUE REFERENCES blob (id),
  made INTEGER NOT NULL
) STRICT;
)sql";

// Signatures (archive/integrity/signing.h). A signature that is null was over
// what the record said before it was filled in. `lists` of a removal: for each
// key the first list that the artifact stood in. `removals` of a list: the newest
// removal when it was made.
constexpr std::string_view kVersion5 = R"sql(
CREATE TABLE signed_list (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  day INTEGER NOT NULL,
  artifacts INTEGER NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  removals INTEGER NOT NULL,
  signature BLOB NOT NULL
) STRICT;
CREATE INDEX signed_list_by_key ON signed_list (key, id);
CREATE TABLE signature (
  artifact INTEGER NOT NULL REFERENCES artifact (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  list INTEGER NOT NULL,
  signature BLOB,
  PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;
ALTER TABLE removal ADD COLUMN lists TEXT NOT NULL DEFAULT '{}';
)sql";

// A run's report may take megabytes. Every outcome that is recorded looks its
// run up, and must not walk past reports to find it.
constexpr std::string_view kVersion6 = R"sql(
CREATE TABLE run_verdict (
  run TEXT PRIMARY KEY REFERENCES run (id),
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  verdict BLOB NOT NULL
) STRICT;
INSERT INTO run_verdict
  SELECT id, length(CAST(verdict AS BLOB)), 0, CAST(verdict AS BLOB) FROM run WHERE verdict <> '';
ALTER TABLE run DROP COLUMN verdict;
)sql";

// Retention in two phases: what was announced and waits, and the days on which retention ran.
constexpr std::string_view kVersion7 = R"sql(
CREATE TABLE leaving (
  artifact INTEGER PRIMARY KEY REFERENCES artifact (id) ON DELETE CASCADE,
  since_day INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE retention_run (
  id INTEGER PRIMARY KEY,
  day INTEGER NOT NULL,
  began INTEGER NOT NULL,
  announced INTEGER NOT NULL,
  withdrawn INTEGER NOT NULL,
  removed INTEGER NOT NULL
) STRICT;
)sql";

// The log of what was replaced or removed (archive/store/change_log.h).
constexpr std::string_view kVersion8 = R"sql(
CREATE TABLE change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  subject TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
) STRICT;
)sql";

// Lists with a counter, over removals and changes too, and what keys say of keys. `facts` of a
// signature: the record that it is over, as JSON, where a put has filled it in since. `signatures`
// of a removal: for each key the hash of the artifact's signature.
constexpr std::string_view kVersion9 = R"sql(
ALTER TABLE signature ADD COLUMN facts TEXT;
ALTER TABLE removal ADD COLUMN signatures TEXT NOT NULL DEFAULT '{}';
ALTER TABLE signed_list ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;
ALTER TABLE signed_list ADD COLUMN previous TEXT NOT NULL DEFAULT '';
ALTER TABLE signed_list ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE signed_list ADD COLUMN text TEXT NOT NULL DEFAULT '';
CREATE TABLE key_statement (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  signature BLOB NOT NULL
) STRICT;
)sql";

// What many artifacts have in common is kept once: who exported them (origin), of which kind they
// are, lists of texts, and the two parts of a name: its end from the last '/' on, where that has
// at most 16 bytes, is the suffix. `case_id`: 1 where it is the stem, null where there is none.
// Packs hold many small contents (archive/store/pack.h).
constexpr std::string_view kVersion10 = R"sql(
CREATE TABLE list (
  id INTEGER PRIMARY KEY,
  texts TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE list_term (
  term TEXT NOT NULL,
  list INTEGER NOT NULL REFERENCES list (id),
  PRIMARY KEY (term, list)
) STRICT, WITHOUT ROWID;
CREATE TABLE origin (
  id INTEGER PRIMARY KEY,
  producer TEXT NOT NULL,
  build_day INTEGER NOT NULL,
  format INTEGER NOT NULL,
  calling_convention INTEGER NOT NULL,
  serialization INTEGER NOT NULL,
  stablehlo TEXT NOT NULL,
  UNIQUE (producer, build_day, format, calling_convention, serialization, stablehlo)
) STRICT;
CREATE INDEX origin_by_day ON origin (build_day);
CREATE INDEX origin_by_convention ON origin (calling_convention);
CREATE TABLE kind (
  id INTEGER PRIMARY KEY,
  primitive TEXT NOT NULL,
  variant TEXT NOT NULL,
  device_count INTEGER NOT NULL,
  dtypes INTEGER NOT NULL REFERENCES list (id),
  UNIQUE (primitive, variant, device_count, dtypes)
) STRICT;
CREATE INDEX kind_by_dtypes ON kind (dtypes);
CREATE TABLE stem (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE suffix (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TEMP TABLE split (id INTEGER PRIMARY KEY, stem TEXT, suffix TEXT);
INSERT INTO temp.split
  SELECT id, substr(name, 1, length(name) - length(last)), last FROM (
    SELECT id, name, iif(length(CAST(last AS BLOB)) <= 16 AND last <> name, last, '') AS last
    FROM (SELECT id, name, iif(instr(name, '/') = 0, '',
      substr(name, length(rtrim(name, replace(name, '/', ''))))) AS last FROM artifact));
INSERT INTO list (texts)
  SELECT dtypes FROM artifact UNION SELECT platforms FROM artifact
  UNION SELECT targets FROM artifact WHERE targets <> '[]';
INSERT OR IGNORE INTO list_term (term, list)
  SELECT v.value, l.id FROM list AS l, json_each(iif(json_valid(l.texts), l.texts, '[]')) AS v;
INSERT INTO origin (producer, build_day, format, calling_convention, serialization, stablehlo)
  SELECT DISTINCT producer, build_day, format, calling_convention, serialization, stablehlo
  FROM artifact;
INSERT INTO kind (primitive, variant, device_count, dtypes)
  SELECT DISTINCT a.primitive, a.variant, a.device_count, l.id
  FROM artifact AS a CROSS JOIN list AS l ON l.texts = a.dtypes;
INSERT OR IGNORE INTO stem (text) SELECT stem FROM temp.split ORDER BY id;
INSERT OR IGNORE INTO suffix (text) SELECT DISTINCT suffix FROM temp.split;
CREATE TABLE leaner_artifact (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blob (id),
  golden INTEGER REFERENCES blob (id),
  stem INTEGER NOT NULL REFERENCES stem (id),
  suffix INTEGER NOT NULL REFERENCES suffix (id),
  origin INTEGER NOT NULL REFERENCES origin (id),
  kind INTEGER NOT NULL REFERENCES kind (id),
  platforms INTEGER NOT NULL REFERENCES list (id),
  targets INTEGER REFERENCES list (id),
  case_id ANY
) STRICT;
INSERT INTO leaner_artifact
  SELECT a.id, a.blob, a.golden, n.id, x.id, o.id, k.id, p.id, iif(a.targets = '[]', NULL, t.id),
    CASE a.case_id WHEN s.stem THEN 1 WHEN '' THEN NULL ELSE a.case_id END
  FROM artifact AS a CROSS JOIN temp.split AS s ON s.id = a.id
    CROSS JOIN stem AS n ON n.text = s.stem CROSS JOIN suffix AS x ON x.text = s.suffix
    CROSS JOIN origin AS o ON o.producer = a.producer AND o.build_day = a.build_day AND
      o.format = a.format AND o.calling_convention = a.calling_convention AND
      o.serialization = a.serialization AND o.stablehlo = a.stablehlo
    CROSS JOIN list AS d ON d.texts = a.dtypes
    CROSS JOIN kind AS k ON k.primitive = a.primitive AND k.variant = a.variant AND
      k.device_count = a.device_count AND k.dtypes = d.id
    CROSS JOIN list AS p ON p.texts = a.platforms LEFT JOIN list AS t ON t.texts = a.targets
  ORDER BY a.id;
DROP TABLE temp.split;
DROP TABLE artifact_dtype;
DROP TABLE artifact_platform;
DROP TABLE artifact_target;
DROP TABLE artifact;
ALTER TABLE leaner_artifact RENAME TO artifact;
CREATE UNIQUE INDEX artifact_by_name ON artifact (stem, suffix, origin);
CREATE INDEX artifact_by_origin ON artifact (origin, kind, platforms);
CREATE INDEX artifact_by_blob ON artifact (blob);
CREATE INDEX artifact_by_golden ON artifact (golden) WHERE golden IS NOT NULL;
CREATE INDEX artifact_by_targets ON artifact (targets, origin) WHERE targets IS NOT NULL;
CREATE VIEW artifact_record AS
  SELECT a.id, a.blob, a.golden, s.text || x.text AS name, o.producer, o.build_day, o.format,
    o.calling_convention, o.serialization, o.stablehlo, k.primitive,
    CASE a.case_id WHEN 1 THEN s.text ELSE coalesce(a.case_id, '') END AS case_id, k.variant,
    k.device_count, d.texts AS dtypes, p.texts AS platforms,
    iif(a.targets IS NULL, '[]', t.texts) AS targets
  FROM artifact AS a LEFT JOIN stem AS s ON s.id = a.stem
    LEFT JOIN suffix AS x ON x.id = a.suffix LEFT JOIN origin AS o ON o.id = a.origin
    LEFT JOIN kind AS k ON k.id = a.kind LEFT JOIN list AS d ON d.id = k.dtypes
    LEFT JOIN list AS p ON p.id = a.platforms LEFT JOIN list AS t ON t.id = a.targets;
CREATE TABLE pack (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE leaner_blob (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  in_file INTEGER NOT NULL,
  pack INTEGER,
  start INTEGER
) STRICT;
INSERT INTO leaner_blob
  SELECT id, hash, bytes, codec, stored_bytes, in_file, NULL, NULL FROM blob ORDER BY id;
DROP TABLE blob;
ALTER TABLE leaner_blob RENAME TO blob;
CREATE INDEX blob_by_hash ON blob (substr(hash, 1, 4));
-- Signed lists of other archives, which came along with copies of theirs, and the contents with
-- their lines (archive/integrity/travelling_list.h).
CREATE TABLE travelling_list (
  id INTEGER PRIMARY KEY,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE travelling_list_part (
  blob INTEGER NOT NULL REFERENCES blob (id),
  list INTEGER NOT NULL REFERENCES travelling_list (id) ON DELETE CASCADE,
  PRIMARY KEY (blob, list)
) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kSteps[] = {kVersion1, kVersion2, kVersion3, kVersion4, kVersion5,
                                       kVersion6, kVersion7, kVersion8, kVersion9, kVersion10};

}  // namespace

std::span<const std::string_view> schemaSteps() { return kSteps; }
int formatVersion() { return static_cast<int>(std::size(kSteps)); }

Status checkIndexIdentity(Database& database, int newestVersion) {
  ASSIGN_OR_RETURN(const auto application, database.integer("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const auto version, database.integer("PRAGMA user_version"));
  if (application != kApplicationId)
    return badInput(
        "{}: application id {:#x} where an archive's index has {:#x}: the file belongs to another "
        "program, or the archive was never completely created",
        database.path(), application, kApplicationId);
  if (version > newestVersion)
    return unsupported(
        "{}: archive format {}; this build reads formats up to {}; use a newer Vintage",
        database.path(), version, newestVersion);
  if (version < 1)
    return badInput("{}: archive format {}; formats begin at 1: the index is damaged",
                    database.path(), version);
  return {};
}

Status migrateIndex(Database& database, std::span<const std::string_view> steps) {
  ASSIGN_OR_RETURN(auto transaction, Transaction::begin(database));
  // Read under the lock: another process may have migrated meanwhile.
  ASSIGN_OR_RETURN(const auto version, database.integer("PRAGMA user_version"));
  for (size_t step = static_cast<size_t>(std::max<int64_t>(version, 0)); step < steps.size();
       ++step) {
    RETURN_IF_ERROR(within(fmt::format("migrating from archive format {} to {}", step, step + 1),
                           database.execute(std::string(steps[step]))));
  }
  const std::string stamp =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId,
                  std::max<int64_t>(version, static_cast<int64_t>(steps.size())));
  RETURN_IF_ERROR(database.execute(stamp));
  return transaction.commit();
}

}  // namespace vintage::archive::store
