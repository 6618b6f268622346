// Formats 1 to 9: an artifact's row holds all that is known of it, as texts.
#include "archive/store/schema_steps.h"

namespace vintage::archive::store {

// Lists (dtypes, platforms, targets) stand in the artifact's row, as JSON, and
// once more in a table of terms that only serves to find artifacts by them.
// Terms carry the build day so that a window of one term is one range.
const std::string_view kVersion1 = R"sql(
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
const std::string_view kVersion2 = R"sql(
ALTER TABLE build ADD COLUMN details TEXT NOT NULL DEFAULT '';
)sql";

// Leases (archive/store/lease.h).
const std::string_view kVersion3 = R"sql(
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
const std::string_view kVersion4 = R"sql(
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
const std::string_view kVersion5 = R"sql(
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
const std::string_view kVersion6 = R"sql(
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
const std::string_view kVersion7 = R"sql(
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
const std::string_view kVersion8 = R"sql(
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
const std::string_view kVersion9 = R"sql(
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

}  // namespace vintage::archive::store
