#include "archive/service/metrics.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace vintage::archive {

using prometheus::ClientMetric, prometheus::MetricFamily, prometheus::MetricType;

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
  std::vector<MetricFamily> families;
  const auto family = [&](const char* metric, MetricType type,
                          const char* help) -> std::vector<ClientMetric>& {
    return families.emplace_back(MetricFamily{metric, help, type, {}}).metric;
  };
  const auto counter = [&](const char* metric, const char* help, uint64_t value) {
    family(metric, MetricType::Counter, help).emplace_back().counter.value =
        static_cast<double>(value);
  };
  const auto gauge = [&](const char* metric, const char* help, int64_t value) {
    family(metric, MetricType::Gauge, help).emplace_back().gauge.value = static_cast<double>(value);
  };
  const auto labelled = [&](std::vector<ClientMetric>& metrics, size_t index) -> ClientMetric& {
    ClientMetric& metric = metrics.emplace_back();
    metric.label.push_back({"operation", index < operations_.size() ? operations_[index] : "none"});
    return metric;
  };
  auto& requests = family("vintage_http_requests_total", MetricType::Counter,
                          "Requests by operation and class of status.");
  for (size_t index = 0; index < rows_.size(); ++index)
    for (size_t digit = 1; digit < rows_[index]->byClass.size(); ++digit) {
      const uint64_t count = rows_[index]->byClass[digit];
      if (count == 0) continue;
      ClientMetric& metric = labelled(requests, index);
      metric.label.push_back({"status", fmt::format("{}xx", digit)});
      metric.counter.value = static_cast<double>(count);
    }
  const auto perRow = [&](const char* metric, const char* help, auto member) {
    auto& metrics = family(metric, MetricType::Counter, help);
    for (size_t index = 0; index < rows_.size(); ++index)
      labelled(metrics, index).counter.value = static_cast<double>((*rows_[index].*member).load());
  };
  perRow("vintage_http_received_bytes_total", "Bytes of bodies received.", &Row::received);
  perRow("vintage_http_sent_bytes_total", "Bytes of bodies sent.", &Row::sent);
  auto& seconds = family("vintage_http_request_seconds", MetricType::Histogram,
                         "From the end of a request's headers to the end of its response.");
  for (size_t index = 0; index < rows_.size(); ++index) {
    const Row& row = *rows_[index];
    auto& histogram = labelled(seconds, index).histogram;
    for (size_t bucket = 0; bucket < row.buckets.size(); ++bucket) {
      histogram.sample_count += row.buckets[bucket];
      histogram.bucket.push_back(
          {histogram.sample_count,
           bucket < kBounds.size() ? kBounds[bucket] : std::numeric_limits<double>::infinity()});
    }
    histogram.sample_sum = static_cast<double>(row.microseconds) / 1e6;
  }
  gauge("vintage_http_connections", "Open connections.", connections);
  counter("vintage_http_connections_total", "Accepted connections.", connectionsAccepted);
  gauge("vintage_http_body_bytes", "Bytes of bodies that are held in memory.", bodyBytes);
  counter("vintage_contents_read_total", "Contents read and verified.", contentsRead);
  counter("vintage_contents_kept_total", "Contents taken in.", contentsKept);
  counter("vintage_checksum_mismatches_total",
          "Bodies and contents that did not fit their checksum.", checksumMismatches);
  counter("vintage_uploads_begun_total", "Resumable uploads begun or taken up.", uploadsBegun);
  counter("vintage_uploads_finished_total", "Resumable uploads that became content.",
          uploadsFinished);
  if (const int64_t ends = certificateEnds; ends != 0) {
    gauge("vintage_tls_certificate_seconds_left",
          "Until the certificate in use ends; below 0, since it ended.",
          ends - std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
    gauge("vintage_tls_reload_failed",
          "1 where the certificate's files could not be used when they were read last.",
          certificateRefused ? 1 : 0);
    counter("vintage_tls_reloads_total", "Certificates taken since the start.", certificatesTaken);
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace vintage::archive
