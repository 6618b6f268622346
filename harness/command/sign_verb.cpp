#include <fmt/format.h>

#include "archive/integrity/signing.h"
#include "golden/base/file.h"
#include "harness/command/filter_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
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
    app.add_option("--today", today_, "The day of the list (YYYY-MM-DD)");
    app.add_flag("--emptied", emptied_,
                 "Also sign the records whose signature is gone: somebody has looked at them");
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
    ASSIGN_OR_RETURN(const auto pem, readFile(key_));
    ASSIGN_OR_RETURN(
        const auto key,
        SigningKey::readPrivate({reinterpret_cast<const char*>(pem.data()), pem.size()}, key_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    const Date day = today.value_or(currentDate());
    ASSIGN_OR_RETURN(const auto report, signArchive(archive, key, day, emptied_));
    if (console.json())
      console.printJson({{"archive", archive_},
                         {"day", formatDate(day)},
                         {"key", key.fingerprint()},
                         {"artifacts", report.artifacts},
                         {"signed_now", report.signedNow},
                         {"filled_in", report.filledIn},
                         {"counter", report.counter},
                         {"removals", report.removals},
                         {"changes", report.changes},
                         {"digest", report.digest}});
    else
      console.line(
          "Key {} signed {} artifacts anew ({} of them filled in since), and list {} of {} with {} "
          "of "
          "them ({:.12}), {} removals and {} changes since the list before.",
          key.fingerprint(), report.signedNow, report.filledIn, report.counter, formatDate(day),
          report.artifacts, report.digest, report.removals, report.changes);
    return kExitHolds;
  }

 private:
  std::string archive_, key_, today_;
  bool emptied_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeSignVerb() { return std::make_unique<SignVerb>(); }

}  // namespace vintage::harness::command
