#include "harness/consumers/python/fetched_plugin.h"

#include "golden/base/failures.h"

namespace vintage::harness::consumers::python {

Result<FetchedPlugin> fetchPlugin(const PluginRequest& request, ProcessHost& host,
                                  const PythonProgress& progress) {
  ASSIGN_OR_RETURN(auto programs, findPythonPrograms(kPlugins));
  ASSIGN_OR_RETURN(auto interpreter, findInterpreter(host));
  std::vector<std::string> command{interpreter, programs.string(), "fetch", request.package};
  for (const auto& [option, value] :
       {std::pair{"--root", &request.root}, std::pair{"--wheels", &request.wheels}})
    if (!value->empty()) command.insert(command.end(), {option, *value});
  ASSIGN_OR_RETURN(auto answer, askPython(std::move(command), host, progress));
  ASSIGN_OR_RETURN(const auto result, resultOf(std::move(answer), std::string(kPlugins.title)));
  const auto text = [&](const char* field) { return result.value(field, ""); };
  FetchedPlugin fetched{text("library"),  text("package"),     text("version"),
                        text("released"), text("released_by"), text("wheel"),
                        text("sha256")};
  if (fetched.library.empty())
    return ioError("{} names no library; do program and Python files belong to one version?",
                   programs.string());
  return fetched;
}

}  // namespace vintage::harness::consumers::python
