"builtin.module"() ({
"stable_mosaic.func.func"() ({
^bb0(%i: i32, %a: memref<2xf32, #tpu.memory_space<vmem>>, %b: memref<2xf32, #tpu.memory_space<vmem>>):
  %z = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
  %0 = "stable_mosaic.vector.load"(%a, %z) : (memref<2xf32, #tpu.memory_space<vmem>>, index) -> vector<2xf32>
  "stable_mosaic.tpu.vector_store"(%0, %b, %z) {add = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>, strides = array<i32>} : (vector<2xf32>, memref<2xf32, #tpu.memory_space<vmem>>, index) -> ()
  "stable_mosaic.func.return"() : () -> ()
}) {function_type = (i32, memref<2xf32, #tpu.memory_space<vmem>>, memref<2xf32, #tpu.memory_space<vmem>>) -> (), iteration_bounds = array<i64: 3>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, sym_name = "kernel", window_params = [{transform_indices = @place, window_bounds = array<i64: 2>}, {transform_indices = @place, window_bounds = array<i64: 2>}]} : () -> ()
"stable_mosaic.func.func"() ({
^bb0(%i: i32):
  "stable_mosaic.func.return"(%i) : (i32) -> ()
}) {function_type = (i32) -> i32, sym_name = "place"} : () -> ()
}) {stable_mosaic.version = 15 : i64} : () -> ()
