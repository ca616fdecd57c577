// Lines of source code by their hash: a cache that may lose a text but never tells a wrong one.
#include "shm/place.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/unit/segment_host.h"

namespace oxpool::shm {
namespace {

class Place : public test::SegmentHost {};

TEST_F(Place, TellsWhatWasNoted) {
  const uint64_t one = note_place(view(), "/srv/app/Db.php:41");
  const uint64_t other = note_place(view(), "/srv/app/Db.php:42 in /srv/app/index.php");
  EXPECT_NE(0u, one);
  EXPECT_NE(one, other);
  EXPECT_EQ("/srv/app/Db.php:41", place_text(view(), one));
  EXPECT_EQ("/srv/app/Db.php:42 in /srv/app/index.php", place_text(view(), other));
  EXPECT_EQ(one, note_place(view(), "/srv/app/Db.php:41")) << "the same text has the same hash";
  EXPECT_TRUE(place_is_noted(view(), one));
}

TEST_F(Place, UnknownIsEmpty) {
  EXPECT_EQ("", place_text(view(), 0));
  EXPECT_EQ("", place_text(view(), 12345));
  EXPECT_FALSE(place_is_noted(view(), 12345));
}

TEST_F(Place, LongTextKeepsItsEnd) {
  const std::string text = std::string(1000, 'd') + "/Db.php:41";
  const std::string kept = place_text(view(), note_place(view(), text));
  EXPECT_EQ(kPlaceBytes, kept.size());
  EXPECT_EQ("/Db.php:41", kept.substr(kept.size() - 10));
}

TEST_F(Place, NulBytesAreReplaced) {
  EXPECT_EQ("class@anonymous?/srv/a.php:1",
            place_text(view(),
                       note_place(view(), std::string_view("class@anonymous\0/srv/a.php:1", 28))));
}

TEST_F(Place, OverwrittenTextsAreUnknownAndNeverWrong) {
  std::vector<std::pair<uint64_t, std::string>> noted;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "file.php:" + std::to_string(i);
    noted.emplace_back(note_place(view(), text), text);
    EXPECT_EQ(text, place_text(view(), noted.back().first)) << "the latest is always there";
  }
  int known = 0;
  for (const auto& [hash, text] : noted) {
    const std::string found = place_text(view(), hash);
    if (!found.empty()) ++known;
    EXPECT_TRUE(found.empty() || found == text);
  }
  EXPECT_GT(known, 500) << "the table is used";
}

TEST_F(Place, ScribbledTextIsUnknownUntilItIsNotedAgain) {
  const uint64_t hash = note_place(view(), "/srv/app/Db.php:41");
  for (uint32_t i = 0; i < view().count(kPlaceTable); ++i) view().place(i)->text[0] = ~uint64_t{0};
  EXPECT_EQ("", place_text(view(), hash));
  EXPECT_EQ(hash, note_place(view(), "/srv/app/Db.php:41"));
  EXPECT_EQ("/srv/app/Db.php:41", place_text(view(), hash));
}

TEST_F(Place, WritersAtOnceTearNothing) {
  const auto write = [&](int seed) {
    for (int i = 0; i < 20'000; ++i) {
      note_place(view(), std::to_string((i * seed) % 3001) + std::string(200, 'x'));
    }
  };
  std::thread one(write, 7);
  std::thread other(write, 11);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(i % 3001) + std::string(200, 'x');
    const std::string found = place_text(view(), note_place(view(), text));
    ASSERT_TRUE(found.empty() || found == text) << found;
  }
  one.join();
  other.join();
}

}  // namespace
}  // namespace oxpool::shm
