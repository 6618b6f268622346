// The schema of archived bytes: new readers must read old bytes for 180 days, old readers new bytes
// for 21.
#include "harness/gate/rules/serialization_schema.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include <flatbuffers/idl.h>
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

using flatbuffers::EnumDef;
using flatbuffers::FieldDef;
using flatbuffers::Parser;
using flatbuffers::StructDef;
using flatbuffers::Type;

constexpr size_t kLongestSchema = size_t{4} << 20;

// The parser would read included files from disk.
bool includesFiles(std::string_view text) {
  for (size_t at = 0; (at = text.find("include", at)) != std::string_view::npos; at += 7) {
    size_t next = at + 7;
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0) ++next;
    if (next < text.size() && text[next] == '"') return true;
  }
  return false;
}

Result<std::unique_ptr<Parser>> parse(std::string_view text, const char* which) {
  if (text.size() > kLongestSchema || text.find('\0') != std::string_view::npos ||
      includesFiles(text))
    return badInput("{} serialization schema: expected a text of at most {} bytes without includes",
                    which, kLongestSchema);
  auto parser = std::make_unique<Parser>();
  const std::string terminated(text);
  if (!parser->Parse(terminated.c_str()))
    return badInput("{} serialization schema: {}", which, parser->error_);
  if (parser->root_struct_def_ == nullptr)
    return badInput("{} serialization schema: it has no root_type", which);
  return parser;
}

const char* kindName(flatbuffers::BaseType type) { return flatbuffers::kTypeNames[type]; }

std::string spelled(const Type& type) {
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR)
    return "[" + spelled(type.VectorType()) + "]";
  if (type.base_type == flatbuffers::BASE_TYPE_ARRAY)
    return fmt::format("[{}:{}]", spelled(type.VectorType()), type.fixed_length);
  if (type.struct_def != nullptr) return type.struct_def->name;
  if (type.enum_def != nullptr)
    return fmt::format("{} ({})", type.enum_def->name, kindName(type.base_type));
  return kindName(type.base_type);
}

int idOf(const FieldDef& field) { return (field.value.offset - 4) / 2; }

class SchemaComparer {
 public:
  std::vector<SchemaDifference> run(const Parser& before, const Parser& after) {
    if (before.file_identifier_ != after.file_identifier_)
      add("file_identifier",
          fmt::format("it becomes '{}', was '{}'", after.file_identifier_, before.file_identifier_),
          true, true);
    compareObjects(*before.root_struct_def_, *after.root_struct_def_);
    while (!pending_.empty()) {  // No recursion: schemas refer to themselves.
      const auto [old, now] = pending_.back();
      pending_.pop_back();
      compareFields(*old, *now);
    }
    std::ranges::sort(out_, [](const auto& a, const auto& b) {
      return std::tie(a.place, a.what) < std::tie(b.place, b.what);
    });
    return std::move(out_);
  }

 private:
  void add(std::string place, std::string what, bool oldBytes, bool oldReaders,
           bool extends = false) {
    out_.push_back({std::move(place), std::move(what), oldBytes, oldReaders, extends});
  }

  void compareObjects(const StructDef& before, const StructDef& after) {
    if (seen_.insert({&before, &after}).second) pending_.push_back({&before, &after});
  }

  void compareFields(const StructDef& before, const StructDef& after) {
    if (before.fixed != after.fixed) {
      add(before.name, fmt::format("it becomes a {}", after.fixed ? "struct" : "table"), true,
          true);
      return;
    }
    if (before.fixed) return compareStruct(before, after);
    std::map<int, const FieldDef*> now;
    for (const FieldDef* field : after.fields.vec) now[idOf(*field)] = field;
    for (const FieldDef* field : before.fields.vec) {
      const auto found = now.find(idOf(*field));
      if (found == now.end()) {
        add(placeOf(before, *field), "the field is gone; deprecate it and keep its id", true,
            field->IsRequired());
      } else {
        compareField(placeOf(before, *field), *field, *found->second);
        now.erase(found);
      }
    }
    for (const auto& [id, field] : now)
      add(placeOf(after, *field), "the field is new", field->IsRequired(), false, true);
  }

  // A struct has no ids: its layout is the contract.
  void compareStruct(const StructDef& before, const StructDef& after) {
    bool same =
        before.fields.vec.size() == after.fields.vec.size() && before.bytesize == after.bytesize;
    for (size_t i = 0; same && i < before.fields.vec.size(); ++i) {
      const FieldDef &old = *before.fields.vec[i], &now = *after.fields.vec[i];
      same = old.value.offset == now.value.offset && sameKind(old.value.type, now.value.type);
      if (same) compareNested(old.value.type, now.value.type);
    }
    if (!same) add(before.name, "the layout of the struct changes", true, true);
  }

  static std::string placeOf(const StructDef& object, const FieldDef& field) {
    return fmt::format("{}.{} (id {})", object.name, field.name, idOf(field));
  }

  static bool sameKind(const Type& before, const Type& after) {
    if (before.base_type != after.base_type || before.fixed_length != after.fixed_length ||
        before.element != after.element)
      return false;
    if ((before.struct_def == nullptr) != (after.struct_def == nullptr)) return false;
    return before.struct_def == nullptr || before.struct_def->fixed == after.struct_def->fixed;
  }

  void compareField(const std::string& place, const FieldDef& before, const FieldDef& after) {
    const Type &old = before.value.type, &now = after.value.type;
    if (!sameKind(old, now)) {
      add(place, fmt::format("the type becomes {}, was {}", spelled(now), spelled(old)), true,
          true);
      return;
    }
    // Writers omit a field that has its default value: both sides must agree on the default.
    const bool scalar = flatbuffers::IsScalar(old.base_type);
    if (scalar && before.presence != FieldDef::kRequired &&
        (before.presence != after.presence || before.value.constant != after.value.constant))
      add(place,
          fmt::format("the default becomes {}, was {}",
                      after.IsOptional() ? "null" : after.value.constant,
                      before.IsOptional() ? "null" : before.value.constant),
          true, true);
    if (!before.IsRequired() && after.IsRequired()) add(place, "it becomes required", true, false);
    if (before.IsRequired() && !after.IsRequired())
      add(place, "it is no longer required", false, true);
    if (!before.deprecated && after.deprecated)
      add(place, "it is deprecated: new readers pass over it, old readers miss it", false, false,
          true);
    if (before.deprecated && !after.deprecated)
      add(place, "it is used again after it was deprecated", true, false);
    compareNested(old, now);
  }

  void compareNested(const Type& before, const Type& after) {
    if (before.struct_def != nullptr && after.struct_def != nullptr)
      compareObjects(*before.struct_def, *after.struct_def);
    if (before.enum_def != nullptr && after.enum_def != nullptr)
      compareEnums(*before.enum_def, *after.enum_def);
  }

  void compareEnums(const EnumDef& before, const EnumDef& after) {
    if (!seenEnums_.insert({&before, &after}).second) return;
    const std::string place = (before.is_union ? "union " : "enum ") + before.name;
    if (before.is_union != after.is_union)
      return add(place, "it is no longer of the same kind", true, true);
    for (const flatbuffers::EnumVal* value : before.Vals()) {
      const flatbuffers::EnumVal* now = after.ReverseLookup(value->GetAsInt64(), false);
      const flatbuffers::EnumVal* named = after.Lookup(value->name);
      if (now == nullptr)
        add(place, fmt::format("{} = {} is gone", value->name, value->GetAsInt64()), true, false);
      else if (now->name != value->name && named != nullptr)
        add(place,
            fmt::format("{} becomes {}, was {}", value->name, named->GetAsInt64(),
                        value->GetAsInt64()),
            true, true);
      else if (before.is_union)
        compareMembers(place, *value, *now);
    }
    for (const flatbuffers::EnumVal* value : after.Vals())
      if (before.ReverseLookup(value->GetAsInt64(), false) == nullptr)
        add(place, fmt::format("{} = {} is new", value->name, value->GetAsInt64()), false, false,
            true);
  }

  void compareMembers(const std::string& place, const flatbuffers::EnumVal& before,
                      const flatbuffers::EnumVal& after) {
    if (!sameKind(before.union_type, after.union_type))
      add(place,
          fmt::format("member {} becomes {}, was {}", before.name, spelled(after.union_type),
                      spelled(before.union_type)),
          true, true);
    else
      compareNested(before.union_type, after.union_type);
  }

  std::vector<SchemaDifference> out_;
  std::set<std::pair<const StructDef*, const StructDef*>> seen_;
  std::set<std::pair<const EnumDef*, const EnumDef*>> seenEnums_;
  std::vector<std::pair<const StructDef*, const StructDef*>> pending_;
};

constexpr const char* kOldBytes = "schema-breaks-old-bytes";
constexpr const char* kOldReaders = "schema-breaks-old-readers";

// Empty where the schema did not change, or where only one description holds it (a note says so).
Result<std::vector<SchemaDifference>> differences(const Change& change, const char* rule,
                                                  std::vector<Finding>& findings) {
  const std::string &before = change.before.serializationSchema,
                    &now = change.after.serializationSchema;
  if (before == now) return std::vector<SchemaDifference>{};
  if (before.empty() || now.empty()) {
    note(findings, rule, "serialization_schema",
         "Only {} description holds the schema, so this was not judged.",
         now.empty() ? "the old" : "the new");
    return std::vector<SchemaDifference>{};
  }
  return compareSchemas(before, now);
}

}  // namespace

Result<std::vector<SchemaDifference>> compareSchemas(std::string_view before,
                                                     std::string_view after) {
  ASSIGN_OR_RETURN(auto old, parse(before, "the old"));
  ASSIGN_OR_RETURN(auto now, parse(after, "the new"));
  return SchemaComparer().run(*old, *now);
}

Status checkSchemaOldBytes(const Change& change, std::vector<Finding>& findings) {
  ASSIGN_OR_RETURN(auto changes, differences(change, kOldBytes, findings));
  std::vector<ArtifactRecord> exported;
  if (!changes.empty()) {
    ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(windowFilter(change)));
    for (const ArtifactRecord& artifact : artifacts)
      if (artifact.format == ArtifactRecord::Format::kExported) exported.push_back(artifact);
  }
  std::optional<LegalDate> legal;
  laterThanArtifacts(change, legal, exported);
  later(legal, outOfWindow(change.before.buildDate, change.before.name + " writes the old form",
                           change.backward()));
  if (change.today >= legal->date) return {};
  for (const SchemaDifference& difference : changes) {
    if (!difference.breaksOldBytes) continue;
    Finding& finding = report(findings, kOldBytes, {difference.place, "serialization_schema"},
                              "{}: {}. New readers would misread or reject older files.",
                              difference.place, difference.what);
    finding.change = difference.what;
    finding.artifacts = exported;
    finding.legal = legal;
  }
  return {};
}

Status checkSchemaOldReaders(const Change& change, std::vector<Finding>& findings) {
  ASSIGN_OR_RETURN(auto changes, differences(change, kOldReaders, findings));
  const LegalDate legal = outOfWindow(change.before.buildDate,
                                      change.before.name + " reads the old form", change.forward());
  const VersionRange &before = change.before.serialization, &now = change.after.serialization;
  const bool newVersion = now.newest > before.newest;
  for (const SchemaDifference& difference : changes) {
    const bool breaks = difference.breaksOldReaders && change.today < legal.date;
    if (!breaks && (!difference.extends || newVersion)) continue;
    Finding& finding = addFinding(findings, kOldReaders, {difference.place, "serialization_schema"},
                                  difference.place + ": " + difference.what);
    finding.change = difference.what;
    if (breaks) {
      finding.message += fmt::format(
          ". Consumers of the last {} would misread or reject new files.", change.forward().span());
      finding.consumers = {change.before.name};
      finding.legal = legal;
    } else {
      finding.severity = GateResult::kNeedsReview;
      finding.message += fmt::format(
          ", and the newest serialization version stays {}. Old readers ignore it "
          "silently; a new version makes them reject it.",
          before.newest);
    }
  }
  return {};
}

}  // namespace vintage::harness
