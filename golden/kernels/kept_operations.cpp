// The operations in Triton kernels that JAX writes since 0.4.30, as its Python bindings name them
// (jaxlib/triton/_triton_ops_gen.py), and that jax-triton writes beside them.
#include "golden/kernels/kept_dialects.h"

namespace vintage::golden::kept {

const std::vector<Operations>& operations() {
  static const std::vector<Operations> all = {
      {"arith",
       "addf addi andi bitcast ceildivsi cmpf cmpi constant divf divsi divui extf extsi extui "
       "floordivsi fptosi fptoui index_cast index_castui maximumf maxnumf maxsi maxui minimumf "
       "minnumf minsi minui mulf muli mulsi_extended mului_extended negf ori remf remsi remui "
       "select shli shrsi shrui sitofp subf subi truncf trunci uitofp xori",
       {{"constant", "value"}, {"cmpi", "predicate"}, {"cmpf", "fastmath? predicate"}}},
      {"cf", "br cond_br", {{"cond_br", "", 3}, {"cond_br", "branch_weights?", 3}}},
      {"math",
       "absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh ctlz ctpop cttz erf "
       "exp exp2 expm1 floor fma fpowi log log10 log1p log2 powf round roundeven rsqrt sin sinh "
       "sqrt tan tanh trunc",
       {}},
      {"scf", "condition for if while yield", {}},
      {"tt",
       "addptr approx_divf assert atomic_cas atomic_rmw bitcast broadcast call cat clampf dot "
       "elementwise_inline_asm expand_dims extern_elementwise fp_to_fp func get_num_programs "
       "get_program_id int_to_ptr join load make_range mulhiui precise_divf precise_sqrt print "
       "ptr_to_int reduce reduce.return reshape return scan scan.return splat split store trans "
       "unsplat",
       {
           {"assert", "file func line message"},  // Of 0.4.30.
           {"assert", "message"},
           {"atomic_cas", "scope sem"},
           {"atomic_rmw", "atomic_rmw_op scope sem"},
           {"call", "callee"},
           {"call", "arg_attrs? callee res_attrs?"},  // Of 0.12.
           {"clampf", "propagateNan"},
           {"dot", "inputPrecision? maxNumImpreciseAcc?"},
           {"elementwise_inline_asm", "asm_string constraints packed_element pure"},
           {"expand_dims", "axis"},
           {"extern_elementwise", "libname libpath pure symbol"},
           {"fp_to_fp", "rounding?"},
           {"func", "arg_attrs? function_type res_attrs? sym_name sym_visibility?"},
           {"get_num_programs", "axis"},
           {"get_program_id", "axis"},
           {"load", "boundaryCheck? cache? evict? isVolatile? padding?", 3},
           {"load", "cache? evict? isVolatile?", 3},
           {"load", "cachePolicy? isVolatile?", 3},  // Of 0.12.
           {"make_range", "end start"},
           {"print", "hex prefix"},  // Of 0.4.30.
           {"print", "hex isSigned prefix"},
           {"reduce", "axis"},
           {"reshape", "allow_reorder? efficient_layout?"},
           {"scan", "axis reverse"},
           {"trans", "order"},
       }},
      {"ub", "poison", {}},
  };
  return all;
}

}  // namespace vintage::golden::kept
