// Damage to a segment: blind, and by somebody who knows the layout.
#pragma once

#include <cstdint>
#include <string>

#include "tests/hostile/random.h"
#include "tests/hostile/victim.h"

namespace oxpool::test {

// One change: a random word, a flipped bit, a word of a record that means something (an index, a
// count, a state, a link, an owner, a lock, a setting, the hash of a place), a record copied over
// another one, a part of a table full of one word, or a hole in the file.
void mutate(Victim& victim, Random& random);

// The whole segment set up so that the daemon has as much to do as possible.
enum class Burden {
  kEveryPoolListsEveryChunk,  // and every slot is in use, for longer than it may be
  kEveryLockIsHeld,           // by a lane that lives, and dead ones are to be buried at every pool
  kEveryProcessIsDead,        // each record names a pid that lives
  kEveryLaneIsTheDead,        // all lanes and seats are of one process that is to be buried
  kIdleBelowTheCap,           // nothing but idle slots, and a cap of one
  kEveryPoolChanges,          // another id each time it is looked at
};
inline constexpr int kBurdenCount = 6;
void burden(Victim& victim, Burden what, Random& random);

// Damage that can not be undone, done to the file through a descriptor; says what was done. The
// victim has left afterwards when the file is shorter than its mapping.
std::string destroy(Victim& victim, Random& random);

}  // namespace oxpool::test
