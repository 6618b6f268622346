#include "harness/command/reference/completions.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {
namespace {

class CompletionVerb final : public Verb {
 public:
  CompletionVerb()
      : Verb("completion", "Print what lets a shell complete vintage's command line",
             "vintage completion bash >~/.local/share/bash-completion/completions/vintage\n"
             "  vintage completion zsh >~/.zfunc/_vintage\n"
             "  vintage completion fish >~/.config/fish/completions/vintage.fish") {}

  void addOptions(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("SHELL", shell_, "The shell")
        ->required()
        ->transform(CLI::CheckedTransformer(std::map<std::string, Shell>{
            {"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}));
  }

  Result<int> run(Console& console) override {
    const std::string script = completionScript(describeCommand(*program_), shell_);
    if (console.json())
      console.printJson({{"script", script}});
    else
      console.print(script);
    return kExitHolds;
  }

 private:
  const CLI::App* program_ = nullptr;
  Shell shell_ = Shell::kBash;
};

}  // namespace

std::unique_ptr<Verb> makeCompletionVerb() { return std::make_unique<CompletionVerb>(); }

}  // namespace vintage::harness::command
