// The verdict of a run, for people and for programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "archive/records/run_summary.h"

namespace vintage::reports {

// One entry for each cause. `longest` bounds the listed causes; the pairs of the others are
// counted.
std::string runReportText(const archive::RunSummary& summary, size_t longest = 50);
// Complete, deterministic, with "format": "vintage run report", "version": 1.
std::string runReportJson(const archive::RunSummary& summary);

// JUnit XML, for the continuous-integration services that read it.
//
// One test suite for each (build, platform, mode), one test case for each pair. A failure that no
// limitation covers is a <failure>; a runner error and an undeclared skip are <error>; expected
// failures, unexpected passes and declared skips are <skipped>. An error of the run itself is an
// <error> in a suite of its own.
std::string junitXml(const archive::RunSummary& summary);

// Any bytes as text of an XML 1.0 document, escaped for content and for attributes in double
// quotes. Characters that XML 1.0 cannot hold, and bytes that are not UTF-8, become U+FFFD; line
// breaks become character references, so that they survive in attributes.
std::string xmlText(std::string_view text);

// "export 15.2 s (busy: lower and serialize 20.1 s, goldens 5.0 s); replay 4.7 s"
std::string phasesText(std::span<const archive::RunPhase> phases);
nlohmann::ordered_json phasesJson(std::span<const archive::RunPhase> phases);

// In an order that does not depend on the speed of workers; the same in all reports.
std::vector<const archive::Pair*> sortedPairs(const archive::RunSummary& summary);
std::vector<const archive::Pair*> sortedPairs(std::vector<const archive::Pair*> pairs);
std::vector<const archive::Pair*> sortedSkips(const archive::RunSummary& summary);
// Says that pairs failed and no operation is a suspect; empty otherwise.
std::string noSuspectText(const archive::RunSummary& summary);

}  // namespace vintage::reports
