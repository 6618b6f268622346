// Programs with dynamic dimensions, as text, and their static form.
#pragma once

#include <string>
#include <vector>

#include "golden/program/static_shapes.h"

namespace vintage::tests::static_shapes {

inline Result<golden::Program> makeStatic(golden::ProgramContext& context, const std::string& text,
                                          const std::vector<golden::StaticArgument>& arguments) {
  ASSIGN_OR_RETURN(auto program, context.parseText(text, "test.mlir"));
  return makeShapesStatic(program, arguments);
}

// The text of the static program, or the error.
inline std::string staticText(const std::string& text,
                              const std::vector<golden::StaticArgument>& arguments) {
  golden::ProgramContext context;
  auto program = makeStatic(context, text, arguments);
  return program ? program->print() : program.error().message;
}

// A @main with `arguments`, whose one result is %r of type `result`.
inline std::string mainOf(const std::string& arguments, const std::string& body,
                          const std::string& result) {
  return "func.func public @main(" + arguments + ") -> " + result + " {\n" + body +
         "\n  return %r : " + result + "\n}\n";
}

}  // namespace vintage::tests::static_shapes
