#include "archive/store/change_log.h"

#include <pwd.h>
#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/record_json.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr size_t kLongestKept = 4096;

json shortened(const json& value) {
  const std::string text = jsonText(value);
  if (text.size() <= kLongestKept) return value;
  return {{"sha256", contentHash(text)}, {"bytes", text.size()}};
}

bool isKnown(const json& value) {
  return !value.is_null() && value != "" && !(value.is_array() && value.empty());
}

std::string findLocalAuthor() {
  char machine[256] = "";
  (void)::gethostname(machine, sizeof(machine) - 1);
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(::getuid(), &entry, buffer, sizeof(buffer), &found) != 0 || found == nullptr)
    return fmt::format("uid {}@{}", ::getuid(), machine);
  return fmt::format("{}@{}", found->pw_name, machine);
}

constexpr std::string_view kSelectChange =
    "SELECT id, at, who, what, subject, before, after FROM change";

RecordedChange changeOf(const Query& row) {
  const auto time = std::chrono::system_clock::time_point(std::chrono::seconds(row.integer(1)));
  return {row.integer(0), timeText(time), row.text(2), row.text(3),
          row.text(4),    row.text(5),    row.text(6)};
}

}  // namespace

const std::string& localAuthor() {
  static const std::string author = findLocalAuthor();
  return author;
}

Status noteChange(Database& database, const Author& author, std::string_view what,
                  std::string_view subject, const json& before, const json& after) {
  json was = json::object(), is = json::object();
  for (const auto& [key, value] : before.items()) {
    if (after.contains(key) && after[key] == value) continue;
    was[key] = shortened(value);
  }
  for (const auto& [key, value] : after.items()) {
    if (before.contains(key) && before[key] == value) continue;
    is[key] = shortened(value);
  }
  if (was.empty() && is.empty()) return {};
  return runWith(database, R"(
      INSERT INTO change (at, who, what, subject, before, after) VALUES (?, ?, ?, ?, ?, ?))",
                 author.seconds, author.name, what, subject, jsonText(was), jsonText(is));
}

std::string changedField(const json& before, const json& after) {
  for (const auto& [key, value] : before.items())
    if (isKnown(value) && !(after.contains(key) && after[key] == value)) return key;
  return {};
}

Status checkOnlyAdds(const Author& author, std::string_view subject, const json& before,
                     const json& after) {
  if (author.mayReplace) return {};
  const std::string field = changedField(before, after);
  if (field.empty()) return {};
  return conflict(
      "{} is kept with another '{}'; {} may add, and replaces nothing: give the new one another "
      "run or name, or let an admin replace it",
      subject, field, author.name);
}

Status checkRepeats(const Author& author, std::string_view subject, const json& before,
                    const json& after) {
  RETURN_IF_ERROR(checkOnlyAdds(author, subject, before, after));
  if (before == after) return {};
  return conflict(
      "{} is somebody else's; {} may repeat it, and adds nothing to it: report another run or a "
      "build of another name",
      subject, author.name);
}

Status noteChange(Archive& archive, std::string_view what, std::string_view subject,
                  const json& before, const json& after) {
  Archive::Implementation& self = archive.implementation();
  return self.inTransaction(
      [&] { return noteChange(*self.database, self.author(), what, subject, before, after); });
}

Result<std::vector<RecordedChange>> recordedChanges(const Archive& archive, size_t longest) {
  return selectRows<RecordedChange>(indexOf(archive),
                                    fmt::format("{} ORDER BY id DESC LIMIT ?", kSelectChange),
                                    changeOf, static_cast<int64_t>(longest));
}

Result<std::vector<RecordedChange>> changesOf(const Archive& archive, std::string_view what,
                                              std::string_view subject) {
  return selectRows<RecordedChange>(
      indexOf(archive),
      fmt::format("{} WHERE what = ? AND subject = ? ORDER BY id DESC", kSelectChange), changeOf,
      what, subject);
}

}  // namespace vintage::archive
