// Whether content is what those who name it take it for.
#include "archive/integrity/fsck_passes.h"
#include "golden/exported/exported.h"

namespace vintage::archive::integrity {
namespace {

// The formats of the artifacts that have this blob, and whether it is a golden.
struct Roles {
  bool exported = false, portable = false, golden = false;
};
Result<Roles> rolesOf(Database& database, int64_t blob) {
  ASSIGN_OR_RETURN(auto query,
                   database.query("SELECT EXISTS (SELECT 1 FROM artifact_record WHERE blob = ?1 "
                                  "AND format = ?2), EXISTS (SELECT 1 FROM artifact_record WHERE "
                                  "blob = ?1 AND format = ?3), EXISTS (SELECT 1 FROM artifact "
                                  "WHERE golden = ?1)"));
  ASSIGN_OR_RETURN(const auto row,
                   query.bind(blob)
                       .bind(static_cast<int>(ArtifactRecord::Format::kExported))
                       .bind(static_cast<int>(ArtifactRecord::Format::kPortableArtifact))
                       .step());
  if (!row) return Roles{};
  return Roles{query.integer(0) != 0, query.integer(1) != 0, query.integer(2) != 0};
}

// What is newer than this build, or of a kind that it does not read, is no damage.
std::string damageIn(const Error& error) {
  return error.kind == Error::Kind::kBadInput ? error.message : std::string();
}

std::string checkPortable(const FsckPasses& checker, std::span<const std::byte> bytes,
                          std::string_view name) {
  if (!checker.options.checkPortableArtifact) return {};
  const Status status = checker.options.checkPortableArtifact(bytes, name);
  return status ? std::string() : damageIn(status.error());
}

std::string checkExported(const FsckPasses& checker, std::span<const std::byte> bytes) {
  const auto exported = readExported(bytes, "as an Exported");
  if (!exported) return damageIn(exported.error());
  return checkPortable(checker, exported->module, "the module in the Exported");
}

}  // namespace

Result<std::string> checkStructure(FsckPasses& checker, int64_t blob,
                                   std::span<const std::byte> bytes) {
  ASSIGN_OR_RETURN(const auto roles, rolesOf(checker.database(), blob));
  std::string problem;
  if (roles.exported) problem = checkExported(checker, bytes);
  if (problem.empty() && roles.portable)
    problem = checkPortable(checker, bytes, "as a portable artifact");
  if (problem.empty() && roles.golden) {
    const auto golden = readGolden(bytes, "as a golden");
    if (!golden) problem = damageIn(golden.error());
  }
  return problem;
}

}  // namespace vintage::archive::integrity
