#include "daemon/http/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "daemon/http/page_files.h"

namespace oxpool::daemon::http {
namespace {

class PageTest : public testing::Test {
 protected:
  PageTest() { add_page(&router); }

  Response get(const std::string& path) { return router.handle({path, ""}); }
  static std::string header(const Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  Router router;
};

TEST_F(PageTest, ThePageIsAtTheRoot) {
  const Response page = get("/");
  EXPECT_EQ(page.status, 200u);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body.rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(page.body.substr(page.body.size() - 8), "</html>\n") << "whole, and nothing behind it";
  EXPECT_EQ(router.handle({"/", "from=a-bookmark"}).status, 200u);
}

TEST_F(PageTest, NoFileMayRunOrLoadAnythingElse) {
  ASSERT_GT(page_files().size(), 3u);
  for (const PageFile& file : page_files()) {
    const std::string policy = header(get(std::string(file.path)), "Content-Security-Policy");
    EXPECT_TRUE(contains(policy, "default-src 'none'")) << file.path;
    EXPECT_TRUE(contains(policy, "script-src 'self';")) << file.path;
    EXPECT_TRUE(contains(policy, "frame-ancestors 'none'")) << file.path;
    EXPECT_FALSE(contains(policy, "unsafe")) << file.path;
  }
}

// What the page and its modules name is there, and it is all relative: a proxy may move it.
TEST_F(PageTest, WhatItRefersToIsThere) {
  const std::regex reference(R"re((?:href|src)="(ui/[^"]+)"|from '\./([^']+)')re");
  int found = 0;
  for (const PageFile& file : page_files()) {
    const std::string text(file.bytes);
    if (contains(std::string(file.path), "uplot")) continue;
    for (std::sregex_iterator match(text.begin(), text.end(), reference), end; match != end;
         ++match) {
      const bool in_html = (*match)[1].matched;
      const std::string path = in_html ? "/" + (*match)[1].str() : "/ui/" + (*match)[2].str();
      EXPECT_EQ(get(path).status, 200u) << path << ", named by " << file.path;
      ++found;
    }
    EXPECT_FALSE(contains(text, "https://")) << file.path;
    EXPECT_FALSE(contains(text, "innerHTML")) << file.path;
  }
  EXPECT_GT(found, 20);
}

TEST_F(PageTest, OtherPathsAreNotThere) {
  for (const char* path : {"/index.html", "/ui", "/ui/", "/ui/../", "/ui/main.js/", "/ui/x.js"}) {
    const Response answer = get(path);
    EXPECT_EQ(answer.status, 404u) << path;
    EXPECT_FALSE(contains(answer.body, "main.js,")) << "they are not listed one by one";
  }
}

TEST_F(PageTest, ItIsSmall) {
  size_t all = 0;
  for (const PageFile& file : page_files()) {
    std::printf("%8zu %.*s\n", file.bytes.size(), static_cast<int>(file.path.size()),
                file.path.data());
    all += file.bytes.size();
  }
  std::printf("%8zu bytes in all\n", all);
  EXPECT_LT(all, 150'000u);
}

}  // namespace
}  // namespace oxpool::daemon::http
