#include "archive/transfer/proofs.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_set>

#include <unistd.h>

#include "archive/store/index_check.h"
#include "archive/store/record_json.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kGathered = 4000;       // Contents before they are asked for.
constexpr size_t kRemembered = 200'000;  // So that neighbours' contents are asked for once.
constexpr size_t kIdsInQuestion = 500;
// A service reads so many bytes before it answers.
constexpr size_t kBytesInQuestion = size_t{64} << 20;
constexpr size_t kNamed = 20;

Result<std::string> freshNonce() {
  std::vector<std::byte> bytes(32);
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    return failure(Error::Kind::kIo, "the system gives no random bytes for a nonce");
  return hashText(bytes);
}

class Proving {
 public:
  using Proved = std::function<void(const ContentId&, int64_t bytes)>;
  Proving(const Archive& archive, ServiceClient& service, const ProofOptions& options,
          const std::function<void(const ProofFinding&)>& report, Proved proved = {})
      : archive_(archive),
        proved_(std::move(proved)),
        service_(service),
        options_(options),
        report_(report) {}

  Status runOver(std::span<const ContentId> ids) {
    for (const ContentId& id : ids) {
      gather(id);
      if (waiting_.size() >= kGathered) RETURN_IF_ERROR(ask());
    }
    return ask();
  }

  Result<ProofSummary> run() {
    Status asked;
    RETURN_IF_ERROR(archive_.forEach(options_.filter, [&](const ArtifactRecord& record) {
      ++summary_.artifacts;
      for (const ContentId& id : {record.id, record.golden}) gather(id);
      if (waiting_.size() >= kGathered) asked = ask();
      return asked.has_value();
    }));
    if (asked) asked = ask();
    if (!asked) return tl::unexpected(asked.error());
    return summary_;
  }

 private:
  struct Expected {
    std::string proof;
    int64_t bytes = 0;
  };

  void gather(const ContentId& id) {
    if (id.empty() || !options_.part.holds(hashBytes(id)) || !seen_.insert(id).second) return;
    waiting_.push_back(id);
    ++summary_.contents;
    if (seen_.size() > kRemembered) seen_.clear();
  }

  Status ask() {
    Status problem;
    const Status asked = service_.prove(
        [&]() -> std::string {
          auto question = nextQuestion();
          if (question) return std::move(*question);
          problem = tl::unexpected(question.error());
          return {};
        },
        [&](const nlohmann::json& answer) { return take(answer); });
    if (!problem) return problem;
    if (!asked) return asked;
    for (const auto& [id, expected] : expected_)
      add(ProofFinding::Kind::kUnproved, id, "the service does not answer for it");
    expected_.clear();
    if (options_.progress) options_.progress(static_cast<size_t>(summary_.contents));
    return {};
  }

  // Empty where nothing waits.
  Result<std::string> nextQuestion() {
    ASSIGN_OR_RETURN(const auto nonce, freshNonce());
    const std::vector<std::byte> nonceBytes = hashBytes(nonce);
    const size_t longest =
        std::min(kIdsInQuestion, static_cast<size_t>(service_.limits().proofIds));
    nlohmann::json ids = nlohmann::json::array();
    for (size_t bytes = 0; !waiting_.empty() && ids.size() < longest && bytes < kBytesInQuestion;
         waiting_.pop_front()) {
      const ContentId& id = waiting_.front();
      const auto content = archive_.read(id);
      if (!content && content.error().kind != Error::Kind::kBadInput &&
          content.error().kind != Error::Kind::kNotFound)
        return tl::unexpected(content.error());
      if (!content) {
        add(ProofFinding::Kind::kUnreadable, id, content.error().message);
        continue;
      }
      ContentHasher hasher;
      hasher.update(nonceBytes);
      hasher.update(*content);
      expected_[id] = {hasher.finish(), static_cast<int64_t>(content->size())};
      bytes += content->size();
      ids.push_back(id);
    }
    if (ids.empty()) return std::string();
    return nlohmann::json({{"nonce", nonce}, {"ids", std::move(ids)}}).dump();
  }

  Status take(const nlohmann::json& answer) {
    const nlohmann::json* proofs = listIn(answer, "proofs");
    if (proofs == nullptr) return badInput("{}: the answer has no list of proofs", service_.base());
    for (const nlohmann::json& proof : *proofs) {
      const auto expected = expected_.find(textIn(proof, "id"));
      if (expected == expected_.end()) continue;  // Not asked for, or answered before.
      judge(expected->first, expected->second, proof);
      expected_.erase(expected);
    }
    return {};
  }

  void judge(const ContentId& id, const Expected& expected, const nlohmann::json& proof) {
    using Kind = ProofFinding::Kind;
    if (const std::string said = textIn(proof, "proof"); said == expected.proof) {
      ++summary_.proved;
      summary_.bytes += expected.bytes;
      if (proved_) proved_(id, expected.bytes);
      return;
    } else if (!said.empty()) {
      return add(Kind::kDiffers, id, "its proof does not match the bytes here");
    }
    const nlohmann::json error = proof.value("error", nlohmann::json::object());
    const std::string kind = textIn(error, "kind");
    std::string message = textIn(error, "message");
    if (message.empty()) message = "the service gives neither a proof nor a reason";
    add(kind == "not_found" ? Kind::kMissing
        : kind == "damaged" ? Kind::kDamaged
                            : Kind::kUnproved,
        id, std::move(message));
  }

  void add(ProofFinding::Kind kind, const ContentId& id, std::string problem) {
    const bool known =
        kind != ProofFinding::Kind::kUnproved && kind != ProofFinding::Kind::kUnreadable;
    ++(known ? summary_.wrong : summary_.unknown);
    report_({kind, id, {}, std::move(problem)});
  }

  const Archive& archive_;
  const Proved proved_;
  ServiceClient& service_;
  const ProofOptions& options_;
  const std::function<void(const ProofFinding&)>& report_;
  ProofSummary summary_;
  std::unordered_set<ContentId> seen_;
  std::deque<ContentId> waiting_;
  std::map<ContentId, Expected> expected_;  // Requested and not answered yet.
};

}  // namespace

std::string_view findingName(ProofFinding::Kind kind) {
  constexpr std::string_view kNames[] = {"missing", "damaged", "different", "not proved",
                                         "unreadable here"};
  return kNames[static_cast<size_t>(kind)];
}

Result<ProofSummary> askForProofs(const Archive& archive, ServiceClient& service,
                                  const ProofOptions& options,
                                  const std::function<void(const ProofFinding&)>& report) {
  return Proving(archive, service, options,
                 [&](ProofFinding finding) {
                   auto affected = affectedBy(archive, finding.content, kNamed);
                   if (affected) finding.affected = std::move(affected->users);
                   report(finding);
                 })
      .run();
}

Status askForProofsOf(std::span<const ContentId> ids, const Archive& archive,
                      ServiceClient& service,
                      const std::function<void(const ContentId&, int64_t bytes)>& proved,
                      const std::function<void(const ProofFinding&)>& report) {
  const ProofOptions options;
  return Proving(archive, service, options, report, proved).runOver(ids);
}

}  // namespace vintage::archive
