#include "daemon/access.h"

#include <gtest/gtest.h>

namespace oxpool::daemon {
namespace {

constexpr uid_t kOwn = 500;
constexpr gid_t kSocketGroup = 600;

std::optional<std::string> refuse(const Config& config, const Peer& peer) {
  return refuse_peer(config, peer, kOwn, kSocketGroup);
}

TEST(Access, ByDefaultOwnUserRootAndTheSocketsGroup) {
  const Config config;
  EXPECT_FALSE(refuse(config, {1, kOwn, 7, {}}));
  EXPECT_FALSE(refuse(config, {1, 0, 7, {}}));
  EXPECT_FALSE(refuse(config, {1, 33, kSocketGroup, {}}));
  EXPECT_FALSE(refuse(config, {1, 33, 33, {5, kSocketGroup}}));
  EXPECT_TRUE(refuse(config, {1, 33, 33, {5, 6}}));
}

TEST(Access, ListsAreExact) {
  Config config;
  config.access.users = {33};
  EXPECT_FALSE(refuse(config, {1, 33, 7, {}}));
  EXPECT_TRUE(refuse(config, {1, 0, 0, {}})) << "root is not named";
  EXPECT_TRUE(refuse(config, {1, kOwn, kSocketGroup, {}}));
  config.access = {{}, {44}};
  EXPECT_FALSE(refuse(config, {1, 34, 44, {}}));
  EXPECT_FALSE(refuse(config, {1, 34, 7, {8, 44}}));
  EXPECT_TRUE(refuse(config, {1, 44, 7, {}})) << "a uid is no gid";
}

TEST(Access, TheOverflowUserMustBeNamedItself) {
  const Peer nobody{0, kOverflowUid, kSocketGroup, {44}};
  Config config;
  EXPECT_TRUE(refuse(config, nobody)) << "the socket's group is not enough";
  EXPECT_TRUE(refuse_peer(config, nobody, kOverflowUid, kSocketGroup));
  config.access.groups = {44};
  EXPECT_TRUE(refuse(config, nobody));
  config.access.users = {kOverflowUid};
  EXPECT_FALSE(refuse(config, nobody));
}

TEST(Access, ARefusalNamesUidKeyAndFile) {
  Config config;
  config.file = "/my/oxpoold.toml";
  const auto sentence = refuse(config, {1, 33, 34, {}});
  ASSERT_TRUE(sentence);
  for (const char* part : {"uid 33", "gid 34", "users", "[access]", "/my/oxpoold.toml"}) {
    EXPECT_NE(sentence->find(part), std::string::npos) << part << " is not in " << *sentence;
  }
}

TEST(Access, OnesOwnNamespaceIsOpenAndNoOther) {
  const Config config;
  const Peer peer{1, 33, 33, {}};
  EXPECT_EQ(default_namespace(33), "uid-33");
  EXPECT_FALSE(refuse_namespace(config, peer, "uid-33"));
  EXPECT_TRUE(refuse_namespace(config, peer, "uid-34"));
  const auto sentence = refuse_namespace(config, peer, "shop");
  ASSERT_TRUE(sentence);
  EXPECT_NE(sentence->find("\"shop\" is not configured"), std::string::npos) << *sentence;
  EXPECT_NE(sentence->find("[namespaces.shop]"), std::string::npos) << *sentence;
}

TEST(Access, ASharedNamespaceIsOpenToThoseWhoAreNamed) {
  Config config;
  config.namespaces["shop"] = {{33}, {44}};
  EXPECT_FALSE(refuse_namespace(config, {1, 33, 7, {}}, "shop"));
  EXPECT_FALSE(refuse_namespace(config, {1, 34, 7, {44}}, "shop"));
  const auto sentence = refuse_namespace(config, {1, 35, 7, {}}, "shop");
  ASSERT_TRUE(sentence);
  EXPECT_NE(sentence->find("uid 35"), std::string::npos) << *sentence;
  EXPECT_NE(sentence->find("users"), std::string::npos) << *sentence;
}

}  // namespace
}  // namespace oxpool::daemon
