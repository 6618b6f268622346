#loc = loc("k.py":2:1)
module {
  tt.func public @k(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32} loc("x"(#loc)), %y: !tt.ptr<i32> loc("y"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    %id = tt.get_program_id x : i32 loc(#loc)
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %unused = ub.poison : i32
    %all = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x!tt.ptr<i32>>
    %p = tt.addptr %xs, %all : tensor<2x!tt.ptr<i32>>, tensor<2xi32>
    %limit = arith.constant dense<2> : tensor<2xi32>
    %mask = arith.cmpi slt, %all, %limit : tensor<2xi32>
    %other = arith.constant dense<0> : tensor<2xi32>
    %v = tt.load %p, %mask, %other evictionPolicy = evict_last : tensor<2x!tt.ptr<i32>>
    %column = tt.expand_dims %v {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
    %wide = tt.broadcast %column : tensor<2x1xi32> -> tensor<2x3xi32>
    %sums = "tt.reduce"(%wide) <{axis = 0 : i32}> ({
    ^bb0(%a: i32 loc(unknown), %b: i32 loc(unknown)):
      %s = tt.call @add(%a, %b) : (i32, i32) -> i32
      tt.reduce.return %s : i32
    }) : (tensor<2x3xi32>) -> tensor<3xi32>
    %total = "tt.reduce"(%sums) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = tt.call @add(%a, %b) : (i32, i32) -> i32
      tt.reduce.return %s : i32
    }) : (tensor<3xi32>) -> i32
    %counted = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %total) -> (i32)  : i32 {
      %next = arith.addi %c, %i overflow<nsw> : i32
      scf.yield %next : i32
    } {tt.num_stages = 2 : i32}
    scf.for %i = %c0 to %c3 step %c1  : i32 {
    }
    %first = arith.cmpi eq, %id, %c0 : i32
    %chosen = scf.if %first -> (i32) {
      scf.yield %counted : i32
    } else {
      %more = arith.addi %counted, %n : i32
      scf.yield %more : i32
    }
    %last:2 = scf.while (%w = %chosen, %turn = %c0) : (i32, i32) -> (i32, i32) {
      %goes = arith.cmpi slt, %turn, %c3 : i32
      scf.condition(%goes) %w, %turn : i32, i32
    } do {
    ^bb0(%w: i32, %turn: i32):
      %twice = arith.addi %w, %w : i32
      %next = arith.addi %turn, %c1 : i32
      scf.yield %twice, %next : i32, i32
    }
    %q = tt.addptr %y, %id : !tt.ptr<i32>, i32
    tt.store %q, %last#0 : !tt.ptr<i32>
    tt.print " sum: " {hex = false, isSigned = array<i32: 1>} : %last#0 : i32
    tt.assert %first, "the first" : i1
    tt.return loc(#loc)
  } loc(#loc)
  tt.func private @add(%a: i32, %b: i32) -> i32 attributes {noinline = false} {
    %s = arith.addi %a, %b : i32
    tt.return %s : i32
  ^bb1:  // no predecessors
    %none = ub.poison : i32
    tt.return %none : i32
  }
}
