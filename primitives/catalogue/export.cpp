#include "primitives/catalogue/export.h"

#include <memory>
#include <utility>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// `symbolic`: the shapes of values that are not static; empty: all are static.
std::vector<AbstractValue> abstractValues(std::span<const TensorType> values,
                                          std::span<const std::vector<std::string>> symbolic,
                                          const ProducerFacts& producer) {
  std::vector<AbstractValue> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i].dtype = exportedDtype(values[i].type);
    if (!symbolic.empty()) result[i].shape = symbolic[i];
    for (int64_t dimension : values[i].shape)
      if (symbolic.empty()) result[i].shape.push_back(std::to_string(dimension));
    // Memory spaces came with serialization version 5.
    if (producer.serialization >= 5) result[i].memorySpace = AbstractValue::MemorySpace::kDevice;
  }
  return result;
}

PyTree tupleOf(std::vector<PyTree> children) {
  PyTree tree;
  tree.kind = PyTree::Kind::kTuple;
  tree.children = std::move(children);
  return tree;
}

PyTree tupleOfLeaves(size_t count) { return tupleOf(std::vector<PyTree>(count)); }

// A call's arguments: the positional ones, and no keyword arguments.
PyTree argumentTree(size_t count) {
  PyTree keywords;
  keywords.kind = PyTree::Kind::kDict;
  return tupleOf({tupleOfLeaves(count), std::move(keywords)});
}

std::vector<Sharding> shardingsOf(const std::vector<NamedSharding>& named, size_t values) {
  std::vector<Sharding> shardings(values);
  for (size_t i = 0; i < named.size(); ++i) {
    shardings[i].kind = Sharding::Kind::kNamedSharding;
    shardings[i].named = named[i];
  }
  return shardings;
}

bool isDifferentiated(const AbstractValue& value) {
  return value.dtype.starts_with("f") || value.dtype.starts_with("bf") ||
         value.dtype.starts_with("c");
}

// A cotangent of integers or predicates is a float0, which modules have as i1.
void markFloat0(const Exported& primal, Exported& derivative) {
  const size_t inputs = primal.inputs.size();
  for (size_t i = 0; i < inputs; ++i) {
    if (!isDifferentiated(primal.inputs[i])) derivative.outputs[i].dtype = "f0";
  }
  for (size_t i = 0; i < primal.outputs.size(); ++i) {
    if (!isDifferentiated(primal.outputs[i])) derivative.inputs[inputs + i].dtype = "f0";
  }
}

Result<std::vector<std::byte>> writtenModule(ProgramContext& context, const ModuleTree& module,
                                             const std::string& place,
                                             const ProducerFacts& producer,
                                             WrittenModules* written) {
  if (written) {
    for (const auto& [known, artifact] : *written)
      if (known == module) return artifact;
  }
  ASSIGN_OR_RETURN(Program program, context.build(module, place));
  ASSIGN_OR_RETURN(auto artifact, program.writePortableArtifact(producer.stablehlo));
  if (written) written->emplace_back(module, artifact);
  return artifact;
}

Result<Exported> exportLowered(ProgramContext& context, const LoweredCase* lowered,
                               const std::string& functionName, const std::string& place,
                               const ProducerFacts& producer, WrittenModules* written) {
  ASSIGN_OR_RETURN(auto artifact,
                   writtenModule(context, lowered->module, place, producer, written));

  Exported exported;
  exported.serializationVersion = producer.serialization;
  exported.callingConventionVersion = producer.callingConvention;
  exported.functionName = functionName;
  exported.inputTree = argumentTree(lowered->inputs.size());
  // One output is the result itself; several are a tuple.
  if (lowered->outputs.size() != 1) exported.outputTree = tupleOfLeaves(lowered->outputs.size());
  exported.inputs = abstractValues(lowered->inputs, lowered->symbolicInputs, producer);
  exported.outputs = abstractValues(lowered->outputs, lowered->symbolicOutputs, producer);
  exported.deviceCount = lowered->deviceCount;
  exported.inputShardings = shardingsOf(lowered->inputShardings, exported.inputs.size());
  exported.outputShardings = shardingsOf(lowered->outputShardings, exported.outputs.size());
  exported.platforms = lowered->platforms;
  exported.orderedEffects = lowered->orderedEffects;
  // JAX passes these values in front of the arguments, and then refines the module before it
  // compiles.
  exported.usesGlobalConstants = !lowered->symbolicInputs.empty() || lowered->platforms.size() > 1;
  exported.keptInputs = lowered->keptInputs;
  for (const std::string& target : lowered->disabledCustomCallChecks)
    exported.disabledChecks.push_back({DisabledSafetyCheck::Kind::kCustomCall, target});
  exported.module = std::move(artifact);
  if (producer.serialization >= 12) exported.jaxVersion = producer.jaxVersion;
  if (lowered->derivative) {
    ASSIGN_OR_RETURN(Exported derivative, exportLowered(context, lowered->derivative.get(),
                                                        "fun_vjp_jax", place, producer, written));
    // It always returns a tuple, a single cotangent too.
    derivative.outputTree = tupleOfLeaves(derivative.outputs.size());
    markFloat0(exported, derivative);
    exported.vjp = std::make_unique<Exported>(std::move(derivative));
  }
  return exported;
}

}  // namespace

std::string exportedDtype(ElementType type) {
  for (int8_t number = 0; const auto name = wireDtypeName(number); ++number) {
    if (dtypeCarrier(*name)->type == type) return std::string(*name);
  }
  return std::string(stablehloName(type));
}

Result<Exported> exportCase(ProgramContext& context, const Case& entry, const std::string& platform,
                            const ProducerFacts& producer, WrittenModules* written) {
  const std::string place = "<case " + entry.id + ">";
  ASSIGN_OR_RETURN(LoweredCase lowered, within(place, entry.lower(platform, *producer.profile)));
  return exportLowered(context, &lowered, entry.primitive, place, producer, written);
}

Result<Golden> goldenFor(const Case& entry) {
  Golden golden;
  golden.inputs = entry.makeInputs();
  ASSIGN_OR_RETURN(golden.expected,
                   within("<case " + entry.id + ">", entry.expected(golden.inputs)));
  golden.comparators = entry.comparators;
  golden.oracle = entry.oracle;
  return golden;
}

}  // namespace vintage::primitives
