// Mosaic kernels that several devices run together.
#include <thread>

#include <gmock/gmock.h>

#include "harness/engine/process.h"
#include "tests/harness/engine/kernels/run_kernel.h"

namespace vintage::tests::mosaic_devices_test {
using namespace kernel_test;
using engine_test::values;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// Each device on a thread of its own, with its place as its only operand.
Result<std::vector<Tensor>> runOnDevices(const KernelCase& kernel, int64_t devices,
                                         const golden::ValueType& result) {
  const std::string text = kernelText(kernel);
  ASSIGN_OR_RETURN(auto tree, golden::readMosaicKernel(std::as_bytes(std::span(text)), "test"));
  ASSIGN_OR_RETURN(const auto made,
                   harness::MosaicKernel::make(std::move(tree), std::vector{f32({1})}, {{result}},
                                               std::vector<int64_t>{-1}));
  harness::ProcessRun run({1, devices}, nullptr);
  std::vector<Tensor> results(static_cast<size_t>(devices));
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < devices; ++i)
    threads.emplace_back([&, i] {
      const harness::GridProcess process(run, i);
      const Tensor operand = floats({1}, {static_cast<float>(i)});
      auto outputs = made->run({{operand}}, 100000);
      if (outputs) results[static_cast<size_t>(i)] = outputs->at(0);
      run.rendezvous().end(i, outputs ? Status() : tl::unexpected(outputs.error()));
    });
  for (std::thread& thread : threads) thread.join();
  RETURN_IF_ERROR(run.outcome());
  return results;
}

const std::string kAny = "memref<1xf32, #tpu.memory_space<any>>";
const std::string kDma = "memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>";
const std::string kCount = "memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>";

// %id, and the device at its right in a ring of `devices`.
std::string neighbours(int devices) {
  return R"(
    %id = "tpu.device_id"() : () -> i32
    %one = "arith.constant"() {value = 1 : i32} : () -> i32
    %n = "arith.constant"() {value = )" +
         std::to_string(devices) + R"( : i32} : () -> i32
    %next = "arith.addi"(%id, %one) : (i32, i32) -> i32
    %right = "arith.remsi"(%next, %n) : (i32, i32) -> i32)";
}

std::string copyTo(const std::string& device, const std::string& from, const std::string& to) {
  return R"(
    "tpu.enqueue_dma"()" +
         from + ", %sent, " + to + ", %came, " + device +
         ") {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>} : (" + kAny + ", " + kDma +
         ", " + kAny + ", " + kDma + R"(, i32) -> () loc("ring.py":5:1))";
}

std::string waitFor(const std::string& semaphore, const std::string& end) {
  return R"(
    "tpu.wait_dma2"()" +
         semaphore + ", " + end + ", " + end + ") : (" + kDma + ", " + kAny + ", " + kAny +
         R"() -> () loc("ring.py":6:1))";
}

KernelCase ring(const std::string& body, const std::string& result = kAny) {
  return {"%a: " + kAny + ", %b: " + result + ", %sent: " + kDma + ", %came: " + kDma,
          neighbours(4) + body, "scalar_prefetch = 0 : i64, scratch_operands = 2 : i64"};
}

TEST(MosaicDevices, ACopyReachesTheDeviceAtTheRight) {
  const auto results = runOnDevices(
      ring(copyTo("%right", "%a", "%b") + waitFor("%sent", "%a") + waitFor("%came", "%b")), 4,
      f32({1}));
  ASSERT_TRUE(results) << messageOf(results);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_THAT(values<float>((*results)[i]), ElementsAre(static_cast<float>((i + 3) % 4)));
}

// Each device hands on what came last, so that after three turns each has the parts of all.
TEST(MosaicDevices, AllGatherOverARingOfFour) {
  const std::string four = "memref<4x1xf32, #tpu.memory_space<any>>";
  const auto part = [&](const std::string& name, const std::string& index) {
    return "\n%" + name + "s = \"tpu.memref_slice\"(%b, " + index +
           ", %zero) {operandSegmentSizes = array<i32: 1, 2, 0>} : (" + four +
           ", i32, i32) -> memref<1x1xf32, #tpu.memory_space<any>>\n%" + name +
           " = \"tpu.memref_squeeze\"(%" + name +
           "s) : (memref<1x1xf32, #tpu.memory_space<any>>) -> " + kAny;
  };
  const std::string body = R"(
    %zero = "arith.constant"() {value = 0 : i32} : () -> i32
    %three = "arith.constant"() {value = 3 : i32} : () -> i32)" +
                           part("own", "%id") + copyTo("%id", "%a", "%own") +
                           waitFor("%sent", "%a") + waitFor("%came", "%own") + R"(
    "scf.for"(%zero, %three, %one) ({
    ^bb0(%i: i32):
      %back = "arith.subi"(%id, %i) : (i32, i32) -> i32
      %up = "arith.addi"(%back, %n) : (i32, i32) -> i32
      %slot = "arith.remsi"(%up, %n) : (i32, i32) -> i32)" +
                           part("p", "%slot") + copyTo("%right", "%p", "%p") +
                           waitFor("%sent", "%p") + waitFor("%came", "%p") + R"(
      "scf.yield"() : () -> ()
    }) : (i32, i32, i32) -> ())";
  const auto results = runOnDevices(ring(body, four), 4, f32({4, 1}));
  ASSERT_TRUE(results) << messageOf(results);
  for (const Tensor& each : *results) EXPECT_THAT(values<float>(each), ElementsAre(0, 1, 2, 3));
}

std::string signalTo(const std::string& device, const std::string& semaphore) {
  return "\n\"tpu.sem_signal\"(" + semaphore + ", %one, " + device +
         ") {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (" + kCount + ", i32, i32) -> ()";
}
std::string waitForSignal(const std::string& semaphore) {
  return "\n\"tpu.sem_wait\"(" + semaphore + ", %one) : (" + kCount +
         ", i32) -> () loc(\"ring.py\":9:1)";
}
const std::string kBarrier = "\n%m = \"tpu.sem_barrier\"() : () -> " + kCount;

TEST(MosaicDevices, ABarrierSemaphoreIsSignalledByTheNeighbour) {
  // The second call of tpu.sem_barrier gives the same semaphore.
  const auto results = runOnDevices(
      ring(kBarrier + signalTo("%right", "%m") + "\n%m2 = \"tpu.sem_barrier\"() : () -> " + kCount +
           waitForSignal("%m2") + copyTo("%right", "%a", "%b") + waitFor("%sent", "%a") +
           waitFor("%came", "%b")),
      4, f32({1}));
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(3));
}

TEST(MosaicDevices, AWaitThatNoDeviceEverSatisfiesNamesThePlaceOfEach) {
  EXPECT_THAT(
      messageOf(runOnDevices(ring(kBarrier + waitForSignal("%m")), 4, f32({1}))),
      AllOf(HasSubstr("it would wait for ever: the barrier semaphore stands at 0, it waits for 1"),
            HasSubstr("device 0: the barrier semaphore stands at 0, it waits for 1 at ring.py:9:1"),
            HasSubstr("in the kernel at ring.py:9:1")));
}

TEST(MosaicDevices, AWaitForADeviceThatHasEndedIsAnError) {
  const std::string body = kBarrier + R"(
    %zero = "arith.constant"() {value = 0 : i32} : () -> i32
    %first = "arith.cmpi"(%id, %zero) {predicate = 0 : i64} : (i32, i32) -> i1
    "scf.if"(%first) ({)" + waitForSignal("%m") +
                           R"(
      "scf.yield"() : () -> ()
    }, {}) : (i1) -> ())";
  EXPECT_THAT(messageOf(runOnDevices(ring(body), 2, f32({1}))),
              AllOf(HasSubstr("it would wait for ever: the barrier semaphore stands at 0"),
                    HasSubstr("device 1: has ended"), HasSubstr("ring.py:9:1")));
}

TEST(MosaicDevices, ACopyThatItsTargetDoesNotWaitForIsNamed) {
  EXPECT_THAT(messageOf(runOnDevices(ring(copyTo("%right", "%a", "%b") + waitFor("%sent", "%a")), 4,
                                     f32({1}))),
              AllOf(HasSubstr("while a DMA to result 0 of device"), HasSubstr("ring.py:5:1")));
}

// A copy may come before the device at the right has written, or after that.
TEST(MosaicDevices, WritingWhatAnotherDeviceCopiesToIsARace) {
  const std::string store = R"(
    %z = "arith.constant"() {value = 0 : index} : () -> index
    %v = "arith.constant"() {value = 1.0 : f32} : () -> f32
    "memref.store"(%v, %b, %z) : (f32, )" +
                            kAny + R"(, index) -> () loc("ring.py":3:1))";
  EXPECT_THAT(messageOf(runOnDevices(ring(store + copyTo("%right", "%a", "%b") +
                                          waitFor("%sent", "%a") + waitFor("%came", "%b")),
                                     4, f32({1}))),
              AllOf(HasSubstr("a race: writes element [0] of result 0"), HasSubstr("ring.py:3:1")));
}

TEST(MosaicDevices, ADeviceThatIsNotThereIsNamed) {
  EXPECT_THAT(
      messageOf(runOnDevices(ring(copyTo("%n", "%a", "%b")), 4, f32({1}))),
      AllOf(HasSubstr("there is no device 4: the kernel runs on 4"), HasSubstr("ring.py:5:1")));
}

}  // namespace
}  // namespace vintage::tests::mosaic_devices_test
