// Manual pages and completions say what --help says, and shells take them.
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class ReferenceCommand : public testing::Test {
 protected:
  std::set<std::string> verbs() const {
    std::set<std::string> names;
    std::istringstream lines(sandbox_.run({"--help"}).out);
    bool listed = false;
    for (std::string line, name; std::getline(lines, line);) {
      if (line.starts_with("The four jobs"))
        listed = true;
      else if (line.starts_with("Exit status"))
        break;
      else if (listed && line.starts_with("  ") && line[2] != ' ')
        names.insert(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }

  bool hasShell(const std::string& shell) const {
    return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
  }

  std::string completion(const std::string& shell) const {
    const Finished script = sandbox_.run({"completion", shell});
    EXPECT_EQ(script.status, 0) << script.err;
    return sandbox_.write("completion." + shell, script.out);
  }

  // The completions that bash offers for the last of `words`.
  std::set<std::string> bashOffers(const std::string& words) const {
    const std::string script = completion("bash");
    const std::string program =
        sandbox_.write("complete.sh", "source '" + script + "'\nCOMP_WORDS=(vintage " + words +
                                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_vintage\n"
                                          "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const std::string out = sandbox_.path("offers");
    EXPECT_EQ(std::system(("bash '" + program + "' >'" + out + "'").c_str()), 0);
    std::set<std::string> offers;
    std::istringstream lines(Sandbox::read(out));
    for (std::string line; std::getline(lines, line);) offers.insert(line);
    return offers;
  }

  Sandbox sandbox_;
};

TEST_F(ReferenceCommand, EachVerbHasAPageWithAllItsOptions) {
  ASSERT_EQ(sandbox_.run({"manual", "-o", sandbox_.path("man1")}).status, 0);
  const std::set<std::string> names = verbs();
  ASSERT_GT(names.size(), 30u);
  const std::regex option("--[a-z][a-z-]+");
  for (const std::string& verb : names) {
    const std::string page = Sandbox::read(sandbox_.path("man1/vintage-" + verb + ".1"));
    EXPECT_THAT(page, AllOf(HasSubstr(".SH NAME"), HasSubstr(".SH EXAMPLES"))) << verb;
    std::string plain;
    for (size_t i = 0; i < page.size(); ++i)
      if (page[i] != '\\' || i + 1 == page.size() || page[i + 1] != '-') plain += page[i];
    const std::string help = sandbox_.run({verb, "--help"}).out;
    const std::string listed = help.substr(0, help.find("Example:"));
    for (std::sregex_iterator one(listed.begin(), listed.end(), option), end; one != end; ++one)
      if (one->str() != "--help") EXPECT_THAT(plain, HasSubstr(one->str())) << verb;
  }
  EXPECT_THAT(Sandbox::read(sandbox_.path("man1/vintage.1")),
              AllOf(HasSubstr("vintage\\-replay"), HasSubstr(".SS This machine")));
}

TEST_F(ReferenceCommand, BashCompletesVerbsActionsOptionsAndValues) {
  EXPECT_THAT(bashOffers("repl"), UnorderedElementsAre("replay"));
  EXPECT_THAT(bashOffers("builds ''"), AllOf(Contains("add"), Contains("describe")));
  EXPECT_THAT(bashOffers("builds add --topo"), UnorderedElementsAre("--topology"));
  EXPECT_THAT(bashOffers("builds add --condition ''"),
              UnorderedElementsAre("both", "fresh", "warm"));
  EXPECT_THAT(bashOffers("list --format ''"), UnorderedElementsAre("json", "text"));
  EXPECT_THAT(bashOffers("replay --archive " + sandbox_.path("comp")),
              Contains(sandbox_.path("completion.bash")));
}

TEST_F(ReferenceCommand, OtherShellsReadTheirScripts) {
  for (const std::string shell : {"zsh", "fish"}) {
    if (!hasShell(shell)) GTEST_SKIP() << shell << " is not installed";
    const std::string check = shell + " -n '" + completion(shell) + "'";
    EXPECT_EQ(std::system(check.c_str()), 0) << shell;
  }
  const std::string offers = sandbox_.path("fish.offers");
  const std::string ask = "fish --no-config -c \"source '" + completion("fish") +
                          "'; complete -C 'vintage builds add --cond'\" >'" + offers + "'";
  EXPECT_EQ(std::system(ask.c_str()), 0);
  EXPECT_THAT(Sandbox::read(offers), HasSubstr("--condition"));
}

TEST_F(ReferenceCommand, TheDoctorSaysWhatWorks) {
  const Finished asked = sandbox_.run({"doctor", "--offline", "--format", "json"});
  EXPECT_EQ(asked.status, 0) << asked.out << asked.err;
  std::set<std::string> working;
  for (const json& finding : json::parse(asked.out))
    if (finding.at("state") == "works") working.insert(finding.at("what"));
  EXPECT_THAT(working, AllOf(Contains("engine"), Contains("PJRT plugins")));
}

TEST_F(ReferenceCommand, TheDoctorNamesWhatIsBroken) {
  const Finished asked =
      sandbox_.run({"doctor", "--offline", "--archive", sandbox_.path("nowhere")});
  EXPECT_EQ(asked.status, 3);
  EXPECT_THAT(asked.out, AllOf(HasSubstr("BROKEN"), HasSubstr(sandbox_.path("nowhere"))));
}

}  // namespace
}  // namespace vintage::tests::command
