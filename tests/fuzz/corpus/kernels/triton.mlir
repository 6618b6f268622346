"builtin.module"() ({ "tt.func"() ({
^bb0(%x: !tt.ptr<i32>, %n: i32):
  %id = "tt.get_program_id"() {axis = 0 : i32} : () -> i32
  %p = "tt.addptr"(%x, %id) : (!tt.ptr<i32>, i32) -> !tt.ptr<i32>
  %v = "tt.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!tt.ptr<i32>) -> i32
  %w = "arith.addi"(%v, %n) : (i32, i32) -> i32
  "tt.store"(%p, %w) : (!tt.ptr<i32>, i32) -> ()
  "tt.return"() : () -> ()
}) {function_type = (!tt.ptr<i32>, i32) -> (), sym_name = "k"} : () -> ()
}) : () -> ()
