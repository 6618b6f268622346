#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

// What artifacts are grouped by, and the values of one of them.
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
      : Verb("list", "List the artifacts of an archive",
             "vintage list --archive A --primitive cholesky --platform cpu\n"
             "  vintage list --archive A --group-by producer") {}
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
    filter_.addTo(app);
  }

  Result<int> run(Console& console) override {
    const ArtifactFilter filter = filter_.filter();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
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
  bool count_ = false;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Verb> makeListVerb() { return std::make_unique<ListVerb>(); }

}  // namespace vintage::harness
