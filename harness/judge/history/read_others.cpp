// Failures on other products than JAX's releases, as a site of the history shows them.
#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "archive/records/failure_class.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/judge/history/history.h"
#include "harness/judge/tables/consumer_table.h"
#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

constexpr size_t kDigitsOfCause = 12;

using Build = std::pair<Date, std::string>;
using Builds = std::set<Build>;  // The oldest first.

json namesOf(const Builds& builds) {
  json names = json::array();
  for (const Build& build : builds) names.push_back(build.second);
  return names;
}

struct OtherFailure {
  std::string failureClass, outcome, stage, message;
  std::set<std::string> primitives, dtypes, artifacts;
  Builds producers, consumers;
  std::map<std::string, int64_t> promises;  // Pairs of builds.
  int64_t bytes = 0;                        // Of the smallest artifact.
  json smallest = nullptr;
};

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t at = 2, end = 0; end != line.npos && at < line.size(); at = end + 3) {
    end = line.find(" | ", at);
    cells.push_back(line.substr(at, (end == line.npos ? line.size() - 2 : end) - at));
    std::erase(cells.back(), '\\');
  }
  return cells;
}

std::vector<std::string> wordsOf(std::string_view text, std::string_view between = ", ") {
  std::vector<std::string> words;
  for (const auto part : std::views::split(text, between))
    words.emplace_back(part.begin(), part.end());
  return words;
}

class Others {
 public:
  explicit Others(const json& history) {
    for (const json& part : history["reach"])
      if (part["kind"] == "primitive") primitives_.insert(part["name"].get<std::string>());
  }

  // A value of docs/measured/forward.json.
  Status addPair(const json& value, const std::string& place) {
    Status status;
    JsonObject pair(value, place, status);
    Build producer, consumer;
    pair.required("produced", producer.first);
    pair.required("producer", producer.second);
    pair.required("consumed", consumer.first);
    pair.required("consumer", consumer.second);
    RETURN_IF_ERROR(status);
    const std::string from = productOf(producer.second), on = productOf(consumer.second);
    measured_[{from, on}].insert(consumer);
    pair.list("failures", [&](const json& element, const std::string& where) {
      JsonObject found(element, where, status);
      OtherFailure one;
      std::string artifact;
      int64_t bytes = 0;
      found.optional("class", one.failureClass);
      found.required("outcome", one.outcome);
      found.required("stage", one.stage);
      found.required("message", one.message);
      found.required("artifact", artifact);
      found.required("bytes", bytes);
      const auto outcome = parseOutcome(one.outcome);
      if (!outcome) return found.fail(found.placeOf("outcome"), outcome.error().message);
      const std::string cause = causeOf(artifact, false, *outcome, one.message);
      OtherFailure& all =
          failures_.try_emplace({on, from, one.outcome, one.stage, cause}, one).first->second;
      all.artifacts.insert(artifact);
      all.producers.insert(producer);
      all.consumers.insert(consumer);
      ++all.promises[consumer.first > producer.first ? "backward" : "forward"];
      if (const std::string primitive = primitiveOf(artifact); !primitive.empty())
        all.primitives.insert(primitive);
      if (!all.smallest.is_null() && all.bytes <= bytes) return;
      all.bytes = bytes;
      all.message = one.message;
      all.smallest = {{"name", artifact},
                      {"bytes", bytes},
                      {"producer", producer.second},
                      {"consumer", consumer.second}};
    });
    return status;
  }

  // A page that consumerTable() wrote.
  Status addTable(const std::string& page) {
    std::map<std::string, Date> days;
    std::vector<Build> columns;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("| ") || line.starts_with("| ---")) continue;
      const auto cells = cellsOf(line);
      if (cells.size() < 2) return badInput("a row of two or more cells is expected: {}", line);
      if (cells[0] == "consumer") continue;
      if (cells.back() == kCollapsedHeading) {
        for (const std::string& heading : cells | std::views::take(cells.size() - 1)) {
          columns.push_back(columnOf(heading, days));
          if (columns.back().second.empty())
            return badInput("'{}' names none of the consumers above it", heading);
        }
      } else if (columns.empty()) {
        ASSIGN_OR_RETURN(days[cells[0]], parseDate(cells[1]));
      } else {
        for (size_t i = 0; i < std::min(cells.size() - 1, columns.size()); ++i)
          addCell(cells[i], cells.back(), columns[i]);
      }
    }
    if (columns.empty()) return badInput("a table of primitives and consumers is expected");
    return {};
  }

  json take() const {
    json all{{"days", json::object()}, {"measured", json::array()}, {"failures", json::array()}};
    const auto note = [&](const Builds& builds) {
      for (const auto& [day, name] : builds) all["days"][name] = formatDate(day);
    };
    for (const auto& [route, consumers] : measured_) {
      all["measured"].push_back(
          {{"from", route.first}, {"on", route.second}, {"consumers", namesOf(consumers)}});
      note(consumers);
    }
    for (const auto& [key, one] : failures_) {
      note(one.producers);
      const auto& [on, from, outcome, stage, cause] = key;
      const std::string id =
          contentHash(fmt::format("{}\n{}\n{}\n{}\n{}", on, from, outcome, stage, cause));
      all["failures"].push_back({{"id", id.substr(0, kDigitsOfCause)},
                                 {"on", on},
                                 {"from", from},
                                 {"class", one.failureClass},
                                 {"outcome", outcome},
                                 {"stage", stage},
                                 {"message", one.message},
                                 {"primitives", one.primitives},
                                 {"dtypes", one.dtypes},
                                 {"artifacts", one.artifacts},
                                 {"producers", namesOf(one.producers)},
                                 {"consumers", namesOf(one.consumers)},
                                 {"promises", one.promises},
                                 {"smallest", one.smallest}});
    }
    return all;
  }

 private:
  // "tensorflow-2.18.1 cpu eager, graph"
  static Build columnOf(const std::string& heading, const std::map<std::string, Date>& days) {
    Build column;
    for (const auto& [name, day] : days)
      if (heading.starts_with(name + " ") && name.size() > column.second.size())
        column = {day, name};
    return column;
  }

  // `uses`: "complex, float64: eigh, svd; float32: lu".
  void addCell(std::string_view cell, std::string_view uses, const Build& consumer) {
    if (cell == "untested") return;
    const std::string on = productOf(consumer.second);
    measured_[{"", on}].insert(consumer);
    const auto words = wordsOf(cell.substr(cell.starts_with('~') ? 1 : 0), "+");
    for (const FailureClass failure : failureClasses()) {
      if (!lists(words, failureClassWord(failure))) continue;
      for (const std::string& part : wordsOf(uses, "; ")) {
        const size_t colon = part.find(": ");
        if (colon == part.npos) continue;
        for (const std::string& primitive : wordsOf(std::string_view(part).substr(colon + 2))) {
          const std::string name(failureClassName(failure));
          OtherFailure& one = failures_[{on, "", "", "", primitive + "\n" + name}];
          one.failureClass = name;
          one.primitives = {primitive};
          one.consumers.insert(consumer);
          for (std::string& dtype : wordsOf(std::string_view(part).substr(0, colon)))
            one.dtypes.insert(std::move(dtype));
        }
      }
    }
  }

  // By the longest that the name of a test of JAX begins with: "jax:lu_shape_float32_3_5_/cpu".
  std::string primitiveOf(const std::string& artifact) const {
    const std::string name = artifact.substr(artifact.find(':') + 1);
    std::string longest;
    for (const std::string& one : primitives_)
      if (name.starts_with(one + "_") && one.size() > longest.size()) longest = one;
    return longest;
  }

  std::set<std::string> primitives_;
  // By (from, on): the consumers that ran anything.
  std::map<std::pair<std::string, std::string>, Builds> measured_;
  // By product, product of the artifacts, outcome, stage and cause.
  std::map<std::array<std::string, 5>, OtherFailure> failures_;
};

Status addFile(Others& others, const std::string& path) {
  ASSIGN_OR_RETURN(const auto text, readTextFile(path));
  if (path.ends_with(".md")) return others.addTable(text);
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return badInput("an object of pairs of builds is expected");
  for (const auto& [name, pair] : document.items()) RETURN_IF_ERROR(others.addPair(pair, name));
  return {};
}

}  // namespace

Result<json> readOthers(std::span<const std::string> paths, const json& history) {
  Others others(history);
  for (const std::string& path : paths)
    if (const Status added = addFile(others, path); !added)
      return badInput(
          "{}: {}; bench/forward/forward.py writes .json, 'vintage tables --consumers' .md", path,
          added.error().message);
  return others.take();
}

}  // namespace vintage::harness
