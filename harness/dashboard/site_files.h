// The files that show the pages in a browser, built into the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vintage::harness {

struct SiteFile {
  std::string_view name;  // "index.html", "dashboard/dashboard.js"
  std::string_view mediaType;
  std::string_view text;
};
std::span<const SiteFile> siteFiles();

// index.html for a folder of files, where data come as scripts.
std::string staticIndex();

// What a browser may do on these pages: nothing but run, style and load what lies beside them.
std::string_view contentSecurityPolicy();

}  // namespace vintage::harness
