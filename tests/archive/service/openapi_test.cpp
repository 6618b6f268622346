// docs/reference/openapi.json and the routes say the same, in both directions.
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/service/routes.h"
#include "archive/store/record_json.h"

namespace vintage::tests::service {
using namespace archive;

namespace {

using nlohmann::json;

class OpenApi : public ::testing::Test {
 protected:
  const json document_ = json::parse(openApiText());
  const json& resolve(const json& node) const {
    if (!node.contains("$ref")) return node;
    return document_.at(json::json_pointer(node["$ref"].get<std::string>().substr(1)));
  }
};

TEST_F(OpenApi, TheServedDocumentIsTheOneInDocs) {
  std::ifstream file(VINTAGE_SOURCE "/docs/reference/openapi.json");
  EXPECT_EQ(json::parse(file), document_);
}

TEST_F(OpenApi, EveryRouteIsDescribedAndNothingElse) {
  std::set<std::string> described, routed;
  for (const auto& [path, methods] : document_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      if (method == "parameters") continue;
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      described.insert(upper + " " + path + " " + operation["operationId"].get<std::string>());
    }
  }
  for (const Route& route : routes())
    routed.insert(std::string(route.method) + " " + std::string(route.path) + " " +
                  std::string(route.operation));
  EXPECT_EQ(described, routed);
}

TEST_F(OpenApi, RolesBodiesAndParametersAgree) {
  for (const Route& route : routes()) {
    SCOPED_TRACE(std::string(route.operation));
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const json& path = document_["paths"][std::string(route.path)];
    const json& operation = path[method];
    EXPECT_EQ(operation.value("x-role", "none"), roleName(route.role));
    EXPECT_EQ(operation["security"].empty(), route.role == Role::kNone);
    if (route.body == BodyForm::kNone) {
      EXPECT_FALSE(operation.contains("requestBody"));
    } else {
      EXPECT_TRUE(operation["requestBody"]["content"].contains(std::string(mediaType(route.body))));
    }
    std::set<std::string> query, inPath;
    for (const json* list : {&path, &operation}) {
      if (!list->contains("parameters")) continue;
      for (const json& entry : (*list)["parameters"]) {
        const json& parameter = resolve(entry);
        if (parameter["in"] == "query") query.insert(parameter["name"]);
        if (parameter["in"] == "path") inPath.insert(parameter["name"]);
      }
    }
    EXPECT_EQ(query, std::set<std::string>(route.parameters.begin(), route.parameters.end()));
    for (const std::string& name : inPath)
      EXPECT_NE(route.path.find("{" + name + "}"), std::string_view::npos) << name;
    EXPECT_EQ(inPath.size(),
              static_cast<size_t>(std::count(route.path.begin(), route.path.end(), '{')));
  }
}

TEST_F(OpenApi, RecordsHaveTheFieldsOfTheirSchemas) {
  OutcomeRecord outcome;
  outcome.goldenIsFinal = true;
  const std::pair<const char*, json> records[] = {{"Artifact", recordJson(ArtifactRecord())},
                                                  {"Build", recordJson(BuildRecord())},
                                                  {"Run", recordJson(RunWithLimitations())},
                                                  {"Limitation", recordJson(Limitation())},
                                                  {"Outcome", recordJson(outcome)}};
  for (const auto& [schema, record] : records) {
    std::set<std::string> described, written;
    for (const auto& [field, unused] :
         document_["components"]["schemas"][schema]["properties"].items())
      described.insert(field);
    for (const auto& [field, unused] : record.items()) written.insert(field);
    EXPECT_EQ(described, written) << schema;
  }
}

// The schema of outcomes once lacked the newest kind.
TEST_F(OpenApi, EveryKindOfOutcomeIsDescribed) {
  std::vector<std::string> kinds;
  for (int kind = 0; kind <= static_cast<int>(OutcomeKind::kNotComparable); ++kind)
    kinds.push_back(outcomeName(static_cast<OutcomeKind>(kind)));
  EXPECT_EQ(document_["components"]["schemas"]["Outcome"]["properties"]["outcome"]["enum"], kinds);
}

TEST_F(OpenApi, EveryReferenceLeadsSomewhere) {
  const std::function<void(const json&)> walk = [&](const json& node) {
    if (node.is_object() && node.contains("$ref")) EXPECT_NO_THROW(resolve(node)) << node["$ref"];
    if (node.is_structured())
      for (const json& child : node) walk(child);
  };
  walk(document_);
}

}  // namespace
}  // namespace vintage::tests::service
