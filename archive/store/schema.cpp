// The index's tables, their version, and the way from an older version.
#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr int kApplicationId = 0x566e7467;  // "Vntg" as SQLite's application_id.

constexpr std::string_view kFormat11 = R"sql(
-- Contents: artifacts and goldens, by their hash. `bytes` is the size of the content, and
-- `stored_bytes` that of its stored form (0 in a pack). `codec`: 0 raw, 1 one zstd frame, 2 one that
-- needs a dictionary, 3 removed (outcomes still name it), 4 in a pack. `in_file`: 0 in blob_content,
-- 1 in blobs/ab/….zst, also where the codec is raw. `place`: of codec 4 alone.
CREATE TABLE blob (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  in_file INTEGER NOT NULL,
  place INTEGER
) STRICT;
CREATE INDEX blob_by_hash ON blob (substr(hash, 1, 3));
CREATE TABLE blob_content (
  blob INTEGER PRIMARY KEY REFERENCES blob (id),
  content BLOB NOT NULL
) STRICT;
-- Many small contents (archive/store/pack.h), each in one of several frames of codec 1 or 2; 0 is
-- raw. `place` of a content is its pack's number times 2^21, and where it begins in it.
CREATE TABLE pack (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;
-- `id` is zstd's own, which each frame repeats.
CREATE TABLE dictionary (
  id INTEGER PRIMARY KEY CHECK (id > 0),
  blob INTEGER NOT NULL UNIQUE REFERENCES blob (id),
  made INTEGER NOT NULL
) STRICT;
-- Leases (archive/store/lease.cpp).
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

-- Artifacts stand in the order in which they were put, and those of one case that are lowered for
-- several platforms stand side by side. What they have in common stands once for all of them, in
-- the row of their family: it covers `span` artifacts' rows, from the one with its own number on.
-- A name is head (up to the last ']'), tail, and the suffix (from the last '/' on, where that has
-- at most 32 bytes), which stands with the platforms in the row of the form. `case_id`: 1 where it
-- is head and tail, null where there is none.
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
CREATE TABLE label (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE kind (
  id INTEGER PRIMARY KEY,
  primitive INTEGER NOT NULL REFERENCES label (id),
  variant INTEGER NOT NULL REFERENCES label (id),
  device_count INTEGER NOT NULL,
  dtypes INTEGER NOT NULL REFERENCES list (id),
  UNIQUE (primitive, variant, device_count, dtypes)
) STRICT;
CREATE TABLE head (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE tail (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE form (
  id INTEGER PRIMARY KEY,
  suffix TEXT NOT NULL,
  platforms INTEGER NOT NULL REFERENCES list (id),
  UNIQUE (suffix, platforms)
) STRICT;
CREATE INDEX form_by_platforms ON form (platforms);
CREATE TABLE family (
  id INTEGER PRIMARY KEY,
  span INTEGER NOT NULL,
  head INTEGER NOT NULL REFERENCES head (id),
  tail INTEGER NOT NULL REFERENCES tail (id),
  origin INTEGER NOT NULL REFERENCES origin (id),
  kind INTEGER NOT NULL REFERENCES kind (id),
  targets INTEGER REFERENCES list (id),
  case_id ANY
) STRICT;
CREATE INDEX family_by_name ON family (head, tail, origin);
CREATE INDEX family_by_origin ON family (origin, kind, span);
CREATE INDEX family_by_targets ON family (targets, origin) WHERE targets IS NOT NULL;
CREATE TABLE artifact (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blob (id),
  golden INTEGER REFERENCES blob (id),
  form INTEGER NOT NULL REFERENCES form (id)
) STRICT;
CREATE INDEX artifact_by_blob ON artifact (blob);
CREATE INDEX artifact_by_golden ON artifact (golden) WHERE golden IS NOT NULL;
CREATE VIEW artifact_record AS
  SELECT a.id, a.blob, a.golden, h.text || t.text || m.suffix AS name, o.producer, o.build_day,
    o.format, o.calling_convention, o.serialization, o.stablehlo, p.text AS primitive,
    CASE f.case_id WHEN 1 THEN h.text || t.text ELSE coalesce(f.case_id, '') END AS case_id,
    v.text AS variant, k.device_count, d.texts AS dtypes, l.texts AS platforms,
    iif(f.targets IS NULL, '[]', g.texts) AS targets
  FROM artifact AS a LEFT JOIN form AS m ON m.id = a.form LEFT JOIN list AS l ON l.id = m.platforms
    LEFT JOIN family AS f
      ON f.id = (SELECT max(id) FROM family WHERE id <= a.id) AND a.id < f.id + f.span
    LEFT JOIN head AS h ON h.id = f.head LEFT JOIN tail AS t ON t.id = f.tail
    LEFT JOIN origin AS o ON o.id = f.origin LEFT JOIN kind AS k ON k.id = f.kind
    LEFT JOIN label AS p ON p.id = k.primitive LEFT JOIN label AS v ON v.id = k.variant
    LEFT JOIN list AS d ON d.id = k.dtypes LEFT JOIN list AS g ON g.id = f.targets;

-- Builds (`details` is JSON), runs, and what came out.
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
  command TEXT NOT NULL,
  details TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE run (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  command_line TEXT NOT NULL,
  started TEXT NOT NULL,
  finished TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- A run's report may take megabytes. Every outcome that is recorded looks its run up, and must not
-- walk past reports to find it.
CREATE TABLE run_verdict (
  run TEXT PRIMARY KEY REFERENCES run (id),
  bytes INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  verdict BLOB NOT NULL
) STRICT;
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

-- Retention: what stays whatever a policy says, what was announced and waits, the days on which
-- retention ran, and what it removed, by which rule. `lists` and `signatures` of a removal: for
-- each key the first list that the artifact stood in, and the hash of its signature.
CREATE TABLE hold (
  artifact INTEGER PRIMARY KEY REFERENCES artifact (id),
  reason TEXT NOT NULL,
  placed INTEGER NOT NULL,
  until_day INTEGER
) STRICT;
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
  outcomes TEXT NOT NULL,
  lists TEXT NOT NULL DEFAULT '{}',
  signatures TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX removal_by_hash ON removal (hash);
CREATE INDEX removal_by_name ON removal (name, producer);

-- Signatures (archive/integrity/signing.h). A signature that is null was over what the record said
-- before it was filled in; `facts` is the record that it is over, as JSON, where a put has filled
-- it in since. `removals` and `changes` of a list: the newest ones when it was made.
CREATE TABLE signed_list (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  day INTEGER NOT NULL,
  artifacts INTEGER NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  removals INTEGER NOT NULL,
  signature BLOB NOT NULL,
  counter INTEGER NOT NULL DEFAULT 0,
  previous TEXT NOT NULL DEFAULT '',
  changes INTEGER NOT NULL DEFAULT 0,
  text TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX signed_list_by_key ON signed_list (key, id);
CREATE TABLE signature (
  artifact INTEGER NOT NULL REFERENCES artifact (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  list INTEGER NOT NULL,
  signature BLOB,
  facts TEXT,
  PRIMARY KEY (artifact, key)
) STRICT, WITHOUT ROWID;
-- What keys say of keys.
CREATE TABLE key_statement (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  signature BLOB NOT NULL
) STRICT;
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
-- The log of what was replaced or removed (archive/store/change_log.h).
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

// An archive says what builds are, never how to start them. Commands that format 11 kept stand
// apart, where nothing executes them, until their user binds or forgets them. `identity` is what a
// user's state knows the archive by, wherever it lies.
constexpr std::string_view kFormat12 = R"sql(
CREATE TABLE identity (
  id TEXT NOT NULL
) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(16))));
CREATE TABLE former_command (
  build TEXT PRIMARY KEY,
  command TEXT NOT NULL,
  exporter TEXT NOT NULL,
  environment TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO former_command
  SELECT name, command,
    coalesce(iif(json_valid(details), json_extract(details, '$.environment.producer'), NULL), '[]'),
    coalesce(iif(json_valid(details), json_extract(details, '$.environment.place'), NULL), '')
  FROM build WHERE command <> '[]';
UPDATE build SET details = json_set(details, '$.environment.produces', 'exported')
  WHERE json_valid(details) AND json_extract(details, '$.environment.produces') = '' AND
    json_array_length(details, '$.environment.producer') > 0;
UPDATE build SET details = json_remove(
    json_set(details, '$.program', json_extract(details, '$.program.hash')),
    '$.environment.producer', '$.environment.place')
  WHERE json_valid(details) AND json_type(details, '$.program') = 'object';
UPDATE build SET details = json_remove(details, '$.environment.producer', '$.environment.place')
  WHERE json_valid(details);
ALTER TABLE build DROP COLUMN command;
)sql";

// How a run's limitations say that uses fail, and a run's result in a word.
constexpr std::string_view kFormat13 = R"sql(
ALTER TABLE run_limitation ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';
ALTER TABLE run ADD COLUMN result TEXT NOT NULL DEFAULT '';
CREATE INDEX run_by_kind ON run (kind);
)sql";

// A run's label, and somebody else who reported it. Older programs would count results of others as
// the archive's own, and must not judge it.
constexpr std::string_view kFormat14 = R"sql(
ALTER TABLE run ADD COLUMN label TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN reporter TEXT NOT NULL DEFAULT '';
CREATE INDEX run_by_reporter ON run (reporter) WHERE reporter > '';
)sql";

constexpr std::string_view kSteps[] = {kFormat11, kFormat12, kFormat13, kFormat14};

}  // namespace

SchemaSteps schemaSteps() { return kSteps; }
int formatVersion(SchemaSteps steps) { return kOldestFormat - 1 + static_cast<int>(steps.size()); }

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
  if (version < kOldestFormat)
    return unsupported(
        "{}: archive format {}; this build reads formats from {} on, and no release wrote older "
        "ones; open it for writing with the build that made format {} first",
        database.path(), version, kOldestFormat, kOldestFormat);
  return {};
}

Status migrateIndex(Database& database, SchemaSteps steps) {
  ASSIGN_OR_RETURN(auto transaction, Transaction::begin(database));
  // Read under the lock: another process may have migrated meanwhile.
  ASSIGN_OR_RETURN(const auto version, database.integer("PRAGMA user_version"));
  const int wanted = formatVersion(steps);
  for (int next = std::max(static_cast<int>(version) + 1, kOldestFormat); next <= wanted; ++next) {
    const std::string_view step = steps[static_cast<size_t>(next - kOldestFormat)];
    RETURN_IF_ERROR(within(fmt::format("migrating from archive format {} to {}", next - 1, next),
                           database.execute(std::string(step))));
  }
  const std::string stamp = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                        kApplicationId, std::max<int64_t>(version, wanted));
  RETURN_IF_ERROR(database.execute(stamp));
  return transaction.commit();
}

}  // namespace vintage::archive
