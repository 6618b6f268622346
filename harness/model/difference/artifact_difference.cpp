#include "harness/model/difference/artifact_difference.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/utf8.h"
#include "harness/importer/inspect.h"
#include "harness/model/model_folder.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kLongestLine = 160;
// Facts that other parts of the answer show, or that name one artifact.
const std::set<std::string, std::less<>> kShownElsewhere{
    "operations", "custom_call_targets", "id", "golden", "bytes", "name"};

std::vector<ArtifactDifference::Fact> differingFacts(const json& first, const json& second) {
  std::vector<ArtifactDifference::Fact> facts;
  std::set<std::string> names;
  for (const json* side : {&first, &second})
    for (const auto& [name, value] : side->items())
      if (!kShownElsewhere.contains(name)) names.insert(name);
  const auto valueOf = [](const json& side, const std::string& name) {
    return side.contains(name) ? side.at(name) : json();
  };
  for (const std::string& name : names) {
    const json a = valueOf(first, name), b = valueOf(second, name);
    if (a == b || (a.empty() && b.empty())) continue;
    facts.push_back({name, a.is_null() ? "-" : textOf(a), b.is_null() ? "-" : textOf(b)});
  }
  return facts;
}

std::vector<ArtifactDifference::Count> differingCounts(const json& first, const json& second) {
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  for (const auto& [name, count] : first.items()) counts[name].first = count.get<int64_t>();
  for (const auto& [name, count] : second.items()) counts[name].second = count.get<int64_t>();
  std::vector<ArtifactDifference::Count> differing;
  for (const auto& [name, count] : counts)
    if (count.first != count.second) differing.push_back({name, count.first, count.second});
  return differing;
}

std::string_view takeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void findFirstLine(std::string_view first, std::string_view second,
                   ArtifactDifference& difference) {
  for (int line = 1; !first.empty() || !second.empty(); ++line) {
    const std::string_view a = takeLine(first), b = takeLine(second);
    if (a == b) continue;
    difference.line = line;
    difference.firstLine = a;
    difference.secondLine = b;
    return;
  }
}

std::vector<std::string> missingIn(std::vector<std::string> all,
                                   const std::vector<std::string>& there) {
  std::erase_if(all, [&](const std::string& one) { return std::ranges::count(there, one) > 0; });
  return all;
}

// Producer and day are the archive's to say, the rest the bytes'.
json factsOf(const ComparedArtifact& compared, const Inspection& inspection, bool withProducer) {
  json facts = inspection.details;
  facts["minimum_version"] = facts.at("minimum_version").at("version");
  const json known = recordJson(compared.record);
  for (const char* field : {"producer", "build_date", "case"})
    if (withProducer) facts[field] = known.at(field);
  return facts;
}

std::string cut(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return shortened(line, kLongestLine);
}

}  // namespace

std::string textOf(const json& fact) {
  if (fact.is_string()) return fact.get<std::string>();
  if (!fact.is_array()) return fact.dump();
  std::vector<std::string> parts;
  for (const json& element : fact) {
    if (element.is_object() && element.contains("dtype") && element.contains("shape"))
      parts.push_back(
          fmt::format("{}[{}]", element["dtype"].get<std::string>(),
                      fmt::join(element["shape"].get<std::vector<std::string>>(), ",")));
    else
      parts.push_back(textOf(element));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<ComparedArtifact> readCompared(const std::string& what, const Archive* archive) {
  ComparedArtifact compared;
  compared.name = what;
  std::error_code problem;
  if (fs::is_directory(what, problem)) {
    ASSIGN_OR_RETURN(auto put, readModelFolder(what));
    compared.record = std::move(put.record);
    compared.bytes = std::move(put.bytes);
    compared.golden = std::move(put.golden);
    return compared;
  }
  if (fs::exists(what, problem)) {
    ASSIGN_OR_RETURN(compared.bytes, readFile(what));
    return compared;
  }
  if (!archive)
    return notFound("{}: no such file or folder; an id or a name takes --archive", what);
  ASSIGN_OR_RETURN(compared.record, archive->find(what));
  ASSIGN_OR_RETURN(compared.bytes, archive->read(compared.record.id));
  if (!compared.record.golden.empty()) {
    ASSIGN_OR_RETURN(compared.golden, archive->readGolden(compared.record));
  }
  return compared;
}

bool ArtifactDifference::same() const {
  return facts.empty() && targetsOnlyInFirst.empty() && targetsOnlyInSecond.empty() &&
         operations.empty() && line == 0 && arrays.empty();
}

Result<ArtifactDifference> compareArtifacts(const ComparedArtifact& first,
                                            const ComparedArtifact& second) {
  InspectOptions options;
  options.text.emplace();
  options.operations = options.minimumVersion = true;
  ASSIGN_OR_RETURN(const auto a, inspectArtifact(first.bytes, first.name, options));
  ASSIGN_OR_RETURN(const auto b, inspectArtifact(second.bytes, second.name, options));
  ArtifactDifference difference;
  difference.sameBytes = first.bytes == second.bytes;
  const bool archived = !first.record.producer.empty() && !second.record.producer.empty();
  difference.facts = differingFacts(factsOf(first, a, archived), factsOf(second, b, archived));
  difference.targetsOnlyInFirst = missingIn(a.record.customCallTargets, b.record.customCallTargets);
  difference.targetsOnlyInSecond =
      missingIn(b.record.customCallTargets, a.record.customCallTargets);
  difference.operations = differingCounts(a.details.at("operations"), b.details.at("operations"));
  findFirstLine(a.text, b.text, difference);
  if (first.golden && second.golden) {
    difference.arrays =
        compareArrays(named("input", first.golden->inputs), named("input", second.golden->inputs));
    std::ranges::move(compareArrays(named("output", first.golden->expected),
                                    named("output", second.golden->expected)),
                      std::back_inserter(difference.arrays));
  }
  return difference;
}

std::string textOf(const ArtifactDifference& difference) {
  if (difference.sameBytes && difference.same()) return "the same bytes and golden\n";
  std::string text;
  if (difference.sameBytes) text += "the same bytes\n";
  for (const auto& fact : difference.facts)
    text += fmt::format("{:<36}{}  ->  {}\n", fact.what, cut(fact.first), cut(fact.second));
  for (const std::string& target : difference.targetsOnlyInFirst)
    text += fmt::format("target                              - {}\n", target);
  for (const std::string& target : difference.targetsOnlyInSecond)
    text += fmt::format("target                              + {}\n", target);
  for (const auto& count : difference.operations)
    text += fmt::format("{:<36}{}  ->  {}\n", count.operation, count.first, count.second);
  if (difference.line > 0)
    text += fmt::format("the text differs first in line {}\n- {}\n+ {}\n", difference.line,
                        cut(difference.firstLine), cut(difference.secondLine));
  text += textOf(std::span(difference.arrays));
  if (text.empty()) text = "other bytes that say the same\n";
  return text;
}

json toJson(const ArtifactDifference& difference) {
  json facts = json::array(), operations = json::array();
  for (const auto& fact : difference.facts)
    facts.push_back({{"what", fact.what}, {"first", fact.first}, {"second", fact.second}});
  for (const auto& count : difference.operations)
    operations.push_back(
        {{"operation", count.operation}, {"first", count.first}, {"second", count.second}});
  json line;
  if (difference.line > 0)
    line = {{"number", difference.line},
            {"first", difference.firstLine},
            {"second", difference.secondLine}};
  return {{"same", difference.same()},
          {"same_bytes", difference.sameBytes},
          {"facts", facts},
          {"targets",
           {{"only_in_first", difference.targetsOnlyInFirst},
            {"only_in_second", difference.targetsOnlyInSecond}}},
          {"operations", operations},
          {"first_differing_line", line},
          {"arrays", toJson(std::span(difference.arrays))}};
}

}  // namespace vintage::harness
