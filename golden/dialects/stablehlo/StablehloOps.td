// What generates the dialect, its types, attributes and enums. The operations
// are generated from FAMILY_ops.td, each into its own pair of files, so that
// one family compiles without the others.
include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloEnums.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"
