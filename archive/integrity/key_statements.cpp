#include "archive/integrity/signing.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/change_log.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr std::string_view kStatementHead = "vintage key 1\n";

// A statement of a key, parsed, with the text that was signed.
struct Statement : KeyStatement, SignedStatement {
  std::string publicKey, nextPublicKey;  // Hexadecimal digits.

  bool isBy(const SigningKey& signing) const { return signing.verifies(text, signature); }
};

// Those that are not spelled like one are left out: the lineage then ends before them.
std::vector<Statement> readStatements(std::span<const SignedStatement> kept) {
  std::vector<Statement> statements;
  for (const SignedStatement& one : kept) {
    Statement statement{{}, one, {}, {}};
    if (!statement.text.starts_with(kStatementHead)) continue;
    const auto value =
        parseOutsideJson(std::string_view(statement.text).substr(kStatementHead.size()));
    if (!value || !value->is_object()) continue;
    statement.action = textIn(*value, "action");
    statement.key = textIn(*value, "key");
    statement.nextKey = textIn(*value, "next_key");
    statement.signer = textIn(*value, "signer");
    statement.date = textIn(*value, "date");
    if (const auto after = value->find("after");
        after != value->end() && after->is_number_integer())
      statement.after = after->get<int64_t>();
    statement.publicKey = textIn(*value, "public_key");
    statement.nextPublicKey = textIn(*value, "next_public_key");
    statements.push_back(std::move(statement));
  }
  return statements;
}

Result<int64_t> newestCounter(const Archive& archive, const std::string& key) {
  ASSIGN_OR_RETURN(const auto lists, keptLists(archive));
  int64_t newest = 0;
  for (const SignedList& list : lists)
    if (list.key == key) newest = std::max(newest, list.counter);
  return newest;
}

Status addStatement(Archive& archive, const SigningKey& signer, json value, std::string_view what) {
  value["signer"] = signer.fingerprint();
  SignedStatement statement{std::string(kStatementHead) + jsonText(value), {}};
  ASSIGN_OR_RETURN(statement.signature, signer.sign(statement.text));
  return archive.writeTogether([&]() -> Status {
    RETURN_IF_ERROR(
        noteChange(archive, what, value["key"].get<std::string>(), json::object(), value));
    return putStatement(archive, statement);
  });
}

// The key that announced `fingerprint` as its successor, if the statement is signed by it.
Result<std::optional<SigningKey>> predecessorOf(std::span<const Statement> statements,
                                                const std::string& fingerprint) {
  for (const Statement& statement : statements) {
    if (statement.action != "rotate" || statement.nextKey != fingerprint) continue;
    auto key = SigningKey::readRawPublic(statement.publicKey);
    if (!key || key->fingerprint() != statement.key || !statement.isBy(*key)) continue;
    return std::optional<SigningKey>(std::move(*key));
  }
  return std::optional<SigningKey>();
}

auto turnOf(auto& turns, const std::string& fingerprint) {
  return std::ranges::find(turns, fingerprint,
                           [](const KeyTurn& turn) { return turn.key.fingerprint(); });
}

}  // namespace

const KeyTurn* Lineage::find(const std::string& fingerprint) const {
  const auto found = turnOf(turns, fingerprint);
  return found == turns.end() ? nullptr : &*found;
}

Result<Lineage> lineageOf(const Archive& archive, const SigningKey& trusted, bool withEarlier) {
  ASSIGN_OR_RETURN(const auto statements, signedStatements(archive));
  return lineageOf(statements, trusted, withEarlier);
}

Result<Lineage> lineageOf(std::span<const SignedStatement> kept, const SigningKey& trusted,
                          bool withEarlier) {
  const std::vector<Statement> statements = readStatements(kept);
  Lineage lineage;
  lineage.turns.push_back({trusted, std::nullopt, ""});
  while (withEarlier) {
    ASSIGN_OR_RETURN(auto before,
                     predecessorOf(statements, lineage.turns.front().key.fingerprint()));
    if (!before || lineage.find(before->fingerprint()) != nullptr) break;
    lineage.turns.insert(lineage.turns.begin(), KeyTurn{std::move(*before), std::nullopt, ""});
  }
  // Finds each key's successor, as that key itself signed it.
  for (size_t at = 0; at < lineage.turns.size(); ++at) {
    const std::string fingerprint = lineage.turns[at].key.fingerprint();
    std::string next;
    for (const Statement& statement : statements) {
      if (statement.action != "rotate" || statement.key != fingerprint) continue;
      if (!statement.isBy(lineage.turns[at].key)) {
        lineage.problems.push_back(
            fmt::format("key {} did not sign that {} follows it", fingerprint, statement.nextKey));
        continue;
      }
      auto key = SigningKey::readRawPublic(statement.nextPublicKey);
      if (!key || key->fingerprint() != statement.nextKey) continue;
      if (!next.empty() && next != key->fingerprint()) {
        lineage.problems.push_back(fmt::format("key {} says that {} follows it, and that {} does",
                                               fingerprint, next, key->fingerprint()));
        continue;
      }
      next = key->fingerprint();
      lineage.turns[at].until = statement.after;
      lineage.turns[at].ended = "rotated on " + statement.date;
      if (lineage.find(next) == nullptr)
        lineage.turns.push_back({std::move(*key), std::nullopt, ""});
    }
  }
  for (const Statement& statement : statements) {
    if (statement.action != "revoke") continue;
    const auto about = turnOf(lineage.turns, statement.key);
    if (about == lineage.turns.end()) continue;
    const bool isSigned = std::any_of(
        about, lineage.turns.end(), [&](const KeyTurn& turn) { return statement.isBy(turn.key); });
    if (!isSigned) {
      lineage.problems.push_back(fmt::format(
          "neither key {} nor one that follows it signed that it is revoked", statement.key));
      continue;
    }
    about->until = std::min(about->until.value_or(statement.after), statement.after);
    about->ended = "revoked on " + statement.date;
  }
  return lineage;
}

Status rotateKey(Archive& archive, const SigningKey& key, const SigningKey& next, Date day) {
  RETURN_IF_ERROR(archive.checkWritable());
  if (key.fingerprint() == next.fingerprint())
    return usageError("the new key is the old one, {}", key.fingerprint());
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(archive, key));
  if (!lineage.turns.front().ended.empty())
    return conflict("{}: key {} was {}; only the current key names its successor", archive.folder(),
                    key.fingerprint(), lineage.turns.front().ended);
  ASSIGN_OR_RETURN(const auto after, newestCounter(archive, key.fingerprint()));
  return addStatement(archive, key,
                      {{"action", "rotate"},
                       {"date", formatDate(day)},
                       {"after", after},
                       {"key", key.fingerprint()},
                       {"public_key", key.publicKey()},
                       {"next_key", next.fingerprint()},
                       {"next_public_key", next.publicKey()}},
                      "key rotated");
}

Status revokeKey(Archive& archive, const SigningKey& key, const SigningKey& revoked, Date day) {
  RETURN_IF_ERROR(archive.checkWritable());
  ASSIGN_OR_RETURN(const auto lineage, lineageOf(archive, revoked));
  if (lineage.find(key.fingerprint()) == nullptr)
    return conflict("{}: key {} does not follow {}, and cannot revoke it", archive.folder(),
                    key.fingerprint(), revoked.fingerprint());
  ASSIGN_OR_RETURN(const auto newest, newestCounter(archive, revoked.fingerprint()));
  const int64_t after = std::min(newest, lineage.turns.front().until.value_or(newest));
  return addStatement(archive, key,
                      {{"action", "revoke"},
                       {"date", formatDate(day)},
                       {"after", after},
                       {"key", revoked.fingerprint()},
                       {"public_key", revoked.publicKey()}},
                      "key revoked");
}

Result<std::vector<KeyStatement>> keyStatements(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto kept, signedStatements(archive));
  const std::vector<Statement> statements = readStatements(kept);
  return std::vector<KeyStatement>(statements.begin(), statements.end());
}

}  // namespace vintage::archive
