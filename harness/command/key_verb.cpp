#include <fmt/format.h>

#include "archive/integrity/key_statements.h"
#include "archive/integrity/signing.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/filter_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

template <typename Read>
Result<SigningKey> keyOfFile(const std::string& path, const Read& read) {
  ASSIGN_OR_RETURN(const auto pem, readFile(path));
  return read({reinterpret_cast<const char*>(pem.data()), pem.size()}, path);
}

class KeyVerb final : public Verb {
 public:
  KeyVerb()
      : Verb("key", "Say which key follows the one that signs an archive, or that one is revoked",
             "vintage key rotate --archive A --key old.pem --next new-public.pem\n"
             "  vintage sign --archive A --key new.pem\n"
             "  vintage key revoke --archive A --key new.pem --revoked old-public.pem\n"
             "  vintage key list --archive A") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ACTION", action_, "rotate, revoke or list")
        ->required()
        ->check(CLI::IsMember({"rotate", "revoke", "list"}));
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--key", key_,
                   "The private half of the key that says so (PEM): whose turn it is; to revoke "
                   "also one that follows");
    app.add_option("--next", next_, "rotate: the public half of the key that follows (PEM)");
    app.add_option(
        "--revoked", revoked_,
        "revoke: the public half of the key that counts no more (default: --key itself)");
    app.add_option("--today", today_, "The day of the statement (YYYY-MM-DD)");
  }

  Result<int> run(Console& console) override {
    if (action_ == "list") return list(console);
    ASSIGN_OR_RETURN(const auto today, parseDateOption(today_, "--today"));
    const Date day = today.value_or(currentDate());
    if (key_.empty()) return failure(Error::Kind::kUsage, "--key is required");
    ASSIGN_OR_RETURN(const auto key, keyOfFile(key_, SigningKey::readPrivate));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    if (action_ == "rotate") {
      if (next_.empty()) return failure(Error::Kind::kUsage, "rotate: --next is required");
      ASSIGN_OR_RETURN(const auto next, keyOfFile(next_, SigningKey::readPublic));
      RETURN_IF_ERROR(rotateKey(archive, key, next, day));
      report(console, key.fingerprint(),
             fmt::format("Key {} follows key {}. Sign the archive with it now: "
                         "'vintage sign --archive {} --key …'",
                         next.fingerprint(), key.fingerprint(), archive_));
      return kExitHolds;
    }
    std::optional<SigningKey> revoked;
    if (!revoked_.empty()) {
      ASSIGN_OR_RETURN(revoked, keyOfFile(revoked_, SigningKey::readPublic));
    }
    RETURN_IF_ERROR(revokeKey(archive, key, revoked ? *revoked : key, day));
    const std::string& name = (revoked ? *revoked : key).fingerprint();
    report(console, name,
           fmt::format("Key {} is revoked: what it signs from now on does not count.", name));
    return kExitHolds;
  }

 private:
  void report(Console& console, const std::string& key, const std::string& line) const {
    if (console.json())
      console.printJson({{"archive", archive_}, {"action", action_}, {"key", key}});
    else
      console.line("{}", line);
  }

  Result<int> list(Console& console) const {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto statements, keyStatements(archive));
    nlohmann::json lines = nlohmann::json::array();
    for (const KeyStatement& said : statements) {
      lines.push_back({{"action", said.action},
                       {"key", said.key},
                       {"next_key", said.nextKey},
                       {"signer", said.signer},
                       {"date", said.date},
                       {"last_counter", said.after}});
      if (console.json()) continue;
      if (said.action == "rotate")
        console.line("{}: key {} says that {} follows it after list {}", said.date, said.key,
                     said.nextKey, said.after);
      else
        console.line("{}: key {} says that {} counts no more after list {}", said.date, said.signer,
                     said.key, said.after);
    }
    if (console.json())
      console.printJson({{"archive", archive_}, {"statements", lines}});
    else
      console.line("{} statements. 'vintage fsck --public-key' checks them.", lines.size());
    return kExitHolds;
  }

  std::string action_, archive_, key_, next_, revoked_, today_;
};

}  // namespace

std::unique_ptr<Verb> makeKeyVerb() { return std::make_unique<KeyVerb>(); }

}  // namespace vintage::harness::command
