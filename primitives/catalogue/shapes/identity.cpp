// Primitives that return their argument or ignore its values: stop_gradient,
// device_put, copy_p, zeros_like.
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {

VINTAGE_FAMILY(addIdentityCases) {
  static constexpr const char* kIdentities[] = {"stop_gradient", "device_put", "copy"};
  for (ElementType type : types::all()) {
    const std::vector<CaseArgument> arguments{{type, {3, 4}}};
    for (const char* name : kIdentities) {
      for (const Shape& shape : {Shape{3, 4}, Shape{20, 20}}) {
        cases.add({.primitive = name,
                   .arguments = {{type, shape}},
                   .domains = {domains::kFewEdges},
                   .emit = [](FunctionBuilder&, Arguments arguments,
                              const std::string&) -> SsaValues { return {arguments[0]}; },
                   .expect = [](Tensors inputs) { return inputs[0]; },
                   .oracle = "definition"});
      }
    }
    cases.add(
        {.primitive = "zeros_like",
         .arguments = arguments,
         .domains = {domains::kFewEdges},
         .emit = [](FunctionBuilder& main, Arguments arguments) {
           return main.fill(arguments[0].type, 0, arguments[0].shape);
         },
         .expect = [](Tensors inputs) { return Tensor(inputs[0].type(), inputs[0].shape()); },
         .oracle = "definition"});
  }
}

}  // namespace vintage::primitives::catalogue
