#include "archive/integrity/fsck_passes.h"

#include <set>

#include <fmt/format.h>

#include "archive/store/batch_put.h"

namespace vintage::archive {
namespace {

constexpr size_t kAskedTogether = 2000;            // Findings.
constexpr size_t kKeptTogether = size_t{8} << 20;  // Bytes of one transaction.

constexpr std::string_view kHowToHeal =
    "put or push the same content again, or run 'vintage fsck --repair --from PLACE' with an "
    "archive that has it (a folder, a service's URL, s3://BUCKET/PREFIX)";

}  // namespace

Status Healing::add(FsckFinding finding, bool needed) {
  if (needed) finding.remedy = kHowToHeal;
  if (!checker_.options.repair) return checker_.add(std::move(finding));
  if (checker_.indexDamaged) {
    finding.remedy = fmt::format("not healed, since the index is damaged: {}", kRestoreIndex);
    return checker_.add(std::move(finding));
  }
  ASSIGN_OR_RETURN(const auto healed, healFromHere(finding));
  if (healed || !needed) return checker_.add(std::move(finding));
  answers_[finding.content];
  waiting_.push_back(std::move(finding));
  return waiting_.size() < kAskedTogether ? Status() : finish();
}

Status Healing::finish() {
  if (waiting_.empty()) return {};
  for (AskedDonor& donor : checker_.donors) RETURN_IF_ERROR(ask(donor));
  for (FsckFinding& finding : waiting_) {
    const Answer& answer = answers_[finding.content];
    finding.healed = answer.healed;
    finding.remedy = answer.healed
                         ? fmt::format("healed: the same content was kept again, {}", answer.text)
                         : fmt::format("not healed: this archive holds no whole copy of it{}; {}",
                                       answer.text, kHowToHeal);
    RETURN_IF_ERROR(checker_.add(std::move(finding)));
  }
  waiting_.clear();
  answers_.clear();
  return {};
}

Result<bool> Healing::healFromHere(FsckFinding& finding) {
  const auto content = readLoose(checker_.archive, finding.content);
  if (!content) return false;
  const HashedContent hashed(*content);
  RETURN_IF_ERROR(heal(std::span(&hashed, 1)));
  finding.healed = true;
  finding.remedy = "healed: the same content was kept again";
  return true;
}

Status Healing::ask(AskedDonor& asked) {
  std::vector<ContentId> wanted;
  for (const auto& [id, answer] : answers_)
    if (!answer.healed) wanted.push_back(id);
  if (wanted.empty()) return {};
  const std::string& name = asked.donor.name;
  std::set<ContentId> open(wanted.begin(), wanted.end());
  Status kept;  // Ours: a full disk here is no fault of the donor's.
  std::vector<Arrived> arrived;
  size_t bytes = 0, answered = 0;
  const auto progress = [&](const ContentId& id) {
    open.erase(id);
    checker_.progress("healing", static_cast<int64_t>(++answered),
                      static_cast<int64_t>(wanted.size()));
  };
  const auto take = [&](const ContentId& id, std::vector<std::byte> content) -> Status {
    progress(id);
    bytes += content.size();
    arrived.push_back({id, std::move(content)});
    if (bytes < kKeptTogether) return {};
    bytes = 0;
    return kept = keep(arrived, name);
  };
  const auto lost = [&](const ContentId& id, const Error& error) -> Status {
    progress(id);
    refuse(id, fmt::format("{}: {}", name, error.message));
    return {};
  };
  if (!asked.givenUp) {
    const Status read = asked.donor.read(wanted, take, lost);
    if (kept) kept = keep(arrived, name);  // Also where it broke off: these did arrive.
    if (!kept) return kept;
    if (!read) asked.givenUp = read.error();
  }
  for (const ContentId& id : open)
    refuse(id, fmt::format("gave up on {}: {}", name,
                           asked.givenUp ? asked.givenUp->message : "it did not answer"));
  return {};
}

Status Healing::keep(std::vector<Arrived>& arrived, const std::string& donor) {
  std::vector<std::span<const std::byte>> views;
  for (const Arrived& one : arrived) views.emplace_back(one.bytes);
  std::vector<HashedContent> whole;
  const std::vector<HashedContent> hashed = hashContents(views);
  for (size_t index = 0; index < arrived.size(); ++index) {
    const ContentId& id = arrived[index].id;
    if (hashed[index].id() != id) {
      refuse(id, fmt::format("{} sent bytes that hash to {:.12}…", donor, hashed[index].id()));
      continue;
    }
    whole.push_back(hashed[index]);
    answers_[id] = {true, fmt::format("from {}", donor)};
  }
  RETURN_IF_ERROR(heal(whole));
  arrived.clear();
  return {};
}

Status Healing::heal(std::span<const HashedContent> contents) {
  RETURN_IF_ERROR(
      putBatch(checker_.archive, {.contents = contents, .holder = "repair", .heals = true}));
  return {};
}

void Healing::refuse(const ContentId& id, const std::string& why) {
  answers_[id].text += fmt::format("; {}", why);
}

}  // namespace vintage::archive
