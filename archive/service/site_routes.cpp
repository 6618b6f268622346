// The pages for people and their data.
#include <algorithm>

#include "archive/service/application.h"
#include "archive/service/request_values.h"

namespace vintage::archive {
namespace {

// Confines a page: no scripts of other origins, no frame around it, no referrer.
void guard(const Site& site, Response& response) {
  response.headers.emplace_back("Content-Security-Policy", std::string(site.contentSecurityPolicy));
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

OptionalResponse showFile(const Call& call, std::string_view name) {
  const Site* site = call.application.options.site;
  if (site == nullptr) return nothingThere();
  const auto file = std::ranges::find(site->files, name, &Site::File::name);
  if (file == site->files.end()) return nothingThere();
  Response response;
  guard(*site, response);
  response.headers.emplace_back("ETag", entityTag(file->tag));
  // The next version of Vintage has other files of the same names: the browser asks.
  response.headers.emplace_back("Cache-Control", "no-cache");
  if (const std::string* tags = call.request.header("if-none-match");
      tags != nullptr && listsTag(*tags, file->tag)) {
    response.status = 304;
    return response;
  }
  response.contentType = file->mediaType;
  response.text = file->text;
  return response;
}

}  // namespace

OptionalResponse showSiteIndex(const Call& call) { return showFile(call, "index.html"); }

OptionalResponse showSiteFile(const Call& call) {
  const std::string& name = call.request.pathValue("file");
  // The index has its own path, below which its links lead.
  if (name == "index.html") return nothingThere();
  return showFile(call, name);
}

OptionalResponse showSiteData(const Call& call) {
  const Site* site = call.application.options.site;
  if (site == nullptr) return nothingThere();
  Site::Parameters parameters;
  for (const auto& [name, value] : call.request.parameters)
    if (!parameters.emplace(name, value).second)
      return badRequest("the parameter '" + name + "' was given twice", "give it once");
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  auto page = site->data(*archive, call.request.pathValue("page"), parameters);
  if (!page && page.error().kind == Error::Kind::kUsage)
    return badRequest(page.error().message, "correct the parameter");
  if (!page) return tl::unexpected(page.error());
  Response response = respondText("application/json", std::move(*page));
  guard(*site, response);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace vintage::archive
