// The dashboard as files: the files that show the pages in a browser, built into the program, and a
// folder that a browser opens without a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/runtime_description.h"
#include "golden/base/result.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness {

struct SiteFile {
  std::string_view name;  // "index.html", "dashboard/dashboard.js"
  std::string_view mediaType;
  std::string_view text;
};
std::span<const SiteFile> siteFiles();

// index.html for a folder of files, where data come as scripts.
std::string staticIndex();

// The rights of these pages in a browser: they run, style and load only the files beside them.
std::string_view contentSecurityPolicy();

struct ReportOptions {
  std::string folder;
  // The newest builds with outcomes for which pairs are written; the grid and the matrix show all.
  size_t buildsWithPairs = 30;
  size_t mostPairs = 2000;  // Pages of single pairs, failures first; 0: none.
  // A checked history (harness/judge/history) makes it a site that answers questions about
  // releases: with search, badges and a feed. Null: none.
  nlohmann::json history = nullptr;
  nlohmann::json others = nullptr;       // Made by readOthers(), for the same site.
  std::string title = {}, address = {};  // The site's; the address ends with "/", or is empty.
  // In place of those whose facts the archive knows.
  std::optional<std::vector<archive::RuntimeDescription>> releases = {};
};
struct WrittenReport {
  int64_t files = 0, bytes = 0;
  int64_t pairs = 0;         // Pages of single pairs.
  int64_t pairsLeftOut = 0;  // Failing pairs beyond `mostPairs`.
};
// Writes into a folder that is missing or empty, or replaces an earlier report; kUsage for any
// other folder.
Result<WrittenReport> writeReport(const PageContext& context, const ReportOptions& options,
                                  const std::function<void(size_t done, size_t of)>& progress = {});

}  // namespace vintage::harness
