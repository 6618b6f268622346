#include "harness/command/source_trust.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "golden/base/file.h"

namespace vintage::harness::command {

std::string placeName(const std::string& place) {
  if (place.find("://") != std::string::npos) return place;
  std::error_code unknown;
  return std::filesystem::weakly_canonical(place, unknown).string();
}

void SourceTrust::addTo(CLI::App& app) {
  app.add_option("--public-key", publicKey_,
                 "Copy only from a source whose newest signed list is by this key, or by one that "
                 "follows it (docs/mirroring.md)");
  app.add_option("--pins", pins_,
                 "Where the newest list that was seen of each source is remembered (default: "
                 "~/.local/state/vintage/pins.json); empty: nowhere");
  app.add_flag("--without-lists", withoutLists_, "Leave signed lists out, and check none");
}

Status SourceTrust::prepare(const std::string& source, MirrorOptions& options) {
  if (withoutLists_ && !publicKey_.empty())
    return failure(Error::Kind::kUsage,
                   "--public-key needs the lists that --without-lists leaves out");
  options.lists = !withoutLists_;
  options.source = source_ = placeName(source);
  if (withoutLists_) return {};
  if (!publicKey_.empty()) {
    ASSIGN_OR_RETURN(const auto pem, readFile(publicKey_));
    ASSIGN_OR_RETURN(auto key,
                     SigningKey::readPublic({reinterpret_cast<const char*>(pem.data()), pem.size()},
                                            publicKey_));
    key_.emplace(std::move(key));
    options.trustedKey = &*key_;
  }
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (pins.path().empty()) return {};
  if (!key_) {
    ASSIGN_OR_RETURN(options.pins, pins.ofPlace(source_));
    return {};
  }
  ASSIGN_OR_RETURN(const auto pin, pins.find(source_, key_->fingerprint()));
  if (pin) options.pins = {*pin};
  return {};
}

Status SourceTrust::remember(const MirrorSummary& summary) const {
  const PinFile pins(pins_ ? *pins_ : PinFile::defaultPath());
  if (!summary.seen || !key_ || pins.path().empty()) return {};
  return pins.put(source_, key_->fingerprint(), *summary.seen);
}

nlohmann::json SourceTrust::toJson(const std::optional<Pin>& list) {
  if (!list) return nullptr;
  return {
      {"counter", list->counter}, {"hash", list->list}, {"key", list->key}, {"date", list->date}};
}

}  // namespace vintage::harness::command
