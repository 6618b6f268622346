// Formats from 10 on: what many artifacts have in common stands once.
#include "archive/store/schema_steps.h"

namespace vintage::archive::store {

// What many artifacts have in common is kept once: who exported them (origin), of which kind they
// are, lists of texts, and the two parts of a name: its end from the last '/' on, where that has
// at most 16 bytes, is the suffix. `case_id`: 1 where it is the stem, null where there is none.
// Packs hold many small contents (archive/store/pack.h).
const std::string_view kVersion10 = R"sql(
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

// Artifacts stand in the order in which they were put, and those of one case that are lowered for
// several platforms stand side by side. What they have in common stands once for all of them, in
// the row of their family: it covers `span` artifacts' rows, from the one with its own number on.
// A name is head (up to the last ']'), tail, and the suffix (from the last '/' on, where that has
// at most 32 bytes), which stands with the platforms in the row of the form. `case_id`: 1 where it
// is head and tail, null where there is none. A pack may have several frames; `place` of a content
// is its pack's number times 2^21, and where it begins in it.
const std::string_view kVersion11 = R"sql(
DROP VIEW artifact_record;
CREATE TABLE label (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO label (text) SELECT primitive FROM kind UNION SELECT variant FROM kind;
CREATE TABLE leaner_kind (
  id INTEGER PRIMARY KEY,
  primitive INTEGER NOT NULL REFERENCES label (id),
  variant INTEGER NOT NULL REFERENCES label (id),
  device_count INTEGER NOT NULL,
  dtypes INTEGER NOT NULL REFERENCES list (id),
  UNIQUE (primitive, variant, device_count, dtypes)
) STRICT;
INSERT INTO leaner_kind
  SELECT k.id, p.id, v.id, k.device_count, k.dtypes
  FROM kind AS k CROSS JOIN label AS p ON p.text = k.primitive
    CROSS JOIN label AS v ON v.text = k.variant ORDER BY k.id;
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
CREATE TABLE leaner_artifact (
  id INTEGER PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blob (id),
  golden INTEGER REFERENCES blob (id),
  form INTEGER NOT NULL REFERENCES form (id)
) STRICT;

CREATE TEMP TABLE split
  (id INTEGER PRIMARY KEY, stem TEXT, suffix TEXT, head TEXT, tail TEXT, case_id ANY) STRICT;
INSERT INTO temp.split (id, stem, suffix, head, case_id)
  SELECT id, stem, last, rtrim(stem, replace(stem, ']', '')), case_id FROM (
    SELECT id, substr(name, 1, length(name) - length(last)) AS stem, last, case_id FROM (
      SELECT id, name, case_id,
        iif(length(CAST(last AS BLOB)) <= 32 AND last <> name, last, '') AS last
      FROM (SELECT id, name, case_id, iif(instr(name, '/') = 0, '',
          substr(name, length(rtrim(name, replace(name, '/', ''))))) AS last
        FROM (SELECT a.id, s.text || x.text AS name,
            CASE a.case_id WHEN 1 THEN s.text ELSE a.case_id END AS case_id
          FROM artifact AS a CROSS JOIN stem AS s ON s.id = a.stem
            CROSS JOIN suffix AS x ON x.id = a.suffix))))
  ORDER BY id;
UPDATE temp.split SET head = iif(head = '', stem, head);
UPDATE temp.split SET tail = substr(stem, length(head) + 1), case_id = iif(case_id = stem, 1, case_id);
INSERT OR IGNORE INTO head (text) SELECT head FROM temp.split ORDER BY id;
INSERT OR IGNORE INTO tail (text) SELECT tail FROM temp.split ORDER BY id;
CREATE TEMP TABLE fact (id INTEGER PRIMARY KEY, head INTEGER, tail INTEGER, origin INTEGER,
  kind INTEGER, targets INTEGER, case_id ANY) STRICT;
INSERT INTO temp.fact
  SELECT a.id, h.id, t.id, a.origin, a.kind, a.targets, s.case_id
  FROM artifact AS a CROSS JOIN temp.split AS s ON s.id = a.id
    CROSS JOIN head AS h ON h.text = s.head CROSS JOIN tail AS t ON t.text = s.tail
  ORDER BY a.id;
INSERT INTO family
  SELECT f.id, (SELECT count(*) FROM temp.fact AS c WHERE c.id >= f.id AND c.id < f.next), f.head,
    f.tail, f.origin, f.kind, f.targets, f.case_id
  FROM (SELECT f.*, lead(f.id, 1, 9223372036854775807) OVER (ORDER BY f.id) AS next
    FROM temp.fact AS f LEFT JOIN temp.fact AS p ON p.id = f.id - 1 AND p.head = f.head AND
      p.tail = f.tail AND p.origin = f.origin AND p.kind = f.kind AND p.targets IS f.targets AND
      p.case_id IS f.case_id
    WHERE p.id IS NULL) AS f ORDER BY f.id;
INSERT OR IGNORE INTO form (suffix, platforms)
  SELECT s.suffix, a.platforms FROM artifact AS a CROSS JOIN temp.split AS s ON s.id = a.id
  ORDER BY a.id;
INSERT INTO leaner_artifact
  SELECT a.id, a.blob, a.golden, f.id
  FROM artifact AS a CROSS JOIN temp.split AS s ON s.id = a.id
    CROSS JOIN form AS f ON f.suffix = s.suffix AND f.platforms = a.platforms
  ORDER BY a.id;
ALTER TABLE blob ADD COLUMN place INTEGER;
DROP INDEX blob_by_hash;
UPDATE blob SET place = pack * 2097152 + start, stored_bytes = 0 WHERE pack IS NOT NULL;
ALTER TABLE blob DROP COLUMN pack;
ALTER TABLE blob DROP COLUMN start;
CREATE INDEX blob_by_hash ON blob (substr(hash, 1, 3));
DROP TABLE temp.split;
DROP TABLE temp.fact;
DROP TABLE artifact;
DROP TABLE stem;
DROP TABLE suffix;
DROP TABLE kind;
ALTER TABLE leaner_kind RENAME TO kind;
ALTER TABLE leaner_artifact RENAME TO artifact;
CREATE INDEX artifact_by_blob ON artifact (blob);
CREATE INDEX artifact_by_golden ON artifact (golden) WHERE golden IS NOT NULL;
CREATE INDEX family_by_name ON family (head, tail, origin);
CREATE INDEX family_by_origin ON family (origin, kind, span);
CREATE INDEX family_by_targets ON family (targets, origin) WHERE targets IS NOT NULL;
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
)sql";

// An archive says what builds are, never how to start them. Commands that older formats kept stand
// apart, where nothing executes them, until their user binds or forgets them. `identity` is what a
// user's state knows the archive by, wherever it lies.
const std::string_view kVersion12 = R"sql(
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

// How what a run's limitations declare fails, and what a run came to.
const std::string_view kVersion13 = R"sql(
ALTER TABLE run_limitation ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';
ALTER TABLE run ADD COLUMN result TEXT NOT NULL DEFAULT '';
)sql";

}  // namespace vintage::archive::store
