// The dialect as a whole. The operations stand in families, FAMILY_ops.td; the
// header of each is generated (FAMILY_ops.h), so that a file can include the
// classes of one family without the others.
include "golden/dialects/stablehlo/binary_ops.td"
include "golden/dialects/stablehlo/collective_ops.td"
include "golden/dialects/stablehlo/communication_ops.td"
include "golden/dialects/stablehlo/contraction_ops.td"
include "golden/dialects/stablehlo/control_flow_ops.td"
include "golden/dialects/stablehlo/dynamic_ops.td"
include "golden/dialects/stablehlo/gather_scatter_ops.td"
include "golden/dialects/stablehlo/numerics_ops.td"
include "golden/dialects/stablehlo/reduction_ops.td"
include "golden/dialects/stablehlo/shape_ops.td"
include "golden/dialects/stablehlo/unary_ops.td"
