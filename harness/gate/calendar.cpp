#include "harness/gate/gate.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::harness {
using namespace archive;

namespace {

class Calendar {
 public:
  explicit Calendar(const Change& change) : change_(change) {}

  std::vector<CalendarEntry> make() {
    for (const RegisteredTarget& target : change_.after.targets)
      if (isConcerned(target)) addTarget(target);
    for (const RegisteredTarget& target : change_.after.targets)
      if (target.removedOn)
        add(target.name, target.name + " is announced to be removed", *target.removedOn);
    addRange("calling convention", change_.before.callingConvention,
             change_.after.callingConvention);
    addRange("serialization version", change_.before.serialization, change_.after.serialization);
    std::ranges::sort(out_, [](const CalendarEntry& a, const CalendarEntry& b) {
      if (a.date.has_value() != b.date.has_value()) return a.date.has_value();
      return std::tie(a.date, a.subject, a.what) < std::tie(b.date, b.subject, b.what);
    });
    return std::move(out_);
  }

 private:
  // Whether the change adds the target, moves one of its days, or removes its predecessor. The
  // calendar of a runtime with a hundred successions lists only these.
  bool isConcerned(const RegisteredTarget& target) const {
    const RegisteredTarget* before = change_.was(target);
    if (before == nullptr || before->since != target.since || before->exported != target.exported ||
        before->exportedSince != target.exportedSince || before->replaces != target.replaces)
      return true;
    const auto goes = [&](const std::string& replaced) {
      const auto leaves = [&](const RegisteredTarget& old) {
        return old.name == replaced &&
               change_.find(change_.after, old.name, old.platform) == nullptr;
      };
      return std::ranges::any_of(change_.before.targets, leaves) ||
             (change_.stable(change_.before, replaced) != nullptr &&
              change_.stable(change_.after, replaced) == nullptr);
    };
    return std::ranges::any_of(target.replaces, goes);
  }

  void add(const std::string& subject, std::string what, Date date, std::string sum = "") {
    out_.push_back({date, subject, std::move(what), std::move(sum)});
  }
  void add(const std::string& subject, std::string what, LegalDate legal) {
    add(subject, std::move(what), legal.date, std::move(legal.sum));
  }

  void addTarget(const RegisteredTarget& target) {
    const RegisteredTarget* before = change_.was(target);
    const Date introduced =
        target.since.value_or(before == nullptr ? change_.today : change_.before.buildDate);
    const std::string replaced = fmt::format("{}", fmt::join(target.replaces, ", "));
    const std::string subject =
        target.replaces.empty() ? target.name : replaced + " -> " + target.name;
    add(subject, fmt::format("{} comes into consumers (D)", target.name), introduced);
    add(subject, fmt::format("exports may call {}, and its golden is due", target.name),
        after(introduced, "D", change_.forward()));
    if (target.replaces.empty()) return;
    if (const RuntimeDescription* release = change_.firstRelease(introduced, target.name)) {
      add(subject,
          fmt::format("{} is the first release with {} (RELEASE)", release->name, target.name),
          release->day());
      add(subject, replaced + " may be removed",
          after(release->day(), "RELEASE", change_.backward()));
    } else {
      out_.push_back({std::nullopt, subject,
                      fmt::format("{} may be removed {} after the first release with {}", replaced,
                                  change_.backward().span(), target.name),
                      ""});
    }
  }

  void addRange(const char* name, const VersionRange& before, const VersionRange& now) {
    if (now.newest <= before.newest) return;
    const std::string subject = fmt::format("{} {}", name, now.newest);
    const Date since = now.newestSince.value_or(change_.today);
    add(subject, "consumers read it (D)", since);
    add(subject, "it may become the default", after(since, "D", change_.forward()));
    if (const auto days = change_.policy.defaultBumpDays)
      add(subject, "the policy of a month lets it become the default",
          after(since, "D", PromiseRule{"", Promise::kForward, *days, 0, 0, {}}));
    if (now.byDefault == now.newest)
      add(subject, "older ones may be dropped",
          outOfWindow(change_.today, "it is the default", change_.backward()));
    else
      out_.push_back(
          {std::nullopt, subject,
           fmt::format("older ones may be dropped {} after the last build that does not export it "
                       "by default",
                       change_.backward().span()),
           ""});
  }

  const Change& change_;
  std::vector<CalendarEntry> out_;
};

}  // namespace

std::vector<CalendarEntry> calendarOf(const Change& change) { return Calendar(change).make(); }

}  // namespace vintage::harness
