// Programs: StableHLO text, trees and portable artifacts of any released version, read, verified,
// converted between versions, made static and written. With golden/dialects the only
// room that compiles against MLIR; its headers show no MLIR to others, except program_module.h.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::module {}

namespace vintage::golden::program {
using namespace golden::base;
using namespace golden::module;
}  // namespace vintage::golden::program
