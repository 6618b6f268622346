// An S3-compatible server that others wrote: Ceph's object gateway over a store
// in memory, all of it on this machine and gone at the end. It checks
// signatures and the hashes of bodies, and honours If-None-Match.
//
// From Debian: radosgw, ceph-mon, ceph-osd (cmake/tests_packages.txt).
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "tests/archive/store/reserved_port.h"
#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/child_process.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::transfer {

class RadosGateway {
 public:
  static constexpr const char* kAccessKey = "AKVINTAGETEST0000001";
  static constexpr const char* kSecretKey = "a/secret+key/with=signs";
  static constexpr const char* kHowToInstall =
      "needs an S3-compatible server: apt-get install radosgw ceph-mon ceph-osd";

  static bool installed() {
    for (const char* program :
         {"radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "monmaptool", "osdmaptool"})
      if (std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) != 0)
        return false;
    return true;
  }

  // This process's gateway, started when it is first asked for.
  static RadosGateway& shared() {
    static RadosGateway gateway;
    return gateway;
  }

  // Empty when it is up.
  const std::string& problem() const { return problem_; }
  int port() const { return port_.number(); }
  std::string url() const { return port_.url(); }

  // A bucket that nobody has used; its name. Empty where there is a problem(). With object lock it
  // keeps versions too.
  std::string makeBucket(bool withObjectLock = false) {
    if (!problem_.empty()) return "";
    std::string name = fmt::format("bucket{}", ++buckets_);
    return curl("PUT", name, "",
                withObjectLock ? "-H 'x-amz-bucket-object-lock-enabled: true'" : "")
               ? name
               : "";
  }
  // A request of another client, as "DELETE" of "bucket1/key".
  bool curl(const std::string& method, const std::string& path, const std::string& body = "",
            const std::string& more = "") {
    const std::string file = sandbox_.write("body", body);
    return step(fmt::format(
        "curl -sSf --aws-sigv4 aws:amz:us-east-1:s3 --user '{}:{}' -H \"x-amz-content-sha256: "
        "$(sha256sum < '{}' | cut -c1-64)\" -H \"Content-MD5: $(openssl md5 -binary '{}' | "
        "base64)\" "
        "{} -X {} {} '{}/{}'",
        kAccessKey, kSecretKey, file, file, body.empty() ? "" : "--data-binary @'" + file + "'",
        method, more, url(), path));
  }

  // For this process and its children.
  static void setEnvironment(const std::string& endpoint, const char* secret = kSecretKey) {
    ::setenv("AWS_ENDPOINT_URL", endpoint.c_str(), 1);
    ::setenv("AWS_ACCESS_KEY_ID", kAccessKey, 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
    for (const char* name :
         {"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"})
      ::unsetenv(name);
  }

 private:
  RadosGateway() {
    writeConfiguration();
    const std::string c = " -c '" + sandbox_.path("ceph.conf") + "' ";
    const std::string monmap = "'" + sandbox_.path("monmap") + "'";
    const std::string osdmap = "'" + sandbox_.path("osdmap") + "'";
    // The monitor begins with a map that has room for the store, so that nobody
    // needs to ask it for that while it may not be ready.
    if (!step(fmt::format("monmaptool --create --fsid {} --addv a '[v1:{}]' {}", kCluster,
                          monitorPort_.address(), monmap)) ||
        !step("osdmaptool --createsimple 1 " + osdmap) ||
        !step("ceph-mon --mkfs -i a" + c + "--monmap " + monmap + " --osdmap " + osdmap) ||
        !step(fmt::format("ceph-osd --mkfs -i 0{}--osd-uuid {} --no-mon-config", c, kStore)))
      return;
    monitor_ = start("monitor", {"ceph-mon", "-i", "a"});
    store_ = start("store", {"ceph-osd", "-i", "0", "--no-mon-config"});
    if (!waitFor("store", store_, "state: booting -> active")) return;
    if (!step(fmt::format(
            "radosgw-admin{}--no-mon-config user create --uid=tester --display-name=tester "
            "--access-key='{}' --secret='{}'",
            c, kAccessKey, kSecretKey)))
      return;
    gateway_ = start("gateway", {"radosgw", "-n", "client.admin", "--no-mon-config"});
    waitFor("gateway", gateway_, "frontend listening on");
  }

  static constexpr const char* kCluster = "5f8a4a0e-3f7c-4f0e-9d55-0c8c1d6c1a01";
  static constexpr const char* kStore = "5f8a4a0e-3f7c-4f0e-9d55-0c8c1d6c1a02";

  bool step(const std::string& command) {
    if (std::system((command + " </dev/null >'" + sandbox_.path("log") + "' 2>&1").c_str()) == 0)
      return true;
    problem_ = command + "\n" + tests::command::Sandbox::read(sandbox_.path("log"));
    return false;
  }

  ChildProcess start(const std::string& name, std::vector<std::string> command) const {
    for (const char* word : {"-f", "-c"}) command.emplace_back(word);
    command.push_back(sandbox_.path("ceph.conf"));
    return ChildProcess(command, logOf(name));
  }
  std::string logOf(const std::string& name) const { return sandbox_.path("logs/" + name); }
  // Until the log says it; false once the process has ended without.
  bool waitFor(const std::string& name, const ChildProcess& process, const std::string& words) {
    tests::waiting::FolderWatch logs(sandbox_.path("logs"));
    if (logs.waitUntil([&] { return said(name).find(words) != std::string::npos; }, {process.id()}))
      return true;
    problem_ = "Ceph's " + name + " did not say '" + words + "':\n" + said(name);
    return false;
  }
  std::string said(const std::string& name) const {
    return tests::command::Sandbox::read(logOf(name));
  }

  void writeConfiguration() const {
    for (const char* folder : {"mon", "osd", "rgw", "logs"})
      std::filesystem::create_directories(sandbox_.path(folder));
    sandbox_.write("keyring", "");
    sandbox_.write("ceph.conf", fmt::format(R"([global]
fsid = {0}
mon_host = v1:{1}
mon_data = {2}mon
osd_data = {2}osd
rgw_data = {2}rgw
run_dir = {2}
keyring = {2}keyring
admin_socket =
pid_file =
log_file =
log_to_stderr = true
mon_cluster_log_to_stderr = true
debug_rocksdb = 0
debug_rgw = 4
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
rgw_frontends = beast endpoint={3} tcp_nodelay=1
rgw_thread_pool_size = 32
rgw_enable_usage_log = false
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
rgw_dynamic_resharding = false
)",
                                            kCluster, monitorPort_.address(), sandbox_.path(""),
                                            port_.address()));
  }

  tests::command::Sandbox sandbox_;
  const tests::waiting::ReservedPort monitorPort_, port_;
  std::string problem_;
  int buckets_ = 0;
  ChildProcess monitor_, store_, gateway_;
};

}  // namespace vintage::tests::transfer
