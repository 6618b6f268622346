#include "harness/dashboard/report_folder.h"

#include <array>

namespace vintage::harness {
namespace {

// Made by harness/dashboard/CMakeLists.txt: the modules as one script, the styles as one sheet.
constexpr std::string_view kIndex =
#include "harness/dashboard/index.html.inc"
    ;
constexpr std::string_view kScript =
#include "harness/dashboard/dashboard.js.inc"
    ;
constexpr std::string_view kStyle =
#include "harness/dashboard/dashboard.css.inc"
    ;
constexpr std::string_view kPlots =
#include "harness/dashboard/chart.js.inc"
    ;
constexpr std::string_view kPlotsLicence =
#include "harness/dashboard/chart.LICENSE.inc"
    ;
constexpr std::string_view kIcon =
#include "harness/dashboard/icon.svg.inc"
    ;

constexpr std::array kFiles{
    SiteFile{"index.html", "text/html; charset=utf-8", kIndex},
    SiteFile{"dashboard/dashboard.js", "text/javascript; charset=utf-8", kScript},
    SiteFile{"dashboard/dashboard.css", "text/css; charset=utf-8", kStyle},
    SiteFile{"dashboard/chart.js", "text/javascript; charset=utf-8", kPlots},
    SiteFile{"dashboard/chart.LICENSE", "text/plain; charset=utf-8", kPlotsLicence},
    SiteFile{"dashboard/icon.svg", "image/svg+xml", kIcon},
};

}  // namespace

std::span<const SiteFile> siteFiles() { return kFiles; }

std::string staticIndex() {
  constexpr std::string_view kServed = "name=\"vintage-data\" content=\"service\"";
  constexpr std::string_view kStatic = "name=\"vintage-data\" content=\"files\"";
  std::string index(kIndex);
  if (const size_t at = index.find(kServed); at != std::string::npos)
    index.replace(at, kServed.size(), kStatic);
  return index;
}

std::string_view contentSecurityPolicy() {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
         "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'; trusted-types vintage";
}

}  // namespace vintage::harness
