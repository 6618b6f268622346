#include "archive/integrity/fsck.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/integrity/fsck_passes.h"
#include "archive/store/archive.h"
#include "archive/store/archive_access.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kNamed = 20;
constexpr size_t kNamedAccess = 100;

// A marker that cannot be read beside an index that can: everything that the
// marker says stands in the index as well.
Result<bool> checkMarker(FileSystem& files, const std::string& folder, const FsckOptions& options,
                         const ArchiveEnvironment& environment, FsckSummary& summary,
                         const std::function<void(const FsckFinding&)>& report) {
  const auto marker = readMarker(files, folder);
  if (marker || marker.error().kind != Error::Kind::kBadInput) return true;  // open() says it all.
  ASSIGN_OR_RETURN(const auto status, files.status(fmt::format("{}/{}", folder, kIndexName)));
  if (!status) return true;
  FsckFinding finding{.kind = FsckFinding::Kind::kMarker,
                      .place = fmt::format("{}/{}", folder, kMarkerName),
                      .problem = "the marker is missing, damaged or another program's",
                      .remedy = "run 'vintage fsck --repair': the index says what it should"};
  ASSIGN_OR_RETURN(const int version, indexVersion(folder, environment));
  if (options.repair) {
    RETURN_IF_ERROR(writeMarker(files, folder, version));
    finding.healed = true;
    finding.remedy = fmt::format("written anew, for format {}", version);
  }
  ++summary.damaged;
  summary.healed += finding.healed;
  report(finding);
  return finding.healed;
}

// Before the archive is opened: with owners and modes that do not fit it may be that it cannot be.
std::vector<FsckFinding> findAccess(const std::string& folder, bool repair) {
  std::vector<FsckFinding> findings;
  for (AccessProblem& found : accessProblems(folder, repair ? SIZE_MAX : kNamedAccess)) {
    FsckFinding finding{.kind = FsckFinding::Kind::kAccess,
                        .place = found.path,
                        .problem = found.problem,
                        .remedy = fmt::format("'{}' repairs it", found.command)};
    if (repair) {
      const Status repaired = repairAccess(folder, found);
      finding.healed = repaired.has_value();
      finding.remedy =
          repaired ? "repaired: " + found.command
                   : fmt::format("{}; run as root: {}", repaired.error().message, found.command);
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

Status nameStartCommands(FsckPasses& checker) {
  ASSIGN_OR_RETURN(const auto commands, checker.archive.formerCommands());
  for (const Archive::FormerCommand& former : commands)
    RETURN_IF_ERROR(checker.add(
        {.kind = FsckFinding::Kind::kFormerCommand,
         .place = checker.rowPlace("former_command"),
         .problem = fmt::format("build '{}' was started by {} in an older format", former.build,
                                fmt::join(former.worker, " ")),
         .remedy =
             "nothing executes it; 'vintage builds former' binds it for you, or removes it"}));
  return {};
}

// Every file below blobs/: a row names it, or a put has it in hand.

constexpr std::string_view kSuffix = ".zst";

Status addStray(FsckPasses& checker, const std::string& path, std::string problem) {
  return checker.add({.kind = FsckFinding::Kind::kStrayFile,
                      .place = path,
                      .problem = std::move(problem),
                      .remedy = "Vintage did not write it: look at it and remove it"});
}

Status checkBlobFile(FsckPasses& checker, const std::string& folder, const std::string& digits,
                     const std::string& name) {
  const std::string path = fmt::format("{}/{}", folder, name);
  ++checker.summary.files;
  const std::string_view id = std::string_view(name).substr(0, name.find('.'));
  if (!isContentHash(id) || name.substr(id.size()) != kSuffix || id.substr(0, 2) != digits)
    return addStray(checker, path, "its name is not a blob's");
  ASSIGN_OR_RETURN(const auto use, fileUse(checker.archive, ContentId(id)));
  if (use == FileUse::kLeased) ++checker.summary.inFlight;
  if (use != FileUse::kNone) return {};
  return checker.add({.kind = FsckFinding::Kind::kStrayFile,
                      .place = path,
                      .problem = "no row names it: a put was interrupted, or a collection could "
                                 "not remove it",
                      .content = ContentId(id),
                      .remedy = "'vintage gc' removes it"});
}

Status checkTemporary(FsckPasses& checker, const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(const auto abandoned, isAbandoned(checker.archive, name));
  if (!abandoned) {
    ++checker.summary.inFlight;
    return {};
  }
  return checker.add({.kind = FsckFinding::Kind::kTemporary,
                      .place = fmt::format("{}/{}", folder, name),
                      .problem = "its writer is gone",
                      .remedy = "'vintage gc' removes it"});
}

// One folder below blobs/, or a file that should not be there.
Status checkFolder(FsckPasses& checker, const std::string& name) {
  FileSystem& files = checker.archive.files();
  const std::string path = fmt::format("{}/blobs/{}", checker.archive.folder(), name);
  ASSIGN_OR_RETURN(const auto status, files.status(path));
  if (!status) return {};
  if (!status->isFolder)
    return addStray(checker, path, "files of blobs lie in folders of two digits");
  const auto names = files.list(path);
  if (!names && names.error().kind == Error::Kind::kNotFound) return {};
  if (!names) return tl::unexpected(names.error());
  for (const std::string& file : *names)
    RETURN_IF_ERROR(name == kIncomingFolder ? checkTemporary(checker, path, file)
                                            : checkBlobFile(checker, path, name, file));
  return {};
}

}  // namespace

Status checkFiles(FsckPasses& checker) {
  const auto folders =
      checker.archive.files().list(fmt::format("{}/blobs", checker.archive.folder()));
  if (!folders && folders.error().kind == Error::Kind::kNotFound) return {};  // No file was needed.
  if (!folders) return tl::unexpected(folders.error());
  int64_t done = 0;
  for (const std::string& folder : *folders) {
    const Status checked = checkFolder(checker, folder);
    if (!checked && checked.error().kind == Error::Kind::kIo) {
      RETURN_IF_ERROR(
          checker.add({.kind = FsckFinding::Kind::kDamagedContent,
                       .place = fmt::format("{}/blobs/{}", checker.archive.folder(), folder),
                       .problem = "it cannot be looked through: " + checked.error().message,
                       .remedy = "give this user the right to do so, or replace the "
                                 "disk and heal the archive from a copy"}));
    } else if (!checked) {
      return checked;
    }
    checker.progress("files", ++done, static_cast<int64_t>(folders->size()));
  }
  return {};
}

Status checkAccess(FsckPasses& checker) {
  for (FsckFinding& finding : checker.access) RETURN_IF_ERROR(checker.add(std::move(finding)));
  return {};
}

std::string_view findingName(FsckFinding::Kind kind) {
  // In the order of the enumeration.
  constexpr std::string_view kNames[] = {
      "marker",         "damaged index",       "broken reference",     "search terms",
      "damaged record", "missing content",     "damaged content",      "malformed content",
      "signature",      "damaged records",     "missing record",       "signed list",
      "stray file",     "abandoned temporary", "unreferenced content", "owner or mode",
      "start command",  "unknown object"};
  static_assert(std::size(kNames) == static_cast<size_t>(FsckFinding::Kind::kUnknownObject) + 1);
  return kNames[static_cast<size_t>(kind)];
}

Status FsckPasses::add(FsckFinding finding) {
  if (!finding.content.empty() && finding.isDamage()) {
    // In a damaged index as far as it can be read.
    auto affected = affectedBy(archive, finding.content, kNamed);
    if (!affected && affected.error().kind != Error::Kind::kBadInput)
      return tl::unexpected(affected.error());
    if (affected) {
      finding.affected = std::move(affected->users);
      finding.affectedOutcomes = affected->outcomes;
    }
  }
  if (finding.isDamage()) {
    ++summary.damaged;
    summary.healed += finding.healed;
  } else if (finding.kind == FsckFinding::Kind::kAccess) {
    summary.access += !finding.healed;
  } else if (finding.kind != FsckFinding::Kind::kFormerCommand) {
    ++summary.litter;
  }
  report(finding);
  return {};
}

Status FsckPasses::addUnreadable(const std::string& where, const Error& error) {
  if (error.kind != Error::Kind::kBadInput) return tl::unexpected(error);
  indexDamaged = true;
  if (++unreadable > static_cast<int>(kNamed)) return {};
  return add({.kind = FsckFinding::Kind::kIndex,
              .place = indexPath(),
              .problem = fmt::format("{} could not be checked: {}", where, error.message),
              .remedy = std::string(kRestoreIndex)});
}

void FsckPasses::progress(std::string_view what, int64_t done, int64_t total) const {
  if (options.progress)
    options.progress(what, static_cast<size_t>(done), static_cast<size_t>(std::max(done, total)));
}

Result<FsckSummary> checkArchive(const std::string& folder, const FsckOptions& options,
                                 const std::function<void(const FsckFinding&)>& report,
                                 const ArchiveEnvironment& environment) {
  const auto [part, parts] = options.part;
  if (parts < 1 || part < 1 || part > parts)
    return usageError("part {} of {}: there are parts 1 to {}", part, parts, parts);
  FsckSummary summary;
  FileSystem& files = environment.fileSystem ? *environment.fileSystem : realFileSystem();
  ASSIGN_OR_RETURN(const auto marked,
                   checkMarker(files, folder, options, environment, summary, report));
  if (!marked) return summary;
  auto access = findAccess(folder, options.repair);
  ASSIGN_OR_RETURN(
      auto archive,
      Archive::open(folder, options.repair ? Archive::Mode::kReadWrite : Archive::Mode::kReadOnly,
                    environment));
  FsckPasses checker{archive, options, report, summary, std::move(access)};
  for (const ContentDonor& donor : options.donors) checker.donors.push_back({donor});
  constexpr std::pair<const char*, Status (*)(FsckPasses&)> kPasses[] = {
      {"SQLite's own check", checkPages},
      {"the references", checkReferences},
      {"table list_term", checkSearchTerms},
      {"the records", checkRecords},
      {"the start commands", nameStartCommands},
      {"the dictionaries", checkDictionaries},
      {"the contents", checkBlobs},
      {"the files", checkFiles},
      {"owners and modes", checkAccess},
      {"the signatures", checkSigned}};
  for (const auto& [name, pass] : kPasses) {
    checker.unreadable = 0;
    Status status = pass(checker);
    if (!status) status = checker.addUnreadable(name, status.error());
    if (!status) return tl::unexpected(status.error());
  }
  return checker.summary;
}

}  // namespace vintage::archive
