#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "harness/command/filter_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class ListVerb final : public Verb {
 public:
  ListVerb()
      : Verb("list", "List the artifacts of an archive",
             "vintage list --archive A --primitive cholesky --platform cpu") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_flag("--count", count_, "Only print how many there are");
    filter_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto filter, filter_.filter());
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    if (count_) {
      ASSIGN_OR_RETURN(const auto count, archive.count(filter));
      if (console.json())
        console.printJson({{"count", count}});
      else
        tellCount(count, console);
      return kExitHolds;
    }
    // Printed one by one: an archive may hold more than fits into memory.
    int64_t count = 0;
    const Status status = archive.forEach(filter, [&](const ArtifactRecord& record) {
      if (console.json())
        console.print((count == 0 ? "[\n" : ",\n") + indented(recordJson(record)));
      else
        console.line("{:.12}  {}  {:<5} {:<14} {}", record.id, formatDate(record.buildDate),
                     fmt::join(record.platforms, ","), record.variant, record.name);
      ++count;
      return true;
    });
    if (!status) return tl::unexpected<Error>(status.error());
    if (console.json())
      console.line(count == 0 ? "[]" : "\n]");
    else
      tellCount(count, console);
    return kExitHolds;
  }

 private:
  static void tellCount(int64_t count, Console& console) {
    console.line("{} artifact{}", count, count == 1 ? "" : "s");
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

  std::string archive_;
  bool count_ = false;
  FilterOptions filter_;
};

}  // namespace

std::unique_ptr<Verb> makeListVerb() { return std::make_unique<ListVerb>(); }

}  // namespace vintage::harness::command
