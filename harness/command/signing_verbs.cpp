#include <fmt/format.h>

#include "archive/integrity/signing.h"
#include "archive/retention/retention.h"
#include "archive/store/change_log.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

class SignVerb final : public Verb {
 public:
  SignVerb()
      : Verb("sign", "Sign the artifacts of an archive, and the list of all of them",
             "openssl genpkey -algorithm ed25519 -out key.pem\n"
             "  openssl pkey -in key.pem -pubout -out public.pem\n"
             "  vintage sign --archive A --key key.pem\n"
             "  vintage fsck --archive A --public-key public.pem") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--key", key_, "The private half of an Ed25519 key (PEM)")->required();
    today_.addTo(app, "The day of the list (YYYY-MM-DD)");
    app.add_flag("--emptied", emptied_,
                 "Also sign records whose signature is gone: after a person checked them");
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto key, SigningKey::readPrivateFile(key_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    const Date day = today_.date();
    ASSIGN_OR_RETURN(const auto report, signArchive(archive, key, day, emptied_));
    console.answerLine({{"archive", archive_},
                        {"day", formatDate(day)},
                        {"key", key.fingerprint()},
                        {"artifacts", report.artifacts},
                        {"signed_now", report.signedNow},
                        {"filled_in", report.filledIn},
                        {"counter", report.counter},
                        {"removals", report.removals},
                        {"changes", report.changes},
                        {"digest", report.digest}},
                       "Key {} signed {} anew ({} of them filled in since), and list {} of {} with "
                       "{} ({:.12}), {} and {} since the list before.",
                       key.fingerprint(), counted(report.signedNow, "artifact"), report.filledIn,
                       report.counter, formatDate(day), counted(report.artifacts, "artifact"),
                       report.digest, counted(report.removals, "removal"),
                       counted(report.changes, "change"));
    return kExitHolds;
  }

 private:
  std::string archive_, key_;
  TodayOption today_;
  bool emptied_ = false;
};

class KeyVerb final : public Verb {
 public:
  KeyVerb()
      : Verb("key", "Name the successor of the key that signs an archive, or revoke a key",
             "vintage key rotate --archive A --key old.pem --next new-public.pem\n"
             "  vintage sign --archive A --key new.pem\n"
             "  vintage key revoke --archive A --key new.pem --revoked old-public.pem\n"
             "  vintage key list --archive A") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ACTION", action_, "rotate, revoke or list")
        ->required()
        ->check(CLI::IsMember({"rotate", "revoke", "list"}));
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option(
        "--key", key_,
        "The private half of the current key (PEM), which signs the statement; to revoke, "
        "also of a successor");
    app.add_option("--next", next_, "rotate: the public half of the successor (PEM)");
    app.add_option("--revoked", revoked_,
                   "revoke: the public half of the key to revoke (default: --key itself)");
    today_.addTo(app, "The day of the statement (YYYY-MM-DD)");
  }

  Result<int> run(Console& console) override {
    if (action_ == "list") return list(console);
    const Date day = today_.date();
    if (key_.empty()) return usageError("--key is required");
    ASSIGN_OR_RETURN(const auto key, SigningKey::readPrivateFile(key_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    if (action_ == "rotate") {
      if (next_.empty()) return usageError("rotate: --next is required");
      ASSIGN_OR_RETURN(const auto next, SigningKey::readPublicFile(next_));
      RETURN_IF_ERROR(rotateKey(archive, key, next, day));
      report(console, key.fingerprint(),
             fmt::format("Key {} follows key {}. Sign the archive with it now: "
                         "'vintage sign --archive {} --key …'",
                         next.fingerprint(), key.fingerprint(), archive_));
      return kExitHolds;
    }
    ASSIGN_OR_RETURN(const auto revoked, readPublicKey(revoked_));
    RETURN_IF_ERROR(revokeKey(archive, key, revoked ? *revoked : key, day));
    const std::string& name = (revoked ? *revoked : key).fingerprint();
    report(console, name,
           fmt::format("Key {} is revoked: what it signs from now on does not count.", name));
    return kExitHolds;
  }

 private:
  void report(Console& console, const std::string& key, const std::string& line) const {
    console.answer({{"archive", archive_}, {"action", action_}, {"key", key}}, line + "\n");
  }

  Result<int> list(Console& console) const {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto statements, keyStatements(archive));
    nlohmann::json lines = nlohmann::json::array();
    for (const KeyStatement& said : statements) {
      const bool rotates = said.action == "rotate";
      console.row(lines,
                  {{"action", said.action},
                   {"key", said.key},
                   {"next_key", said.nextKey},
                   {"signer", said.signer},
                   {"date", said.date},
                   {"last_counter", said.after}},
                  "{}: key {} says that {} {} after list {}", said.date,
                  rotates ? said.key : said.signer, rotates ? said.nextKey : said.key,
                  rotates ? "follows it" : "is revoked", said.after);
    }
    console.answerLine({{"archive", archive_}, {"statements", lines}},
                       "Statements: {}. 'vintage fsck --public-key' checks them.",
                       statements.size());
    return kExitHolds;
  }

  std::string action_, archive_, key_, next_, revoked_;
  TodayOption today_;
};

class AuditVerb final : public Verb {
 public:
  AuditVerb()
      : Verb("audit", "List replaced and removed records of an archive, with author and time",
             "vintage audit --archive A --newest 50") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    addDefaulted(app, "--newest", newest_, "At most this many changes, and as many removals",
                 CLI::Range(1, 10'000'000));
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto changes, recordedChanges(archive, newest_));
    ASSIGN_OR_RETURN(const auto removals, recordedRemovals(archive, newest_));
    const auto parsed = [](const std::string& text) {
      return nlohmann::json::parse(text, nullptr, false);
    };
    nlohmann::json lines = nlohmann::json::array(), gone = nlohmann::json::array();
    for (const RecordedChange& change : changes)
      console.row(lines,
                  {{"at", change.at},
                   {"who", change.who},
                   {"what", change.what},
                   {"subject", change.subject},
                   {"before", parsed(change.before)},
                   {"after", parsed(change.after)}},
                  "{}  {}: {}: {}: {} -> {}", change.at, change.who, change.what, change.subject,
                  change.before, change.after);
    for (const RecordedRemoval& removal : removals)
      console.row(gone,
                  {{"at", removal.removed},
                   {"name", removal.name},
                   {"producer", removal.producer},
                   {"artifact", removal.artifact},
                   {"build_date", formatDate(removal.buildDate)},
                   {"reason", removal.reason}},
                  "{}  retention: artifact removed: {} of {}: {}", removal.removed, removal.name,
                  removal.producer, removal.reason);
    console.answerLine({{"archive", archive_}, {"changes", lines}, {"removals", gone}},
                       "{} changes, {} removals. 'vintage sign' signs both, 'vintage fsck "
                       "--public-key' checks them.",
                       changes.size(), removals.size());
    return kExitHolds;
  }

 private:
  std::string archive_;
  size_t newest_ = 100;
};

}  // namespace

std::unique_ptr<Verb> makeSignVerb() { return std::make_unique<SignVerb>(); }
std::unique_ptr<Verb> makeKeyVerb() { return std::make_unique<KeyVerb>(); }
std::unique_ptr<Verb> makeAuditVerb() { return std::make_unique<AuditVerb>(); }

}  // namespace vintage::harness
