#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/service/token_store.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class TokenVerb final : public Verb {
 public:
  TokenVerb()
      : Verb("token", "Make, list and revoke the tokens of an archive's service",
             "vintage token add nightly --archive A --role push --days 90") {}
  void addOptions(CLI::App& app) override {
    app.require_subcommand(1);
    CLI::App* add = app.add_subcommand("add", "Print a new token once, and keep only its hash");
    add->add_option("NAME", token_, "Letters, digits and ._@-")->required();
    add->add_option("--role", role_, "read, push or admin")
        ->capture_default_str()
        ->check(CLI::IsMember({"read", "push", "admin"}));
    add->add_option("--days", days_, "Days until it expires (default: never)");
    CLI::App* list = app.add_subcommand("list", "List tokens with their roles and days");
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
                     archive::service::makeToken(archive_, systemClock(), token_,
                                                 *archive::service::parseRole(role_), days_));
    if (console.json())
      console.printJson({{"name", made.record.name},
                         {"role", role_},
                         {"expires", made.record.expires},
                         {"token", made.token}});
    else
      console.line(made.token);
    return kExitHolds;
  }

  Result<int> list(Console& console) {
    ASSIGN_OR_RETURN(const auto tokens, archive::service::readTokens(archive_));
    nlohmann::json all = nlohmann::json::array();
    for (const auto& token : tokens) {
      all.push_back({{"name", token.name},
                     {"role", archive::service::roleName(token.role)},
                     {"created", token.created},
                     {"expires", token.expires}});
      if (!console.json())
        console.line("{:<24} {:<6} {}  {}", token.name, archive::service::roleName(token.role),
                     token.created, token.expires.empty() ? "does not end" : token.expires);
    }
    if (console.json()) console.printJson(all);
    return kExitHolds;
  }

  Result<int> revoke(Console& console) {
    const Status revoked = archive::service::revokeToken(archive_, token_);
    if (!revoked) return tl::unexpected<Error>(revoked.error());
    if (console.json()) console.printJson({{"revoked", token_}});
    return kExitHolds;
  }

  std::string archive_, token_, role_ = "read";
  std::optional<int> days_;
  Result<int> (TokenVerb::*work_)(Console&) = &TokenVerb::list;
};

}  // namespace

std::unique_ptr<Verb> makeTokenVerb() { return std::make_unique<TokenVerb>(); }

}  // namespace vintage::harness::command
