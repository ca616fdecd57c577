#include "daemon/config_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/log.h"
#include "daemon/refused.h"
#include "scratch_directory.h"

namespace oxpool::daemon {
namespace {

bool operator==(const IdentityList& a, const IdentityList& b) {
  return a.users == b.users && a.groups == b.groups;
}

Config read(const std::string& text) {
  const ScratchDirectory scratch;
  return read_config(scratch.write("oxpoold.toml", text));
}

TEST(ConfigFile, EmptyFileIsTheDefaults) {
  const Config config = read("");
  EXPECT_EQ(config.runtime_dir, "/run/oxpool");
  EXPECT_FALSE(config.allow_disk);
  EXPECT_EQ(config.http->text(), "127.0.0.1:9464");
  EXPECT_EQ(config.log_level, "info");
  EXPECT_EQ(config.log_format, "text");
  EXPECT_TRUE(config.preview);
  EXPECT_TRUE(config.access.empty());
  EXPECT_EQ(config.socket_mode, 0660u);
  EXPECT_FALSE(config.socket_group);
  EXPECT_EQ(config.admin, AdminAddress());
  EXPECT_EQ(config.admin_mode, 0600u);
  EXPECT_FALSE(config.admin_group);
  EXPECT_EQ(config.linger, std::chrono::seconds(600));
  EXPECT_EQ(config.rebalance, shm::Rebalance::kHandOver);
  EXPECT_EQ(config.patience_ms, shm::kPatienceAuto);
}

TEST(ConfigFile, EveryKeyIsTaken) {
  const Config config = read(R"(
runtime_dir = "/somewhere"
allow_disk = true
http = "[::1]:1234"
admin = "unix:/elsewhere.sock"
log_level = "debug"
log_format = "json"
preview = false
[access]
users = ["root", 33, "1000"]
groups = ["root", 44]
socket_mode = "0600"
socket_group = "root"
admin_mode = "0640"
admin_group = "root"
[admin_tls]
certificate = "/c"
key = "/k"
client_ca = "/a"
[namespaces.shop]
users = ["root"]
groups = [55]
[namespaces."a.b-c_1"]
[limits]
namespaces = 3
sessions_per_uid = 4
handshake_timeout_ms = 50
shutdown_deadline_ms = 60
http_connections = 7
processes = 8
lanes = 9
extra_tickets = 10
pools = 11
seats = 12
chunks = 13
places = 16
mutexes = 17
mutex_seats = 18
value_bytes = 2560
value_limit = 19
[pools]
linger_s = 14
rebalance = "strict"
patience_ms = 15
)");
  EXPECT_EQ(config.runtime_dir, "/somewhere");
  EXPECT_TRUE(config.allow_disk);
  EXPECT_EQ(config.http->text(), "[::1]:1234");
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.log_format, "json");
  EXPECT_FALSE(config.preview);
  EXPECT_TRUE((config.access == IdentityList{{0, 33, 1000}, {0, 44}}));
  EXPECT_EQ(config.socket_mode, 0600u);
  EXPECT_EQ(config.socket_group, gid_t{0});
  EXPECT_EQ(config.admin.socket, "/elsewhere.sock");
  EXPECT_EQ(config.admin_mode, 0640u);
  EXPECT_EQ(config.admin_group, gid_t{0});
  EXPECT_TRUE((config.admin_tls == AdminTls{"/c", "/k", "/a"}));
  ASSERT_EQ(config.namespaces.size(), 2u);
  EXPECT_TRUE((config.namespaces.at("shop") == IdentityList{{0}, {55}}));
  EXPECT_TRUE(config.namespaces.at("a.b-c_1").empty());
  EXPECT_EQ(config.limits.namespaces, 3u);
  EXPECT_EQ(config.limits.sessions_per_uid, 4u);
  EXPECT_EQ(config.limits.handshake_timeout.count(), 50);
  EXPECT_EQ(config.limits.shutdown_deadline.count(), 60);
  EXPECT_EQ(config.limits.http_connections, 7u);
  EXPECT_EQ(config.limits.tables.processes, 8u);
  EXPECT_EQ(config.limits.tables.lanes, 9u);
  EXPECT_EQ(config.limits.tables.extra_tickets, 10u);
  EXPECT_EQ(config.limits.tables.pools, 11u);
  EXPECT_EQ(config.limits.tables.seats, 12u);
  EXPECT_EQ(config.limits.tables.chunks, 13u);
  EXPECT_EQ(config.limits.tables.places, 16u);
  EXPECT_EQ(config.limits.tables.mutexes, 17u);
  EXPECT_EQ(config.limits.tables.mutex_seats, 18u);
  EXPECT_EQ(config.limits.tables.value_bytes, 2560u);
  EXPECT_EQ(config.limits.value_limit_bytes, 19u);
  EXPECT_EQ(config.linger.count(), 14);
  EXPECT_EQ(config.rebalance, shm::Rebalance::kStrict);
  EXPECT_EQ(config.patience_ms, 15u);
}

TEST(ConfigFile, StringsAndCommentsAreOfAnyLanguage) {
  EXPECT_EQ(read("# d\xc3\xa9j\xc3\xa0\nruntime_dir = \"/\\\"\xc3\xa9\"  # l\xc3\xa0").runtime_dir,
            "/\"\xc3\xa9");
  EXPECT_EQ(read("runtime_dir = '/\xc3\xa9\\'").runtime_dir, "/\xc3\xa9\\");
}

TEST(ConfigFile, HttpCanBeOff) { EXPECT_FALSE(read("http = \"off\"").http); }

TEST(ConfigFile, TheAdminInterfaceIsASocketTcpOrOff) {
  EXPECT_TRUE(read("admin = \"off\"").admin.off());
  EXPECT_EQ(read("admin = \"127.0.0.1:5\"").admin.tcp->port, 5);
  EXPECT_EQ(read("admin = \"\"").admin, AdminAddress());
}

TEST(ConfigFile, AGroupOfTheAdminSocketMayUseIt) {
  EXPECT_EQ(read("[access]\nadmin_group = \"root\"").admin_mode, 0660u);
  EXPECT_EQ(read("[access]\nadmin_group = \"root\"\nadmin_mode = \"0600\"").admin_mode, 0600u);
}

// deploy/oxpoold.toml promises every key at its default.
TEST(ConfigFile, TheDeployedFileIsTheDefaults) {
  const Config deployed = read_config(OXPOOL_DEPLOY_DIR "/oxpoold.toml");
  const Config defaults;
  EXPECT_EQ(deployed.runtime_dir, defaults.runtime_dir);
  EXPECT_EQ(deployed.allow_disk, defaults.allow_disk);
  EXPECT_EQ(deployed.http, defaults.http);
  EXPECT_EQ(deployed.log_level, defaults.log_level);
  EXPECT_EQ(deployed.log_format, defaults.log_format);
  EXPECT_EQ(deployed.preview, defaults.preview);
  EXPECT_TRUE(deployed.access.empty());
  EXPECT_EQ(deployed.socket_mode, defaults.socket_mode);
  EXPECT_EQ(deployed.socket_group, defaults.socket_group);
  EXPECT_EQ(deployed.admin, defaults.admin);
  EXPECT_EQ(deployed.admin_mode, defaults.admin_mode);
  EXPECT_EQ(deployed.admin_group, defaults.admin_group);
  EXPECT_EQ(deployed.admin_tls, defaults.admin_tls);
  EXPECT_TRUE(deployed.namespaces.empty());
  const Limits& a = deployed.limits;
  const Limits& b = defaults.limits;
  EXPECT_EQ(a.namespaces, b.namespaces);
  EXPECT_EQ(a.sessions_per_uid, b.sessions_per_uid);
  EXPECT_EQ(a.handshake_timeout, b.handshake_timeout);
  EXPECT_EQ(a.shutdown_deadline, b.shutdown_deadline);
  EXPECT_EQ(a.http_connections, b.http_connections);
  EXPECT_EQ(a.tables.processes, b.tables.processes);
  EXPECT_EQ(a.tables.lanes, b.tables.lanes);
  EXPECT_EQ(a.tables.extra_tickets, b.tables.extra_tickets);
  EXPECT_EQ(a.tables.pools, b.tables.pools);
  EXPECT_EQ(a.tables.seats, b.tables.seats);
  EXPECT_EQ(a.tables.chunks, b.tables.chunks);
  EXPECT_EQ(a.tables.places, b.tables.places);
  EXPECT_EQ(a.tables.mutexes, b.tables.mutexes);
  EXPECT_EQ(a.tables.mutex_seats, b.tables.mutex_seats);
  EXPECT_EQ(a.tables.value_bytes, b.tables.value_bytes);
  EXPECT_EQ(a.value_limit_bytes, b.value_limit_bytes);
  EXPECT_EQ(deployed.linger, defaults.linger);
  EXPECT_EQ(deployed.rebalance, defaults.rebalance);
  EXPECT_EQ(deployed.patience_ms, defaults.patience_ms);
}

struct BadFile {
  std::string text;
  std::vector<std::string> sentence_has;  // beside the file's name
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << quote(bad.text); }

class BadConfigFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadConfigFile, IsRefusedInOneSentence) {
  const ScratchDirectory scratch;
  const std::string path = scratch.write("oxpoold.toml", GetParam().text);
  try {
    read_config(path);
    FAIL() << "was taken: " << GetParam().text;
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 0) << sentence;
    EXPECT_EQ(sentence.rfind(path, 0), 0u) << sentence;
    for (const std::string& part : GetParam().sentence_has) {
      EXPECT_NE(sentence.find(part), std::string::npos) << part << " is not in: " << sentence;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadConfigFile,
    testing::Values(
        BadFile{"# one\ncolour = \"red\"\n", {":2:", "colour is an unknown key", "runtime_dir"}},
        BadFile{"[acces]\nusers = []\n", {":1:", "acces is an unknown key", "access"}},
        BadFile{"[access]\nusers = []\nusres = []\n",
                {":3:", "access.usres is an unknown key", "socket_mode"}},
        BadFile{"[limits]\nprocess = 3\n", {":2:", "limits.process", "unknown", "processes"}},
        BadFile{"[pools]\nlinger = 3\n", {":2:", "pools.linger", "unknown", "linger_s"}},
        BadFile{"[namespaces.shop]\nuser = []\n", {":2:", "namespaces.shop.user", "users"}},
        BadFile{"access = 3\n", {":1:", "access is a whole number", "a table"}},
        BadFile{"namespaces = []\n", {":1:", "namespaces is a list", "a table"}},
        BadFile{"[namespaces]\nshop = 1\n", {":2:", "namespaces.shop", "a table"}},
        BadFile{"[namespaces.\"a/b\"]\n", {":1:", "a/b", "63"}},
        BadFile{"[namespaces.\"..\"]\n", {":1:", "\"..\""}},
        BadFile{"runtime_dir = 1\n", {":1:", "runtime_dir is a whole number", "a string"}},
        BadFile{"runtime_dir = \"\"\n", {":1:", "runtime_dir", "empty"}},
        BadFile{"allow_disk = \"yes\"\n", {":1:", "allow_disk is a string", "true or false"}},
        BadFile{"http = 9464\n", {":1:", "http is a whole number", "a string"}},
        BadFile{"http = \"localhost:1\"\n", {":1:", "localhost:1", "ADDR:PORT"}},
        BadFile{"\nlog_level = \"loud\"\n", {":2:", "loud", "trace, debug, info"}},
        BadFile{"log_format = \"xml\"\n", {":1:", "xml", "text, json"}},
        BadFile{"[access]\nusers = \"www-data\"\n", {":2:", "access.users is a string", "a list"}},
        BadFile{"[access]\nusers = [33.5]\n",
                {":2:", "access.users", "fraction", "names or numbers"}},
        BadFile{"[access]\nusers = [\n 1,\n \"no-such-user\"]\n", {":4:", "no-such-user"}},
        BadFile{"[access]\nusers = [-1]\n", {":2:", "\"-1\""}},
        BadFile{"[access]\ngroups = [\"no-such-group\"]\n", {":2:", "groups", "no-such-group"}},
        BadFile{"[access]\nsocket_mode = \"0980\"\n", {":2:", "socket_mode", "0980", "octal"}},
        BadFile{"[access]\nsocket_mode = \"7777\"\n", {":2:", "socket_mode", "7777", "octal"}},
        BadFile{"[access]\nsocket_mode = 660\n", {":2:", "socket_mode is a whole number"}},
        BadFile{"[access]\nsocket_group = \"no-such-group\"\n", {":2:", "socket_group"}},
        BadFile{"[access]\nadmin_mode = \"rw\"\n", {":2:", "admin_mode", "rw", "octal"}},
        BadFile{"[access]\nadmin_group = \"no-such-group\"\n", {":2:", "admin_group"}},
        BadFile{"admin = \"/run/x\"\n", {":1:", "admin", "/run/x", "unix:"}},
        BadFile{"admin = \"localhost:1\"\n", {":1:", "localhost:1", "ADDR:PORT"}},
        BadFile{"[admin_tls]\nca = \"x\"\n", {":2:", "admin_tls.ca", "unknown", "client_ca"}},
        BadFile{"[limits]\nprocesses = 1\n", {":2:", "limits.processes is 1", "from 2 to 65536"}},
        BadFile{"[limits]\nlanes = 65537\n", {":2:", "limits.lanes is 65537"}},
        BadFile{"[limits]\nseats = 1.0\n", {":2:", "limits.seats", "fraction"}},
        BadFile{"[limits]\nhandshake_timeout_ms = 0\n", {":2:", "handshake_timeout_ms is 0"}},
        BadFile{"[pools]\nlinger_s = -1\n", {":2:", "pools.linger_s is -1"}},
        BadFile{"[pools]\nrebalance = \"fair\"\n", {":2:", "pools.rebalance", "fair", "strict"}},
        BadFile{"[pools]\nrebalance = true\n", {":2:", "pools.rebalance", "a string"}},
        BadFile{"[pools]\npatience_ms = \"long\"\n", {":2:", "long", "auto", "milliseconds"}},
        BadFile{"[pools]\npatience_ms = -1\n", {":2:", "pools.patience_ms is -1"}},
        BadFile{"[pools]\npatience_ms = true\n", {":2:", "pools.patience_ms"}},
        BadFile{"[access]\nusers = [\n[pools]\n", {":3:"}},
        BadFile{"# \xc3\xa9\nruntime_dir = '\xc3\xa9'\nhttp = \xc3\xa9\n", {":3:", "value"}},
        BadFile{"runtime_dir = \"\"\"\n\\\"\"\xc3\xa9\"\"\"\n\xc3\xa9 = 1",
                {":3:", "saw '\xc3\xa9'"}},
        BadFile{"runtime_dir = \"/\n\xc3\xa9 = 1", {":1:", "string"}},
        BadFile{"[limits]\npools = 1\"\xc3\xa9\n", {":2:", "saw '\"'"}},
        BadFile{"[%access]\n", {":1:", "key"}}, BadFile{"[\nusers]\n", {":1:", "key"}},
        BadFile{std::string("[\0access]\n", 11), {":1:", "key"}},
        BadFile{"[access]\nusers = []\nusers = []\n", {":3:", "users"}}));

TEST(ConfigFile, MissingFileIsRefused) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/none.toml";
  try {
    read_config(path);
    FAIL() << "was taken";
  } catch (const Refused& refused) {
    const std::string sentence = refused.what();
    EXPECT_NE(sentence.find(path), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("No such file"), std::string::npos) << sentence;
  }
}

TEST(ConfigFile, ADirectoryIsNoFile) {
  const ScratchDirectory scratch;
  EXPECT_THROW(read_config(scratch.path()), Refused);
}

TEST(Config, ReloadKeepsWhatChangesWithARestartOnly) {
  const Config old =
      read("runtime_dir = \"/a\"\nhttp = \"off\"\n[access]\nsocket_mode = \"0600\"\n");
  Config fresh = read("runtime_dir = \"/b\"\nlog_level = \"error\"\n[access]\nusers = [7]\n");
  const auto kept = keep_fixed_settings(old, &fresh);
  EXPECT_EQ(kept, (std::vector<std::string>{"runtime_dir", "http", "access.socket_mode"}));
  EXPECT_EQ(fresh.runtime_dir, "/a");
  EXPECT_FALSE(fresh.http);
  EXPECT_EQ(fresh.socket_mode, 0600u);
  EXPECT_EQ(fresh.log_level, "error");
  EXPECT_EQ(fresh.access.users, std::vector<uid_t>{7});
}

TEST(Config, NamespaceNames) {
  EXPECT_TRUE(is_namespace_name("uid-33"));
  EXPECT_TRUE(is_namespace_name(std::string(63, 'x')));
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a b"),
        std::string("a~new"), std::string("a\0b", 3), std::string(64, 'x')}) {
    EXPECT_FALSE(is_namespace_name(name)) << name;
  }
}

}  // namespace
}  // namespace oxpool::daemon
