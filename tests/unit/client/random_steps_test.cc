// Workers in one thread, each a step at a time in random order: after every step the pool is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "shm/burial.h"
#include "shm/clock.h"
#include "shm/queue.h"
#include "shm/rebalance.h"
#include "shm/slot.h"
#include "tests/unit/pool_inspection.h"
#include "tests/unit/worker.h"

namespace oxpool::test {
namespace {

struct Player {
  explicit Player(const std::string& runtime_dir)
      : worker(runtime_dir), pool(worker.open("p", pool_of(3, 0))) {}

  Worker worker;
  std::unique_ptr<Pool> pool;
  std::optional<Acquire> acquire;
  std::vector<LocalSlot*> minting;
  std::vector<LocalSlot*> in_use;
  std::vector<LocalSlot*> closing;
};

class RandomSteps : public ::testing::TestWithParam<uint64_t> {
 protected:
  RandomSteps() : server_(few()), observer_(server_.runtime_dir()), state_(GetParam()) {
    watched_ = observer_.open("p", pool_of(3, 0));
    for (int i = 0; i < 5; ++i) add_player();
  }

  uint32_t random(uint32_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % bound;
  }
  void add_player() { players_.push_back(std::make_unique<Player>(server_.runtime_dir())); }

  void begin_or_go_on(Player& player) {
    if (!player.acquire) {
      const int64_t timeouts[] = {0, 1, 60 * kSecond, Acquire::kForever};
      player.acquire.emplace(*player.pool, timeouts[random(4)], shm::monotonic_ns());
    }
    const Acquire::Step step = player.acquire->step(0);
    switch (step.next) {
      case Next::kWait:
        return;
      case Next::kReuse:
        player.in_use.push_back(step.slot);
        break;
      case Next::kMint:
        player.minting.push_back(step.slot);
        break;
      case Next::kClose:
        player.closing.push_back(step.slot);
        return;
      default:
        ASSERT_NE(Next::kLost, step.next);
    }
    player.acquire.reset();
  }
  LocalSlot* pick(std::vector<LocalSlot*>& slots) {
    if (slots.empty()) return nullptr;
    std::swap(slots[random(static_cast<uint32_t>(slots.size()))], slots.back());
    LocalSlot* slot = slots.back();
    slots.pop_back();
    return slot;
  }
  void finish_mint(Player& player) {
    LocalSlot* slot = pick(player.minting);
    if (slot == nullptr) return;
    if (random(4) == 0) {
      player.pool->mint_failed(*slot);
    } else {
      ASSERT_TRUE(player.pool->minted(*slot, random(2) * 50 * kMilli));
      player.in_use.push_back(slot);
    }
  }
  void release(Player& player) {
    LocalSlot* slot = pick(player.in_use);
    if (slot == nullptr) return;
    if (random(6) == 0) {
      ASSERT_TRUE(player.pool->begin_close(*slot, shm::CloseReason::kDiscard));
      player.closing.push_back(slot);
    } else if (player.pool->release(*slot) == Release::kClose) {
      player.closing.push_back(slot);
    }
  }
  void close_one(Player& player) {
    if (LocalSlot* slot = pick(player.closing)) player.pool->finish_close(*slot);
  }
  void look_at_flags(Player& player) {
    LocalSlot* slot = random(4) == 0 ? player.pool->take_idle(shm::CloseReason::kEvict)
                                     : player.pool->take_flagged();
    if (slot != nullptr) player.closing.push_back(slot);
  }
  void flag_something() {
    shm::flag_needed_last(watched_->lane().view(), watched_->record(), shm::kNobody,
                          shm::CloseReason::kReclaim, shm::kNoDeadline, shm::coarse_ns(), 2);
  }
  void resize() {
    watched_->record().operator_max_size = 1 + random(6);
    shm::PoolLock lock(watched_->lane().view(), watched_->record(), observer_.lane().lock_context(),
                       0);
    shm::serve(lock);
  }
  // Dies as it stands, and is buried.
  void replace(uint32_t index) {
    Player& player = *players_[index];
    const uint32_t process = player.worker.process().index();
    const uint64_t incarnation = player.worker.process().incarnation();
    ASSERT_TRUE(shm::bury_process(watched_->lane().view(), observer_.lane().lock_context(), process,
                                  incarnation, 1)
                    .complete);
    players_[index] = std::make_unique<Player>(server_.runtime_dir());
  }

  void step() {
    const uint32_t index = random(static_cast<uint32_t>(players_.size()));
    Player& player = *players_[index];
    switch (random(20)) {
      case 0:
        player.acquire.reset();
        break;
      case 1:
        flag_something();
        break;
      case 2:
        if (random(4) == 0) resize();
        break;
      case 3:
        if (random(10) == 0) replace(index);
        break;
      case 4:
      case 5:
        look_at_flags(player);
        break;
      case 6:
      case 7:
      case 8:
        finish_mint(player);
        break;
      case 9:
      case 10:
      case 11:
        close_one(player);
        break;
      case 12:
      case 13:
      case 14:
        release(player);
        break;
      default:
        begin_or_go_on(player);
    }
  }
  void expect_everything_accounted_for() {
    size_t in_use = 0;
    size_t closing = 0;
    size_t idle = 0;
    for (const auto& player : players_) {
      in_use += player->in_use.size();
      closing += player->closing.size();
      idle += player->pool->idle_here();
    }
    const shm::PoolCounts counts = watched_->counts();
    EXPECT_EQ(in_use, counts.in_use);
    EXPECT_EQ(closing, counts.closing);
    EXPECT_EQ(idle, counts.idle);
    expect_whole(watched_->lane().view(), watched_->record(), shm::wanted_cap(watched_->record()));
  }

  HandshakeServer server_;
  Worker observer_;
  std::unique_ptr<Pool> watched_;
  std::vector<std::unique_ptr<Player>> players_;
  uint64_t state_;
};

TEST_P(RandomSteps, LeaveThePoolWhole) {
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    step();
    expect_everything_accounted_for();
    if (HasFailure()) ADD_FAILURE() << "after step " << i;
  }
  players_.clear();
  watched_->record().operator_max_size = 0;
  shm::settle_pressure(watched_->lane().view(), watched_->record(),
                       observer_.lane().lock_context());
  EXPECT_EQ(0u, watched_->counts().size() + watched_->counts().waiting);
  std::vector<shm::CounterSums> sums;
  shm::sum_counters(server_.view(), &sums);
  for (const shm::Counter counter :
       {shm::Counter::acquire_ok_waited, shm::Counter::acquire_timeout, shm::Counter::hand_overs,
        shm::Counter::failed_factory, shm::Counter::acquire_saturated}) {
    EXPECT_GT(sums[0][counter], 10u) << static_cast<int>(counter);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSteps, ::testing::Range<uint64_t>(1, 13));

}  // namespace
}  // namespace oxpool::test
