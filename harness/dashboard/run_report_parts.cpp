#include "harness/dashboard/run_report_parts.h"

#include "golden/base/failures.h"

namespace vintage::harness::dashboard {

using nlohmann::json;

namespace {

// Ends the parse once the outermost object's "verdict" was read.
class VerdictFinder final : public nlohmann::json_sax<json> {
 public:
  std::string verdict;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ != 1 || !isVerdict_) return true;
    verdict = std::move(text);
    return false;
  }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) isVerdict_ = name == "verdict";
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  int depth_ = 0;
  bool isVerdict_ = false;
};

}  // namespace

std::string verdictOfReport(std::string_view report) {
  VerdictFinder finder;
  (void)json::sax_parse(report, &finder);
  return finder.verdict;
}

json accuracyOfReport(std::string_view report) {
  // Only this field of the outermost object is kept: "pairs" may be thousands.
  const auto keep = [](int depth, json::parse_event_t event, json& parsed) {
    return depth != 1 || event != json::parse_event_t::key || parsed == "accuracy";
  };
  const json parsed = json::parse(report, keep, false);
  if (!parsed.is_object()) return json::array();
  const auto rows = parsed.find("accuracy");
  return rows != parsed.end() && rows->is_array() ? *rows : json::array();
}

}  // namespace vintage::harness::dashboard
