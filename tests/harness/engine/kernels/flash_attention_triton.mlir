// Flash attention as JAX 0.12.0 lowers it through Triton: 512 x 64, blocks of 64 rows.
"builtin.module"() ({
  "tt.func"() ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: !tt.ptr<f32>):
    %0 = "tt.get_program_id"() {axis = 0 : i32} : () -> i32
    %1 = "arith.constant"() {value = 0 : i32} : () -> i32
    %2 = "arith.constant"() {value = 64 : i32} : () -> i32
    %3 = "arith.muli"(%0, %2) : (i32, i32) -> i32
    %4 = "arith.constant"() {value = 64 : i32} : () -> i32
    %5 = "arith.muli"(%1, %4) : (i32, i32) -> i32
    %6 = "arith.constant"() {value = 0 : i32} : () -> i32
    %7 = "arith.constant"() {value = 0 : i32} : () -> i32
    %8 = "arith.constant"() {value = 512 : i32} : () -> i32
    %9 = "arith.muli"(%6, %8) : (i32, i32) -> i32
    %10 = "arith.constant"() {value = 64 : i32} : () -> i32
    %11 = "arith.muli"(%7, %10) : (i32, i32) -> i32
    %12 = "arith.constant"() {value = 0 : i32} : () -> i32
    %13 = "arith.constant"() {value = 0 : i32} : () -> i32
    %14 = "arith.constant"() {value = 512 : i32} : () -> i32
    %15 = "arith.muli"(%12, %14) : (i32, i32) -> i32
    %16 = "arith.constant"() {value = 64 : i32} : () -> i32
    %17 = "arith.muli"(%13, %16) : (i32, i32) -> i32
    %18 = "arith.constant"() {value = 0 : i32} : () -> i32
    %19 = "arith.constant"() {value = 64 : i32} : () -> i32
    %20 = "arith.muli"(%0, %19) : (i32, i32) -> i32
    %21 = "arith.constant"() {value = 64 : i32} : () -> i32
    %22 = "arith.muli"(%18, %21) : (i32, i32) -> i32
    %23 = "arith.constant"() {value = 0 : i32} : () -> i32
    %24 = "tt.splat"(%23) : (i32) -> tensor<64x64xi32>
    %25 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
    %26 = "tt.expand_dims"(%25) {axis = 1 : i32} : (tensor<64xi32>) -> tensor<64x1xi32>
    %27 = "tt.broadcast"(%26) : (tensor<64x1xi32>) -> tensor<64x64xi32>
    %28 = "tt.splat"(%3) : (i32) -> tensor<64x64xi32>
    %29 = "arith.addi"(%27, %28) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %30 = "arith.constant"() {value = 64 : i32} : () -> i32
    %31 = "tt.splat"(%30) : (i32) -> tensor<64x64xi32>
    %32 = "arith.muli"(%29, %31) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %33 = "arith.addi"(%24, %32) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %34 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
    %35 = "tt.expand_dims"(%34) {axis = 0 : i32} : (tensor<64xi32>) -> tensor<1x64xi32>
    %36 = "tt.broadcast"(%35) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %37 = "tt.splat"(%5) : (i32) -> tensor<64x64xi32>
    %38 = "arith.addi"(%36, %37) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %39 = "arith.constant"() {value = 1 : i32} : () -> i32
    %40 = "tt.splat"(%39) : (i32) -> tensor<64x64xi32>
    %41 = "arith.muli"(%38, %40) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %42 = "arith.addi"(%33, %41) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %43 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>>
    %44 = "tt.addptr"(%43, %42) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f32>>
    %45 = "tt.load"(%44) {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32>
    %46 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %47 = "tt.splat"(%46) : (f32) -> tensor<64x64xf32>
    %48 = "arith.constant"() {value = -1.000000e+30 : f32} : () -> f32
    %49 = "tt.splat"(%48) : (f32) -> tensor<64x1xf32>
    %50 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %51 = "tt.splat"(%50) : (f32) -> tensor<64x1xf32>
    %52 = "arith.constant"() {value = 0 : i32} : () -> i32
    %53 = "arith.constant"() {value = 8 : i32} : () -> i32
    %54 = "arith.addi"(%52, %53) : (i32, i32) -> i32
    %55 = "arith.constant"() {value = 1 : i32} : () -> i32
    %56:3 = "scf.for"(%52, %54, %55, %47, %49, %51) ({
    ^bb0(%arg4: i32, %arg5: tensor<64x64xf32>, %arg6: tensor<64x1xf32>, %arg7: tensor<64x1xf32>):
      %82 = "arith.constant"() {value = 64 : i32} : () -> i32
      %83 = "arith.muli"(%arg4, %82) : (i32, i32) -> i32
      %84 = "arith.constant"() {value = 0 : i32} : () -> i32
      %85 = "tt.splat"(%84) : (i32) -> tensor<64x64xi32>
      %86 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
      %87 = "tt.splat"(%83) : (i32) -> tensor<64xi32>
      %88 = "arith.addi"(%87, %86) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
      %89 = "tt.expand_dims"(%88) {axis = 1 : i32} : (tensor<64xi32>) -> tensor<64x1xi32>
      %90 = "tt.broadcast"(%89) : (tensor<64x1xi32>) -> tensor<64x64xi32>
      %91 = "tt.splat"(%9) : (i32) -> tensor<64x64xi32>
      %92 = "arith.addi"(%90, %91) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %93 = "arith.constant"() {value = 64 : i32} : () -> i32
      %94 = "tt.splat"(%93) : (i32) -> tensor<64x64xi32>
      %95 = "arith.muli"(%92, %94) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %96 = "arith.addi"(%85, %95) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %97 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
      %98 = "tt.expand_dims"(%97) {axis = 0 : i32} : (tensor<64xi32>) -> tensor<1x64xi32>
      %99 = "tt.broadcast"(%98) : (tensor<1x64xi32>) -> tensor<64x64xi32>
      %100 = "tt.splat"(%11) : (i32) -> tensor<64x64xi32>
      %101 = "arith.addi"(%99, %100) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %102 = "arith.constant"() {value = 1 : i32} : () -> i32
      %103 = "tt.splat"(%102) : (i32) -> tensor<64x64xi32>
      %104 = "arith.muli"(%101, %103) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %105 = "arith.addi"(%96, %104) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %106 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>>
      %107 = "tt.addptr"(%106, %105) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f32>>
      %108 = "tt.load"(%107) {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32>
      %109 = "tt.trans"(%108) {order = array<i32: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
      %110 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
      %111 = "tt.splat"(%110) : (f32) -> tensor<64x64xf32>
      %112 = "tt.dot"(%45, %109, %111) {inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %113 = "arith.constant"() {value = 1.250000e-01 : f32} : () -> f32
      %114 = "tt.splat"(%113) : (f32) -> tensor<64x64xf32>
      %115 = "arith.mulf"(%112, %114) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %116 = "arith.constant"() {value = 0 : i32} : () -> i32
      %117 = "tt.splat"(%116) : (i32) -> tensor<64x64xi32>
      %118 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
      %119 = "tt.splat"(%83) : (i32) -> tensor<64xi32>
      %120 = "arith.addi"(%119, %118) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
      %121 = "tt.expand_dims"(%120) {axis = 1 : i32} : (tensor<64xi32>) -> tensor<64x1xi32>
      %122 = "tt.broadcast"(%121) : (tensor<64x1xi32>) -> tensor<64x64xi32>
      %123 = "tt.splat"(%15) : (i32) -> tensor<64x64xi32>
      %124 = "arith.addi"(%122, %123) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %125 = "arith.constant"() {value = 64 : i32} : () -> i32
      %126 = "tt.splat"(%125) : (i32) -> tensor<64x64xi32>
      %127 = "arith.muli"(%124, %126) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %128 = "arith.addi"(%117, %127) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %129 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
      %130 = "tt.expand_dims"(%129) {axis = 0 : i32} : (tensor<64xi32>) -> tensor<1x64xi32>
      %131 = "tt.broadcast"(%130) : (tensor<1x64xi32>) -> tensor<64x64xi32>
      %132 = "tt.splat"(%17) : (i32) -> tensor<64x64xi32>
      %133 = "arith.addi"(%131, %132) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %134 = "arith.constant"() {value = 1 : i32} : () -> i32
      %135 = "tt.splat"(%134) : (i32) -> tensor<64x64xi32>
      %136 = "arith.muli"(%133, %135) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %137 = "arith.addi"(%128, %136) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
      %138 = "tt.splat"(%arg2) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>>
      %139 = "tt.addptr"(%138, %137) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f32>>
      %140 = "tt.load"(%139) {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32>
      %141 = "tt.reduce"(%115) ({
      ^bb0(%arg10: f32, %arg11: f32):
        %160 = "arith.maxnumf"(%arg10, %arg11) : (f32, f32) -> f32
        "tt.reduce.return"(%160) : (f32) -> ()
      }) {axis = 1 : i32} : (tensor<64x64xf32>) -> tensor<64xf32>
      %142 = "tt.expand_dims"(%141) {axis = 1 : i32} : (tensor<64xf32>) -> tensor<64x1xf32>
      %143 = "arith.maxnumf"(%arg6, %142) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
      %144 = "tt.broadcast"(%143) : (tensor<64x1xf32>) -> tensor<64x64xf32>
      %145 = "arith.subf"(%115, %144) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %146 = "tt.extern_elementwise"(%145) {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
      %147 = "arith.subf"(%arg6, %143) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
      %148 = "tt.extern_elementwise"(%147) {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<64x1xf32>) -> tensor<64x1xf32>
      %149 = "tt.broadcast"(%148) : (tensor<64x1xf32>) -> tensor<64x64xf32>
      %150 = "arith.mulf"(%arg5, %149) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %151 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
      %152 = "tt.splat"(%151) : (f32) -> tensor<64x64xf32>
      %153 = "tt.dot"(%146, %140, %152) {inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %154 = "arith.addf"(%150, %153) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %155 = "arith.mulf"(%arg7, %148) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
      %156 = "tt.reduce"(%146) ({
      ^bb0(%arg8: f32, %arg9: f32):
        %159 = "arith.addf"(%arg8, %arg9) : (f32, f32) -> f32
        "tt.reduce.return"(%159) : (f32) -> ()
      }) {axis = 1 : i32} : (tensor<64x64xf32>) -> tensor<64xf32>
      %157 = "tt.expand_dims"(%156) {axis = 1 : i32} : (tensor<64xf32>) -> tensor<64x1xf32>
      %158 = "arith.addf"(%155, %157) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
      "scf.yield"(%154, %143, %158) : (tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>) -> ()
    }) : (i32, i32, i32, tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>) -> (tensor<64x64xf32>, tensor<64x1xf32>, tensor<64x1xf32>)
    %57 = "tt.broadcast"(%56#2) : (tensor<64x1xf32>) -> tensor<64x64xf32>
    %58 = "arith.divf"(%56#0, %57) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %59 = "arith.constant"() {value = 0 : i32} : () -> i32
    %60 = "tt.splat"(%59) : (i32) -> tensor<64x64xi32>
    %61 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
    %62 = "tt.expand_dims"(%61) {axis = 1 : i32} : (tensor<64xi32>) -> tensor<64x1xi32>
    %63 = "tt.broadcast"(%62) : (tensor<64x1xi32>) -> tensor<64x64xi32>
    %64 = "tt.splat"(%20) : (i32) -> tensor<64x64xi32>
    %65 = "arith.addi"(%63, %64) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %66 = "arith.constant"() {value = 64 : i32} : () -> i32
    %67 = "tt.splat"(%66) : (i32) -> tensor<64x64xi32>
    %68 = "arith.muli"(%65, %67) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %69 = "arith.addi"(%60, %68) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %70 = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
    %71 = "tt.expand_dims"(%70) {axis = 0 : i32} : (tensor<64xi32>) -> tensor<1x64xi32>
    %72 = "tt.broadcast"(%71) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %73 = "tt.splat"(%22) : (i32) -> tensor<64x64xi32>
    %74 = "arith.addi"(%72, %73) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %75 = "arith.constant"() {value = 1 : i32} : () -> i32
    %76 = "tt.splat"(%75) : (i32) -> tensor<64x64xi32>
    %77 = "arith.muli"(%74, %76) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %78 = "arith.addi"(%69, %77) : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %79 = "tt.splat"(%arg3) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>>
    %80 = "tt.addptr"(%79, %78) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f32>>
    %81 = "tt.load"(%80) {isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32>
    "tt.store"(%80, %58) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) -> ()
    "tt.return"() : () -> ()
  }) {function_type = (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "kernel", sym_visibility = "public"} : () -> ()
}) : () -> ()

