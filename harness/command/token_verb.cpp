#include <fmt/format.h>

#include "archive/service/token_store.h"
#include "archive/store/archive.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

class TokenVerb final : public Verb {
 public:
  TokenVerb()
      : Verb("token", "Make, list and revoke the tokens of an archive's service",
             "vintage token add nightly --archive A --role push --days 90\n"
             "  vintage token add lab --archive A --role report    # somebody else's results\n"
             "  vintage token add team --archive A --role push --bytes-per-day 10GiB --bytes "
             "500GiB\n"
             "  vintage token list --archive A") {}
  void addOptions(CLI::App& app) override {
    app.require_subcommand(1);
    CLI::App* add = app.add_subcommand("add", "Print a new token once, and keep only its hash");
    add->add_option("NAME", token_, "Letters, digits and ._@-")->required();
    addDefaulted(
        *add, "--role", role_,
        "read, report (also adds results under the token's name, which count for no verdict), push "
        "or admin",
        CLI::IsMember(std::vector<std::string>(kTokenRoleNames.begin(), kTokenRoleNames.end())));
    add->add_option("--days", days_, "Days until it expires (default: never)");
    add->add_option("--bytes-per-day", quota_.bytesPerDay,
                    "Bytes that it may send in a day (UTC), as 10GiB (default: no limit)")
        ->transform(CLI::AsSizeValue(false));
    add->add_option("--bytes", quota_.bytes, "Bytes that it may send in all, as 500GiB")
        ->transform(CLI::AsSizeValue(false));
    add->add_option("--requests-per-day", quota_.requestsPerDay,
                    "Requests that it may make in a day (UTC)");
    CLI::App* list =
        app.add_subcommand("list", "List tokens with their roles, days, and what they used");
    CLI::App* revoke = app.add_subcommand("revoke", "Revoke a token; services notice in a second");
    revoke->add_option("NAME", token_, "The token's name")->required();
    add->callback([this] { work_ = &TokenVerb::add; });
    list->callback([this] { work_ = &TokenVerb::list; });
    revoke->callback([this] { work_ = &TokenVerb::revoke; });
    for (CLI::App* each : {add, list, revoke}) {
      each->add_option("--archive", archive_, "The archive")->required();
      each->fallthrough();  // --format belongs to the verb.
    }
  }

  Result<int> run(Console& console) override {
    // Names what is wrong with the folder before something is written into it.
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    return (this->*work_)(console);
  }

 private:
  Result<int> add(Console& console) {
    ASSIGN_OR_RETURN(const auto made,
                     makeToken(archive_, systemClock(), token_, *parseRole(role_), days_, quota_));
    console.answer({{"name", made.record.name},
                    {"role", role_},
                    {"expires", made.record.expires},
                    {"token", made.token}},
                   made.token + "\n");
    return kExitHolds;
  }

  Result<int> list(Console& console) {
    ASSIGN_OR_RETURN(const auto tokens, readTokens(archive_));
    ASSIGN_OR_RETURN(const auto usage, readUsage(archive_));
    nlohmann::json all = nlohmann::json::array();
    for (const auto& token : tokens) {
      all.push_back(tokenJson(token, usage));
      if (console.json()) continue;
      const Usage now = usageOf(token, usage);
      const auto& quota = token.quota;
      std::string rest;
      if (quota.bytesPerDay > 0)
        rest += fmt::format("  {} of {} bytes on {}", now.bytesOfDay, quota.bytesPerDay, now.day);
      if (quota.requestsPerDay > 0)
        rest += fmt::format("  {} of {} requests on {}", now.requestsOfDay, quota.requestsPerDay,
                            now.day);
      if (quota.bytes > 0) rest += fmt::format("  {} of {} bytes in all", now.bytes, quota.bytes);
      console.line("{:<24} {:<6} {}  {}{}", token.name, roleName(token.role), token.created,
                   token.expires.empty() ? "does not end" : token.expires, rest);
    }
    if (console.json()) console.printJson(all);
    return kExitHolds;
  }

  Result<int> revoke(Console& console) {
    RETURN_IF_ERROR(revokeToken(archive_, token_));
    if (console.json()) console.printJson({{"revoked", token_}});
    return kExitHolds;
  }

  std::string archive_, token_, role_ = "read";
  std::optional<int> days_;
  Quota quota_;
  Result<int> (TokenVerb::*work_)(Console&) = &TokenVerb::list;
};

}  // namespace

std::unique_ptr<Verb> makeTokenVerb() { return std::make_unique<TokenVerb>(); }

}  // namespace vintage::harness
