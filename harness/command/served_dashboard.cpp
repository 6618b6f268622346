#include "harness/command/served_dashboard.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/process_host.h"
#include "harness/command/filter_options.h"
#include "harness/dashboard/pages.h"
#include "harness/dashboard/site_files.h"

namespace vintage::harness::command {
namespace {

// By a `vintage show` of its own: its child that reads the bytes is forked from a process
// without threads.
std::vector<Result<std::string>> textsByShow(const std::string& archive,
                                             std::span<const ArtifactRecord> records) {
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  auto host = makePosixProcessHost();
  std::vector<Result<std::string>> texts;
  for (const ArtifactRecord& record : records) {
    texts.push_back([&]() -> Result<std::string> {
      if (problem) return ioError("/proc/self/exe: {}", problem.message());
      ASSIGN_OR_RETURN(auto shown, runProgram({self.string(), "show", record.id, "--archive",
                                               archive, "--format", "json"},
                                              *host));
      const auto fields = nlohmann::json::parse(shown.out, nullptr, false);
      if (fields.is_object() && fields.contains("text") && fields["text"].is_string())
        return fields["text"].get<std::string>();
      if (fields.is_object() && fields.contains("error") && fields["error"].is_string())
        return failure(Error::Kind::kBadInput, fields["error"].get<std::string>());
      return ioError("'vintage show' ended with status {}", shown.status);
    }());
  }
  return texts;
}

class ServedDashboard final : public archive::service::Site {
 public:
  explicit ServedDashboard(std::string archive) : archive_(std::move(archive)) {
    for (const SiteFile& file : siteFiles()) tags_.push_back(contentHash(file.text));
  }

  std::optional<archive::service::SiteText> file(std::string_view name) const override {
    const auto files = siteFiles();
    for (size_t index = 0; index < files.size(); ++index) {
      std::string_view known = files[index].name;
      if (known.starts_with(kFolder)) known.remove_prefix(kFolder.size());
      if (known == name) return {{files[index].mediaType, files[index].text, tags_[index]}};
    }
    return std::nullopt;
  }

  std::string_view contentSecurityPolicy() const override {
    return dashboard::contentSecurityPolicy();
  }

  Result<std::string> data(
      Archive& archive, std::string_view page,
      const std::map<std::string, std::string, std::less<>>& parameters) const override {
    const PageKind* kind = findPageKind(page);
    if (kind == nullptr) {
      std::vector<std::string_view> names;
      for (const PageKind& each : pageKinds()) names.push_back(each.name);
      return failure(Error::Kind::kNotFound,
                     fmt::format("there is no page '{}'; there are: {}", page.substr(0, 80),
                                 fmt::join(names, ", ")));
    }
    for (const auto& [name, value] : parameters) {
      if (std::ranges::find(kind->parameters, name) == kind->parameters.end())
        return usageError("'{}' is not a parameter of the page '{}'", name, page);
    }
    const PageContext context{archive, archive_, currentDate(),
                              [this](const Archive&, std::span<const ArtifactRecord> records) {
                                return textsByShow(archive_, records);
                              }};
    ASSIGN_OR_RETURN(const auto made, kind->make(context, parameters));
    return made.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

 private:
  static constexpr std::string_view kFolder = "dashboard/";
  const std::string archive_;
  std::vector<std::string> tags_;
};

}  // namespace

std::unique_ptr<archive::service::Site> makeServedDashboard(const std::string& archive) {
  return std::make_unique<ServedDashboard>(archive);
}

}  // namespace vintage::harness::command
