// Runs a function on the pool of workers and comes back to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "archive/service/event_loop.h"

namespace vintage::archive {

// `function` must not throw, and returns something.
template <typename Function>
Awaitable<std::invoke_result_t<Function>> onWorker(asio::thread_pool& workers, Function function) {
  using Value = std::invoke_result_t<Function>;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void(Value)>(
      [&workers](auto handler, Function work) {
        auto loop = asio::make_work_guard(asio::get_associated_executor(handler));
        asio::post(workers, [work = std::move(work), handler = std::move(handler),
                             loop = std::move(loop)]() mutable {
          auto value = work();
          auto executor = loop.get_executor();
          asio::dispatch(executor,
                         [handler = std::move(handler), value = std::move(value)]() mutable {
                           handler(std::move(value));
                         });
        });
      },
      asio::use_awaitable_t<Executor>{}, std::move(function));
}

// `function` must not throw; it, or another thread later, calls what it is given with the value,
// once.
template <typename Value, typename Function>
Awaitable<Value> onWorkerLater(asio::thread_pool& workers, Function function) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void(Value)>(
      [&workers](auto handler, Function work) {
        struct Waiting {
          explicit Waiting(decltype(handler) taken)
              : loop(asio::make_work_guard(asio::get_associated_executor(taken))),
                handler(std::move(taken)) {}
          decltype(asio::make_work_guard(asio::get_associated_executor(handler))) loop;
          decltype(handler) handler;
        };
        auto waiting = std::make_shared<Waiting>(std::move(handler));
        asio::post(workers, [work = std::move(work), waiting = std::move(waiting)]() mutable {
          work(std::function<void(Value)>([waiting](Value value) {
            asio::dispatch(waiting->loop.get_executor(),
                           [waiting, value = std::move(value)]() mutable {
                             auto resumed = std::move(waiting->handler);
                             waiting->loop.reset();
                             resumed(std::move(value));
                           });
          }));
        });
      },
      asio::use_awaitable_t<Executor>{}, std::move(function));
}

}  // namespace vintage::archive
