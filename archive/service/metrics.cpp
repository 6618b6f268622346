#include "archive/service/metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::archive {

Metrics::Metrics(std::vector<std::string> operations) : operations_(std::move(operations)) {
  for (size_t index = 0; index <= operations_.size(); ++index)
    rows_.push_back(std::make_unique<Row>());
}

void Metrics::countRequest(size_t operation, int status, double seconds, uint64_t received,
                           uint64_t sent) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Row& row = *rows_[std::min(operation, operations_.size())];
  row.byClass[static_cast<size_t>(std::clamp(status / 100, 1, 5))].fetch_add(1, kRelaxed);
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  row.buckets[static_cast<size_t>(bucket)].fetch_add(1, kRelaxed);
  row.microseconds.fetch_add(static_cast<uint64_t>(std::max(0.0, seconds) * 1e6), kRelaxed);
  row.received.fetch_add(received, kRelaxed);
  row.sent.fetch_add(sent, kRelaxed);
}

std::string Metrics::text(std::chrono::system_clock::time_point now) const {
  using std::string_view;
  std::string text;
  const auto head = [&](string_view metric, string_view type, string_view help) {
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric, help, metric, type);
  };
  const auto single = [&](string_view metric, string_view type, string_view help, auto value) {
    head(metric, type, help);
    text += fmt::format("{} {}\n", metric, value);
  };
  const auto name = [&](size_t index) {
    return index < operations_.size() ? string_view(operations_[index]) : string_view("none");
  };
  const auto perRow = [&](string_view metric, string_view help, const auto& value) {
    head(metric, "counter", help);
    for (size_t index = 0; index < rows_.size(); ++index)
      text += fmt::format("{}{{operation=\"{}\"}} {}\n", metric, name(index), value(*rows_[index]));
  };
  head("vintage_http_requests_total", "counter", "Requests by operation and class of status.");
  for (size_t index = 0; index < rows_.size(); ++index)
    for (size_t digit = 1; digit < rows_[index]->byClass.size(); ++digit) {
      const uint64_t count = rows_[index]->byClass[digit];
      if (count == 0) continue;
      text += fmt::format("vintage_http_requests_total{{operation=\"{}\",status=\"{}xx\"}} {}\n",
                          name(index), digit, count);
    }
  perRow("vintage_http_received_bytes_total", "Bytes of bodies received.",
         [](const Row& row) { return row.received.load(); });
  perRow("vintage_http_sent_bytes_total", "Bytes of bodies sent.",
         [](const Row& row) { return row.sent.load(); });
  head("vintage_http_request_seconds", "histogram",
       "From the end of a request's headers to the end of its response.");
  for (size_t index = 0; index < rows_.size(); ++index) {
    const Row& row = *rows_[index];
    uint64_t below = 0;
    for (size_t bucket = 0; bucket < row.buckets.size(); ++bucket) {
      below += row.buckets[bucket];
      const std::string bound =
          bucket < kBounds.size() ? fmt::format("{}", kBounds[bucket]) : std::string("+Inf");
      text += fmt::format("vintage_http_request_seconds_bucket{{operation=\"{}\",le=\"{}\"}} {}\n",
                          name(index), bound, below);
    }
    text += fmt::format("vintage_http_request_seconds_sum{{operation=\"{}\"}} {:.6f}\n",
                        name(index), static_cast<double>(row.microseconds) / 1e6);
    text += fmt::format("vintage_http_request_seconds_count{{operation=\"{}\"}} {}\n", name(index),
                        below);
  }
  single("vintage_http_connections", "gauge", "Open connections.", connections.load());
  single("vintage_http_connections_total", "counter", "Accepted connections.",
         connectionsAccepted.load());
  single("vintage_http_body_bytes", "gauge", "Bytes of bodies that are held in memory.",
         bodyBytes.load());
  single("vintage_contents_read_total", "counter", "Contents read and verified.",
         contentsRead.load());
  single("vintage_contents_kept_total", "counter", "Contents taken in.", contentsKept.load());
  single("vintage_checksum_mismatches_total", "counter",
         "Bodies and contents that did not fit their checksum.", checksumMismatches.load());
  single("vintage_uploads_begun_total", "counter", "Resumable uploads begun or taken up.",
         uploadsBegun.load());
  single("vintage_uploads_finished_total", "counter", "Resumable uploads that became content.",
         uploadsFinished.load());
  if (const int64_t ends = certificateEnds; ends != 0) {
    using std::chrono::seconds;
    single("vintage_tls_certificate_seconds_left", "gauge",
           "Until the certificate in use ends; below 0, since it ended.",
           ends - std::chrono::floor<seconds>(now).time_since_epoch().count());
    single("vintage_tls_reload_failed", "gauge",
           "1 where the certificate's files could not be used when they were read last.",
           certificateRefused ? 1 : 0);
    single("vintage_tls_reloads_total", "counter", "Certificates taken since the start.",
           certificatesTaken.load());
  }
  return text;
}

}  // namespace vintage::archive
