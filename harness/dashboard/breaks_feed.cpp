#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/visible_text.h"
#include "harness/dashboard/lookup_site.h"
#include "reports/run_report.h"

namespace vintage::harness {

using nlohmann::json;
using reports::xmlText;

namespace {

// A UUID by `name` alone: version 8 of RFC 9562, whose other bits are free.
std::string uuidOf(const std::string& name) {
  const std::string hash = contentHash("vintage feed\n" + name);
  return fmt::format("urn:uuid:{}-{}-8{}-8{}-{}", hash.substr(0, 8), hash.substr(8, 4),
                     hash.substr(12, 3), hash.substr(15, 3), hash.substr(18, 12));
}

std::string plain(const json& text) { return xmlText(visible(text.get<std::string>())); }
std::string joined(const json& names) {
  return fmt::format("{}", fmt::join(names.get<std::vector<std::string>>(), ", "));
}

struct Entry {
  std::string published, updated, text;
};

Entry entryOf(const json& found, const std::map<std::string, std::string>& days,
              const std::string& address) {
  std::vector<std::string> seen;
  for (const json& consumer : found["consumers"]) seen.push_back(days.at(consumer));
  const auto [first, last] = std::ranges::minmax(seen);
  const std::string id = found["id"];
  const std::string fresh = found["condition"] == "fresh" ? " in a fresh process" : "";
  const std::string title =
      fmt::format("{}: {} in stage {}{}", joined(found["primitives"]),
                  found["outcome"].get<std::string>(), found["stage"].get<std::string>(), fresh);
  const std::string body =
      fmt::format("Exported by {}, fails on {}: {}", joined(found["producers"]),
                  joined(found["consumers"]), found["message"].get<std::string>());
  return {first, last,
          fmt::format(
              "  <entry>\n    <title>{}</title>\n    <id>{}</id>\n"
              "    <link rel=\"alternate\" type=\"text/html\" href=\"{}index.html#/break/{}\"/>\n"
              "    <published>{}T00:00:00Z</published>\n    <updated>{}T00:00:00Z</updated>\n"
              "    <content type=\"text\">{}</content>\n  </entry>\n",
              plain(title), uuidOf(id), xmlText(address), id, first, last, plain(body))};
}

}  // namespace

std::string breaksFeed(const json& history, const std::string& title, const std::string& address) {
  std::map<std::string, std::string> days;
  for (const json& release : history["releases"]) days[release["version"]] = release["released"];
  std::vector<Entry> entries;
  for (const json& found : history["breaks"]) entries.push_back(entryOf(found, days, address));
  std::ranges::stable_sort(entries, std::ranges::greater{}, &Entry::published);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
      "  <title>{}</title>\n  <id>{}</id>\n  <updated>{}T00:00:00Z</updated>\n"
      "  <author><name>Vintage</name></author>\n"
      "  <link rel=\"alternate\" type=\"text/html\" href=\"{}index.html\"/>\n",
      plain(title), uuidOf("breaks of " + title), plain(history["today"]), xmlText(address));
  if (!address.empty())
    text += fmt::format("  <link rel=\"self\" href=\"{}feed.xml\"/>\n", xmlText(address));
  for (const Entry& entry : entries) text += entry.text;
  return text + "</feed>\n";
}

}  // namespace vintage::harness
