#include "harness/command/builds_registration.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"

namespace vintage::harness {

void to_json(nlohmann::json& out, const Registration::Missed& missed) {
  out = {{"framework", missed.framework}, {"release", missed.release}, {"reason", missed.reason}};
}

void Registration::miss(std::string_view framework, const Reasons& leftOut, const Reasons& failed) {
  for (const auto& [release, why] : leftOut)
    leftOut_.push_back({std::string(framework), release, why});
  for (const auto& [release, why] : failed)
    failed_.push_back({std::string(framework), release, why});
}

void Registration::add(const archive::BuildRecord& build, const Status& registered) {
  if (!registered) {
    failed_.push_back({"", build.name, registered.error().message});
    return;
  }
  ++registered_;
  console_.row(list_, wholeBuild(build), "registered: {}", buildLine(build));
}

int Registration::end() {
  const auto text = [](const Missed& missed) {
    return fmt::format("{}{}{}: {}", missed.framework, missed.framework.empty() ? "" : " ",
                       missed.release, missed.reason);
  };
  if (console_.json())
    console_.printJson(
        {{"registered", std::move(list_)}, {"left_out", leftOut_}, {"failed", failed_}});
  else
    for (const Missed& missed : leftOut_) console_.line("left out: " + text(missed));
  for (const Missed& missed : failed_) console_.error({Error::Kind::kIo, text(missed)});
  return failed_.empty() && registered_ > 0 ? kExitHolds : kExitCannotTell;
}

}  // namespace vintage::harness
