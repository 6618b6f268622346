#include "golden/program/dialect_names.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "golden/program/program_module.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden {
namespace {

// Names that releases have and no exported program holds.
struct NotExported {
  std::string_view name, reason;
};
constexpr std::string_view kPartitioner = "made by Shardy's partitioner, which runs behind export";
constexpr std::string_view kPropagation = "made while Shardy propagates, which is behind export";
constexpr NotExported kNotExported[] = {
    {"sdy.all_gather", kPartitioner},
    {"sdy.all_reduce", kPartitioner},
    {"sdy.all_slice", kPartitioner},
    {"sdy.all_to_all", kPartitioner},
    {"sdy.collective_permute", kPartitioner},
    {"sdy.reduce_scatter", kPartitioner},
    {"sdy.replicated_to_unreduced", kPartitioner},
    {"sdy.sharded_to_unreduced", kPartitioner},
    {"sdy.all_to_all_param", kPartitioner},
    {"sdy.all_to_all_param_list", kPartitioner},
    {"sdy.axis_ref_list", kPartitioner},
    {"sdy.list_of_axis_ref_lists", kPartitioner},
    {"sdy.constant", kPropagation},
    {"sdy.data_flow_edge", kPropagation},
    {"sdy.func_data_flow_edge", kPropagation},
    {"sdy.axis_to_propagation_details", kPropagation},
    {"sdy.edge_value_ref", kPropagation},
    {"sdy.propagation_edges", kPropagation},
    {"sdy.propagation_one_step", kPropagation},
};

std::string reasonFor(std::string_view name) {
  const auto found = std::ranges::find(kNotExported, name, &NotExported::name);
  return std::string(found == std::end(kNotExported) ? std::string_view() : found->reason);
}

class Comparison {
 public:
  explicit Comparison(ProgramContext& context) : context_(context.implementation().context) {}

  void compare(const DialectNames& theirs) {
    if (isNewerThanKnown(theirs.version)) add("version", formatStablehloVersion(theirs.version));
    for (const auto& [name, attributes] : theirs.operations) compareOperation(name, attributes);
    for (const std::string& name : theirs.types)
      if (!isKnown('!', name)) add("type", name);
    for (const std::string& name : theirs.attributes)
      if (!isKnown('#', name))
        add("attribute", name);
      else if (const auto cases = theirs.cases.find(name); cases != theirs.cases.end())
        for (const std::string& each : cases->second)
          if (!hasCase(name, each)) add("case", fmt::format("{} of {}", each, name));
  }

  std::vector<UnknownName> take() { return std::move(unknown_); }

 private:
  void add(std::string kind, std::string name) {
    std::string reason = reasonFor(name);
    unknown_.push_back({std::move(kind), std::move(name), std::move(reason)});
  }

  void compareOperation(const std::string& name, const std::vector<std::string>& attributes) {
    const auto known = mlir::RegisteredOperationName::lookup(name, &context_);
    if (!known) return add("operation", name);
    for (const std::string& attribute : attributes)
      if (!llvm::is_contained(known->getAttributeNames(), llvm::StringRef(attribute)))
        add("attribute of an operation", fmt::format("{} of {}", attribute, name));
  }

  // The parser's error for `text`; empty where it takes it.
  std::string complaint(const std::string& text) {
    DiagnosticCollector diagnostics(context_);
    const bool taken = text[0] == '!' ? static_cast<bool>(mlir::parseType(text, &context_))
                                      : static_cast<bool>(mlir::parseAttribute(text, &context_));
    return taken ? "" : diagnostics.message("", "refused");
  }

  // Contexts do not list their types and attributes. The parser of a dialect says which it does
  // not have, and MLIR that a dialect has none.
  bool isKnown(char mark, const std::string& name) {
    const auto [dialect, word] = llvm::StringRef(name).split('.');
    const std::string said = complaint(fmt::format("{}{}<{}>", mark, dialect.str(), word.str()));
    const auto says = [&](const std::string& part) { return said.find(part) != said.npos; };
    return !says(fmt::format("`{}` in dialect `{}`", word.str(), dialect.str())) &&
           !says(fmt::format("dialect `{}` provides no", dialect.str())) &&
           !says(fmt::format("dialect '{}' provides no", dialect.str()));
  }

  bool hasCase(const std::string& name, const std::string& value) {
    const auto [dialect, word] = llvm::StringRef(name).split('.');
    return complaint(fmt::format("#{}<{} {}>", dialect.str(), word.str(), value)).empty() ||
           complaint(fmt::format("#{}<{}<{}>>", dialect.str(), word.str(), value)).empty();
  }

  mlir::MLIRContext& context_;
  std::vector<UnknownName> unknown_;
};

}  // namespace

std::vector<UnknownName> unknownNames(ProgramContext& context, const DialectNames& theirs) {
  Comparison comparison(context);
  comparison.compare(theirs);
  return comparison.take();
}

}  // namespace vintage::golden
