// Every file below blobs/: a row names it, or a put has it in hand.

#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

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
                      .problem = "no row names it: an interrupted put left it behind",
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
    RETURN_IF_ERROR(checkFolder(checker, folder));
    checker.progress("files", ++done, static_cast<int64_t>(folders->size()));
  }
  return {};
}

}  // namespace vintage::archive
