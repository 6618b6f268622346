#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/command/verb.h"
#include "primitives/case.h"

namespace vintage {
namespace {

class CasesVerb final : public Verb {
 public:
  const char* name() const override { return "cases"; }
  const char* summary() const override {
    return "List the catalogue: every use of every primitive that is exported";
  }
  const char* example() const override { return "vintage cases --primitive add --dtype bf16"; }
  void addOptions(CLI::App& app) override {
    app.add_flag("--count", count_, "Count them by primitive");
    app.add_option("--primitive", primitives_, "Of these primitives");
    app.add_option("--dtype", dtypes_, "With an argument of one of these element types");
    app.add_option("--variant", variants_, "Of these variants");
    app.add_option("--id", parts_, "With this text in their id");
  }

  Result<int> run(Console& console) override {
    std::set<std::string> known;
    for (const Case& one : catalogue()) known.insert(one.primitive);
    for (const std::string& primitive : primitives_)
      if (!known.contains(primitive))
        return failure(Error::Kind::kUsage,
                       fmt::format("--primitive: '{}' is not in the catalogue; 'vintage cases "
                                   "--count' lists all {}",
                                   primitive, known.size()));
    std::map<std::string, size_t> counts;
    nlohmann::json list = nlohmann::json::array();
    size_t total = 0;
    for (const Case& one : catalogue()) {
      if (!chosen(one)) continue;
      ++total;
      ++counts[one.primitive];
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
      console.printJson(count_ ? nlohmann::json({{"cases", total}, {"primitives", counts}})
                               : nlohmann::json({{"cases", list}}));
    } else {
      if (count_)
        for (const auto& [primitive, count] : counts)
          console.line(fmt::format("{:>6}  {}", count, primitive));
      console.line(fmt::format("{} cases of {} primitives", total, counts.size()));
    }
    return total > 0 ? kExitHolds : kExitNothingRan;
  }

 private:
  template <typename Test>
  static bool anyOrEmpty(const std::vector<std::string>& wanted, Test test) {
    return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), test);
  }

  bool chosen(const Case& one) const {
    return anyOrEmpty(primitives_, [&](const auto& name) { return one.primitive == name; }) &&
           anyOrEmpty(variants_, [&](const auto& name) { return one.variant == name; }) &&
           anyOrEmpty(parts_, [&](const auto& part) { return one.id.find(part) != std::string::npos; }) &&
           anyOrEmpty(dtypes_, [&](const auto& name) {
             return std::any_of(one.dtypes.begin(), one.dtypes.end(), [&](ElementType type) {
               return stablehloName(type) == name || dtypeName(type) == name;
             });
           });
  }

  bool count_ = false;
  std::vector<std::string> primitives_, dtypes_, variants_, parts_;
};

}  // namespace

std::unique_ptr<Verb> makeCasesVerb() { return std::make_unique<CasesVerb>(); }

}  // namespace vintage
