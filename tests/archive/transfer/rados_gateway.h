// An S3-compatible server that others wrote: Ceph's object gateway over a store
// in memory, all of it on this machine and gone at the end. It checks
// signatures and the hashes of bodies, and honours If-None-Match.
//
// From Debian: radosgw, ceph-mon, ceph-osd (cmake/test_packages.txt).
#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "tests/archive/transfer/child_process.h"
#include "tests/archive/transfer/scripted_server.h"
#include "tests/harness/command/run_vintage.h"
#include "tests/rooms.h"

namespace vintage::tests::transfer {

class RadosGateway {
 public:
  static constexpr const char* kAccessKey = "AKVINTAGETEST0000001";
  static constexpr const char* kSecretKey = "a/secret+key/with=signs";
  static constexpr const char* kHowToInstall =
      "needs an S3-compatible server: apt-get install radosgw ceph-mon ceph-osd";

  static bool installed() {
    for (const char* program : {"radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph"})
      if (std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) != 0)
        return false;
    return true;
  }

  // Empty `problem()` when it is up, with an empty bucket "bucket".
  RadosGateway() {
    writeConfiguration();
    const std::string c = " -c '" + sandbox_.path("ceph.conf") + "' ";
    sandbox_.write("keyring", "");
    if (!step("monmaptool --create --fsid " + fsid() + " --addv a '[v1:127.0.0.1:" +
              std::to_string(monitorPort_) + "]' '" + sandbox_.path("monmap") + "'") ||
        !step("ceph-mon --mkfs -i a" + c + "--monmap '" + sandbox_.path("monmap") + "'"))
      return;
    monitor_ = start({"ceph-mon", "-i", "a"});
    if (!step("timeout 60 ceph" + c + "osd new " + osdId())) return;
    if (!step("ceph-osd -i 0" + c + "--mkfs --osd-uuid " + osdId())) return;
    // It ends where it asks the monitor a moment too early.
    for (int attempt = 0; attempt < 30 && !store_.running(); ++attempt) {
      store_ = start({"ceph-osd", "-i", "0"});
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    if (!step(fmt::format("timeout 120 radosgw-admin{}user create --uid=tester "
                          "--display-name=tester --access-key='{}' --secret='{}'",
                          c, kAccessKey, kSecretKey)))
      return;
    gateway_ = start({"radosgw", "-n", "client.admin"});
    const std::string curl = fmt::format(
        "curl -sSf --aws-sigv4 aws:amz:us-east-1:s3 --user '{}:{}' -H 'x-amz-content-sha256: "
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' -X PUT "
        "http://127.0.0.1:{}/bucket",
        kAccessKey, kSecretKey, port_);
    for (int attempt = 0; attempt < 300; ++attempt) {
      if (step(curl)) {
        problem_.clear();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  const std::string& problem() const { return problem_; }
  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // For this process and its children.
  static void setEnvironment(const std::string& endpoint, const char* secret = kSecretKey) {
    ::setenv("AWS_ENDPOINT_URL", endpoint.c_str(), 1);
    ::setenv("AWS_ACCESS_KEY_ID", kAccessKey, 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
    for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_REGION",
                             "AWS_DEFAULT_REGION"})
      ::unsetenv(name);
  }

 private:
  static std::string fsid() { return "5f8a4a0e-3f7c-4f0e-9d55-0c8c1d6c1a01"; }
  static std::string osdId() { return "5f8a4a0e-3f7c-4f0e-9d55-0c8c1d6c1a02"; }

  static int freePort() {
    int port = 0;
    ::close(listenAnywhere(port));
    return port;
  }

  bool step(const std::string& command) {
    if (std::system((command + " >'" + sandbox_.path("log") + "' 2>&1").c_str()) == 0) return true;
    problem_ = command + "\n" + tests::command::Sandbox::read(sandbox_.path("log"));
    return false;
  }

  ChildProcess start(std::vector<std::string> command) const {
    for (const char* word : {"-f", "-c"}) command.emplace_back(word);
    command.push_back(sandbox_.path("ceph.conf"));
    return ChildProcess(command, sandbox_.path("daemons"));
  }

  void writeConfiguration() const {
    for (const char* folder : {"mon", "osd", "rgw"})
      std::filesystem::create_directories(sandbox_.path(folder));
    sandbox_.write("ceph.conf", fmt::format(R"([global]
fsid = {0}
mon_host = v1:127.0.0.1:{1}
mon_data = {2}mon
osd_data = {2}osd
rgw_data = {2}rgw
run_dir = {2}
keyring = {2}keyring
admin_socket =
pid_file =
log_file =
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_bind_msgr2 = false
ms_bind_ipv6 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
osd_objectstore = memstore
memstore_device_bytes = 8G
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_class_update_on_start = false
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
mon_osd_min_up_ratio = 0
paxos_propose_interval = 0.05
rgw_frontends = beast endpoint=127.0.0.1:{3} tcp_nodelay=1
rgw_thread_pool_size = 32
rgw_enable_usage_log = false
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
rgw_dynamic_resharding = false
)",
                                            fsid(), monitorPort_, sandbox_.path(""), port_));
  }

  tests::command::Sandbox sandbox_;
  int monitorPort_ = freePort(), port_ = freePort();
  std::string problem_;
  ChildProcess monitor_, store_, gateway_;
};

}  // namespace vintage::tests::transfer
