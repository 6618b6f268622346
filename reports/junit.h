// A run as JUnit XML, for the continuous-integration services that read it.
#pragma once

#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace vintage::reports {

// One test suite for each (build, platform, mode), one test case for each pair.
// A failure that no limitation covers is a <failure>, an unexpected pass too; a
// runner error is an <error>; expected failures and skipped pairs are
// <skipped>. What broke the run is an <error> in a suite of its own.
std::string junitXml(const archive::RunSummary& summary);

// Any bytes as text of an XML 1.0 document, escaped for content and for attributes in double
// quotes. Characters that XML 1.0 cannot hold, and bytes that are not UTF-8, become U+FFFD; line
// breaks become character references, so that they survive in attributes.
std::string xmlText(std::string_view text);

}  // namespace vintage::reports
