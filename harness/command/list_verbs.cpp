// `vintage list` and `vintage cases`: what an archive and the catalogue hold.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "primitives/catalogue/case.h"
#include "primitives/limitations/limitations.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;
using namespace archive;
using namespace reports;

namespace {

// The properties that group artifacts, and an artifact's values of each.
using Labels = std::vector<std::string>;
using Values = Labels (*)(const ArtifactRecord&);
const std::map<std::string, Values> kGroups{
    {"dtype", [](const ArtifactRecord& record) { return record.dtypes; }},
    {"format", [](const ArtifactRecord& record) { return Labels{formatName(record.format)}; }},
    {"platform", [](const ArtifactRecord& record) { return record.platforms; }},
    {"primitive", [](const ArtifactRecord& record) { return Labels{record.primitive}; }},
    {"producer", [](const ArtifactRecord& record) { return Labels{record.producer}; }},
    {"target", [](const ArtifactRecord& record) { return record.customCallTargets; }},
    {"variant", [](const ArtifactRecord& record) { return Labels{record.variant}; }},
};

struct Group {
  int64_t artifacts = 0;
  Date oldest = Date::max(), newest = Date::min();
};

class ListVerb final : public Verb {
 public:
  ListVerb()
      : Verb("list", "List the artifacts of an archive, or its runs",
             "vintage list --archive A --primitive cholesky --platform cpu\n"
             "  vintage list --archive A --group-by producer\n"
             "  vintage list --archive A --runs") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    auto* count = app.add_flag("--count", count_, "Only print how many there are");
    std::vector<std::string> groups;
    for (const auto& [name, values] : kGroups) groups.push_back(name);
    app.add_option("--group-by", groupBy_,
                   "Print how many there are of each, and the days of their producers: " +
                       fmt::format("{}", fmt::join(groups, ", ")))
        ->check(CLI::IsMember(groups))
        ->excludes(count);
    app.add_flag("--runs", runs_, "List the runs instead: id, kind, label, reporter and verdict")
        ->excludes(count)
        ->excludes("--group-by");
    filter_.addTo(app);
  }

  Result<int> run(Console& console) override {
    const ArtifactFilter filter = filter_.filter();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    if (runs_) {
      if (filter != ArtifactFilter())
        return usageError("--runs lists runs, and the other options choose artifacts");
      return printRuns(archive, console);
    }
    if (count_) {
      ASSIGN_OR_RETURN(const auto count, archive.count(filter));
      console.answer({{"count", count}}, countText(count));
      return kExitHolds;
    }
    if (!groupBy_.empty()) return printGroups(archive, filter, console);
    // Printed one by one: an archive may hold more than fits into memory.
    int64_t count = 0;
    RETURN_IF_ERROR(archive.forEach(filter, [&](const ArtifactRecord& record) {
      if (console.json())
        console.print((count == 0 ? "[\n" : ",\n") + indented(recordJson(record)));
      else
        console.line("{:.12}  {}  {:<24}  {:<5} {:<14} {:<18} {}", record.id,
                     formatDate(record.buildDate), record.producer,
                     fmt::format("{}", fmt::join(record.platforms, ",")), record.variant,
                     record.primitive.empty() ? "-" : record.primitive, record.name);
      ++count;
      return true;
    }));
    if (console.json())
      console.line(count == 0 ? "[]" : "\n]");
    else
      console.print(countText(count));
    return kExitHolds;
  }

 private:
  static Result<int> printRuns(const Archive& archive, Console& console) {
    ASSIGN_OR_RETURN(const auto runs, archive.runs());
    nlohmann::json list = nlohmann::json::array();
    std::vector<std::vector<std::string>> lines{{"run", "kind", "label", "reported by", "verdict"}};
    const auto orDash = [](const std::string& text) { return text.empty() ? "-" : text; };
    for (const RunRecord& run : runs) {
      nlohmann::json record = recordJson(run);
      record.erase("verdict");  // Its notes, which no list holds.
      list.push_back(std::move(record));
      lines.push_back({run.id, orDash(run.kind), orDash(run.label), orDash(run.reporter),
                       run.finished.empty() ? "not finished" : orDash(run.result)});
    }
    console.answer(list, textTable(lines) + counted(runs.size(), "run") + "\n");
    return kExitHolds;
  }

  Result<int> printGroups(const Archive& archive, const ArtifactFilter& filter,
                          Console& console) const {
    std::map<std::string, Group> groups;
    int64_t count = 0;
    RETURN_IF_ERROR(archive.forEach(filter, [&](const ArtifactRecord& record) {
      ++count;
      auto values = kGroups.at(groupBy_)(record);
      if (values.empty()) values.emplace_back();
      for (const std::string& value : values) {
        Group& group = groups[value];
        ++group.artifacts;
        group.oldest = std::min(group.oldest, record.buildDate);
        group.newest = std::max(group.newest, record.buildDate);
      }
      return true;
    }));
    nlohmann::json list = nlohmann::json::array();
    std::vector<std::vector<std::string>> lines{{groupBy_, "artifacts", "oldest", "newest"}};
    for (const auto& [value, group] : groups) {
      const std::string oldest = formatDate(group.oldest), newest = formatDate(group.newest);
      list.push_back({{"value", value},
                      {"artifacts", group.artifacts},
                      {"oldest", oldest},
                      {"newest", newest}});
      lines.push_back(
          {value.empty() ? "-" : value, std::to_string(group.artifacts), oldest, newest});
    }
    console.answer({{"group_by", groupBy_}, {"groups", list}, {"count", count}},
                   textTable(lines) + countText(count));
    return kExitHolds;
  }

  static std::string countText(int64_t count) {
    return fmt::format("{} artifact{}\n", count, count == 1 ? "" : "s");
  }
  // As printJson prints an element of a list.
  static std::string indented(const nlohmann::json& value) {
    std::string text = "  ";
    for (const char character :
         value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) {
      text += character;
      if (character == '\n') text += "  ";
    }
    return text;
  }

  std::string archive_, groupBy_;
  bool count_ = false, runs_ = false;
  FilterOptions filter_;
};

// How often each primitive, and each variant on each platform and in each mode,
// stands in a part of the catalogue.
class CaseCounts {
 public:
  void add(const Case& one) {
    ++total_;
    ++primitives_[one.primitive];
    ++variants_[one.variant];
    for (const std::string& platform : one.platforms) {
      ++byPrimitive_[one.primitive][platform];
      for (const std::string& mode : knownModes()) {
        const bool runs = !findLimitation(limitations(), one, platform, mode);
        ++(runs ? runs_ : limited_)[one.variant][platform][mode];
      }
    }
  }

  size_t total() const { return total_; }
  size_t primitives() const { return primitives_.size(); }

  nlohmann::json json() const {
    return {{"cases", total_},
            {"primitives", primitives_},
            {"primitive_count", primitives_.size()},
            {"variants", variants_},
            {"by_primitive_and_platform", byPrimitive_},
            {"by_variant_platform_mode", runs_},
            {"limited", limited_}};
  }

  void print(Console& console) {
    std::string header = fmt::format("{:>7}  {:<28}", "cases", "primitive");
    for (const std::string& platform : knownPlatforms()) header += fmt::format("{:>7}", platform);
    console.line(header);
    for (const auto& [primitive, count] : primitives_) {
      std::string line = fmt::format("{:>7}  {:<28}", count, primitive);
      for (const std::string& platform : knownPlatforms())
        line += fmt::format("{:>7}", byPrimitive_[primitive][platform]);
      console.line(line);
    }
    console.line("");
    console.line("{:<16}{:<10}{:>10}{:>10}{:>10}", "variant", "mode", "platform", "cases",
                 "limited");
    for (const auto& [variant, unused] : variants_)
      for (const std::string& platform : knownPlatforms())
        for (const std::string& mode : knownModes()) {
          const size_t runs = runs_[variant][platform][mode];
          const size_t limited = limited_[variant][platform][mode];
          if (runs + limited > 0)
            console.line("{:<16}{:<10}{:>10}{:>10}{:>10}", variant, mode, platform, runs, limited);
        }
    console.line("");
  }

 private:
  using Counts = std::map<std::string, size_t>;
  size_t total_ = 0;
  Counts primitives_, variants_;
  std::map<std::string, Counts> byPrimitive_;  // By platform.
  // By variant, platform and mode: what runs, and what a declaration says does not.
  std::map<std::string, std::map<std::string, Counts>> runs_, limited_;
};

class CasesVerb final : public Verb {
 public:
  CasesVerb()
      : Verb("cases", "List the cases of the catalogue",
             "vintage cases --primitive add --dtype bf16") {}
  void addOptions(CLI::App& app) override {
    app.add_flag("--count", count_, "Count cases by primitive, platform, mode and variant");
    app.add_option("--primitive", primitives_, "Only these primitives");
    app.add_option("--dtype", dtypes_, "Only cases with an argument of these element types");
    app.add_option("--variant", variants_, "Only these variants");
    app.add_option("--id", parts_, "Only cases with this text in their id");
  }

  Result<int> run(Console& console) override {
    std::set<std::string> known;
    for (const Case& one : catalogue()) known.insert(one.primitive);
    for (const std::string& primitive : primitives_)
      if (!known.contains(primitive))
        return usageError(
            "--primitive: '{}' is not in the catalogue; 'vintage cases --count' lists all {}",
            primitive, known.size());
    CaseCounts counts;
    nlohmann::json list = nlohmann::json::array();
    for (const Case& one : catalogue()) {
      if (!chosen(one)) continue;
      counts.add(one);
      if (count_) continue;
      if (console.json())
        list.push_back({{"id", one.id},
                        {"primitive", one.primitive},
                        {"variant", one.variant},
                        {"oracle", one.oracle},
                        {"platforms", one.platforms}});
      else
        console.line(one.id);
    }
    if (console.json()) {
      console.printJson(count_ ? counts.json() : nlohmann::json({{"cases", list}}));
    } else {
      if (count_) counts.print(console);
      console.line("{} of {}", counted(counts.total(), "case"),
                   counted(counts.primitives(), "primitive"));
    }
    return counts.total() > 0 ? kExitHolds : kExitNothingRan;
  }

 private:
  template <typename Test>
  static bool anyOrEmpty(const std::vector<std::string>& wanted, Test test) {
    return wanted.empty() || std::ranges::any_of(wanted, test);
  }

  bool chosen(const Case& one) const {
    return anyOrEmpty(primitives_, [&](const auto& name) { return one.primitive == name; }) &&
           anyOrEmpty(variants_, [&](const auto& name) { return one.variant == name; }) &&
           anyOrEmpty(parts_,
                      [&](const auto& part) { return one.id.find(part) != std::string::npos; }) &&
           anyOrEmpty(dtypes_, [&](const auto& name) {
             return std::ranges::any_of(one.dtypes, [&](ElementType type) {
               return stablehloName(type) == name || dtypeName(type) == name;
             });
           });
  }

  bool count_ = false;
  std::vector<std::string> primitives_, dtypes_, variants_, parts_;
};

}  // namespace

std::unique_ptr<Verb> makeListVerb() { return std::make_unique<ListVerb>(); }
std::unique_ptr<Verb> makeCasesVerb() { return std::make_unique<CasesVerb>(); }

}  // namespace vintage::harness
