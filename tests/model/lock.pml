/* The lock of the segment (shm/robust_mutex.cc) with what tells the living from the dead (shm/liveness.cc), records of
 * processes and lanes that are used again (shm/lane.cc, token.cc), and who buries (shm/burial.cc). See README.md.
 *
 * What must hold:
 *   inside          never two of the living
 *   unlock          who was buried alive changes nothing
 *   when nobody can go on   everybody is through: the lock of a dead holder was had, nobody sleeps for ever */

#ifndef LIVES
#define LIVES 3 /* workers, in fewer records than that; at most 3 */
#endif
#ifndef TURNS
#define TURNS 1 /* that each of them is inside */
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef STEWARD_DEATHS
#define STEWARD_DEATHS 0
#endif
#ifndef BURIED_ALIVE
#define BURIED_ALIVE 0 /* whose token went, and which go on */
#endif

#ifndef RECORDS
#define RECORDS 3 /* of processes and of lanes; number 0 is the steward's. With 3, two for the workers */
#endif
#define NOBODY 0
#define FIRST_STEWARD 4 /* incarnations: workers 1 to 3, stewards from 4 on */
#define IS_STEWARD (me >= FIRST_STEWARD)
#define LAST 6

/* The lock word: OwnerId and W. */
byte word_lane, word_incarnation;
bool w;
#ifdef BROKEN_LANE_NUMBER_ALONE
#define NAME(incarnation) 1
#else
#define NAME(incarnation) (incarnation)
#endif
#define WORD_IS(lane_, incarnation_, w_) (word_lane == (lane_) && word_incarnation == (incarnation_) && w == (w_))
#define IS_UNLOCKED (word_incarnation == NOBODY)

byte process[RECORDS];    /* ProcessRecord::incarnation */
byte token[RECORDS];      /* who holds the byte of the lock file */
byte claim[RECORDS];      /* LaneRecord::claim: the process's incarnation ... */
byte claim_of[RECORDS];   /* ... and its number */
byte lane[RECORDS];       /* LaneRecord::incarnation */

bool sleeps[LAST + 1];    /* in futex_wait */
byte inside;              /* of the living */
byte deaths, steward_deaths, buried_alive, through;
byte steward = FIRST_STEWARD;

#define DIE                                                                     \
  inside = inside - counted; counted = 0; token[record] = NOBODY;               \
  sleeps[me] = false; seen_lane = 0; seen = 0; judged = false; in_time = false; \
  is_using_lock = false; at = 0; life = 0; goto dying
#if DEATHS + STEWARD_DEATHS + BURIED_ALIVE > 0
#define MAY_DIE                                                                          \
  if                                                                                     \
  :: true                                                                                \
  :: !IS_STEWARD && deaths < DEATHS -> deaths++; DIE                                     \
  :: IS_STEWARD && steward_deaths < STEWARD_DEATHS -> steward_deaths++; DIE              \
  :: !IS_STEWARD && buried_alive < BURIED_ALIVE && is_using_lock && token[record] == me -> \
     buried_alive++; token[record] = NOBODY; inside = inside - counted; counted = 0      \
  fi
#else
#define MAY_DIE skip
#endif

/* Liveness::dead, word by word: judged = whether (seen_lane, seen) is dead */
inline judge() {
#ifndef BROKEN_LANE_NUMBER_ALONE
  if
  :: atomic { lane[seen_lane] != seen -> judged = true }
  :: atomic { else }
     atomic { at = claim_of[seen_lane]; life = claim[seen_lane] }
     if /* Liveness::process_dead */
     :: atomic { process[at] != life -> judged = true }
     :: atomic { else } /* token_held, of the record's number as it was read */
        atomic { judged = (token[at] == NOBODY) }
     fi
  fi;
#else
  atomic { at = claim_of[seen_lane] }
  atomic { judged = (token[at] == NOBODY) }
#endif
  atomic { at = 0; life = 0 }
}
/* Without deaths a sleeper needs no slices. With them it looks again, but a look that finds nothing changes nothing. */
#ifdef BROKEN_LANE_NUMBER_ALONE
#define IS_DEAD_NOW (token[claim_of[word_lane]] == NOBODY)
#else
#define IS_DEAD_NOW                                                                     \
  (lane[word_lane] != word_incarnation || process[claim_of[word_lane]] != claim[word_lane] || \
   token[claim_of[word_lane]] == NOBODY)
#endif
#define SLICE_IS_OF_USE (!WORD_IS(seen_lane, seen, true) || IS_DEAD_NOW)

inline enter() {
  if
  :: token[record] == me -> counted = 1; inside++; assert(inside == 1)
  :: else /* buried alive: not inside with anybody's consent */
  fi
}

/* PoolLock, or TableLock: fenced, RobustMutex::lock */
inline take_lock() {
  if
  :: atomic { lane[my_lane] != me -> goto fenced }
  :: atomic { else }
  fi;
  if
  :: atomic { IS_UNLOCKED -> /* the first attempts, and the spins */
       word_lane = my_lane; word_incarnation = NAME(me); w = false; enter(); in_time = true;
       MAY_DIE
     }
  :: atomic { !IS_UNLOCKED }
  fi;
  do
  :: atomic { in_time -> in_time = false; break }
  :: atomic { !in_time && IS_UNLOCKED ->
       word_lane = my_lane; word_incarnation = NAME(me);
#ifdef BROKEN_FORGETS_SLEEPERS
       w = false;
#else
       w = true; /* others may sleep */
#endif
       enter();
       MAY_DIE;
       break
     }
  :: atomic { !in_time && !IS_UNLOCKED -> seen_lane = word_lane; seen = word_incarnation }
     if
     :: atomic { WORD_IS(seen_lane, seen, false) -> w = true; MAY_DIE }
     :: atomic { WORD_IS(seen_lane, seen, true) }
     :: atomic { !(word_lane == seen_lane && word_incarnation == seen) -> seen = 0; seen_lane = 0; goto again }
     fi;
     atomic { sleeps[me] = WORD_IS(seen_lane, seen, true); MAY_DIE } /* futex_wait */
     if
     :: atomic { !sleeps[me] }
#if DEATHS + STEWARD_DEATHS + BURIED_ALIVE > 0
     :: atomic { sleeps[me] && SLICE_IS_OF_USE -> sleeps[me] = false }
#endif
     fi;
     judge();
     if
     :: atomic { judged && WORD_IS(seen_lane, seen, true) -> /* kOwnerDied */
          word_lane = my_lane; word_incarnation = NAME(me);
          judged = false; seen = 0; seen_lane = 0;
          enter();
          MAY_DIE;
          break
        }
#ifdef BROKEN_TAKES_WITHOUT_CAS
     :: atomic { judged ->
          word_lane = my_lane; word_incarnation = NAME(me); w = true;
          judged = false; seen = 0; seen_lane = 0;
          enter();
          break
        }
#endif
     :: atomic { else -> judged = false; seen = 0; seen_lane = 0 }
     fi;
again:
  od
}

/* RobustMutex::unlock */
inline give_lock() {
  atomic {
    inside = inside - counted; counted = 0;
    if
#ifdef BROKEN_UNLOCKS_BLINDLY
    :: true ->
#else
    :: word_lane == my_lane && word_incarnation == NAME(me) ->
#endif
       word_lane = 0; word_incarnation = NOBODY; judged = w; w = false;
       MAY_DIE
#ifndef BROKEN_UNLOCKS_BLINDLY
    :: else -> assert(token[record] != me) /* only who was buried alive loses it */
#endif
    fi
  }
  atomic { /* futex_wake(1) */
    if
    :: judged && sleeps[1] -> sleeps[1] = false
    :: judged && sleeps[2] -> sleeps[2] = false
    :: judged && sleeps[3] -> sleeps[3] = false
    :: judged && sleeps[4] -> sleeps[4] = false
    :: judged && sleeps[5] -> sleeps[5] = false
    :: !judged || !(sleeps[1] || sleeps[2] || sleeps[3] || sleeps[4] || sleeps[5]) -> skip
    fi;
    judged = false
  }
}

#define VARIABLES                                      \
  byte record, my_lane, seen_lane, seen, at, life, turns; \
  byte counted;                                        \
  bool judged, in_time, is_using_lock

proctype Life(byte me) {
  VARIABLES;

  /* SessionServer, for the worker: a free record whose byte can be locked; publish_process */
  do
  :: atomic { process[1] == NOBODY && token[1] == NOBODY -> record = 1; token[1] = me }
     break
  :: atomic { process[2] == NOBODY && token[2] == NOBODY -> record = 2; token[2] = me }
     break
#if RECORDS > 3
  :: atomic { process[3] == NOBODY && token[3] == NOBODY -> record = 3; token[3] = me }
     break
#endif
  od;
  atomic { MAY_DIE }
  atomic { process[record] = me; MAY_DIE }
  if /* open_lane */
  :: atomic { claim[1] == NOBODY -> claim[1] = me; claim_of[1] = record; my_lane = 1; MAY_DIE }
  :: atomic { claim[2] == NOBODY -> claim[2] = me; claim_of[2] = record; my_lane = 2; MAY_DIE }
#if RECORDS > 3
  :: atomic { claim[3] == NOBODY -> claim[3] = me; claim_of[3] = record; my_lane = 3; MAY_DIE }
#endif
  fi;
  atomic { lane[my_lane] = me; MAY_DIE }

  do
  :: atomic { turns < TURNS -> turns++; is_using_lock = true }
     take_lock();
     atomic { MAY_DIE }
     give_lock();
     is_using_lock = false
  :: atomic { turns == TURNS -> break }
  od;

  if /* Lane::still_usable */
  :: atomic { lane[my_lane] != me || token[record] != me -> goto fenced } /* see README.md: not modelled */
  :: atomic { else -> lane[my_lane] = NOBODY; MAY_DIE } /* close_lane */
  fi;
  atomic { claim[my_lane] = NOBODY; claim_of[my_lane] = 0; MAY_DIE }
  atomic { process[record] = NOBODY; MAY_DIE }
fenced:
  atomic { token[record] = (token[record] == me -> NOBODY : token[record]) }
dying:
  atomic { through++ }
}

#if RECORDS > 3
#define LANE_OF(life) (claim[1] == life -> 1 : (claim[2] == life -> 2 : (claim[3] == life -> 3 : 0)))
#else
#define LANE_OF(life) (claim[1] == life -> 1 : (claim[2] == life -> 2 : 0))
#endif
#define IS_TO_BE_BURIED(number) (process[number] != NOBODY && token[number] == NOBODY)

/* Steward, bury_process; the next one when it died. */
proctype Steward() {
  byte me, victim, number;
  VARIABLES;
begins:
  atomic { me = steward; steward++; token[0] = me }
  atomic { process[0] = me; MAY_DIE }
  atomic { lane[0] = NOBODY; MAY_DIE } /* open_lane_at */
  atomic { claim[0] = me; claim_of[0] = 0; MAY_DIE }
  atomic { lane[0] = me; MAY_DIE }
end_rests:
  atomic {
    if
    :: IS_TO_BE_BURIED(1) -> victim = 1
    :: IS_TO_BE_BURIED(2) -> victim = 2
#if RECORDS > 3
    :: IS_TO_BE_BURIED(3) -> victim = 3
#endif
    fi
  }
  atomic { number = LANE_OF(process[victim]); MAY_DIE }
  if
  :: atomic { number != 0 && lane[number] != NOBODY }
     take_lock(); /* bury_lane */
     atomic { MAY_DIE }
     give_lock()
  :: atomic { else }
  fi;
  if
  :: atomic { number != 0 -> lane[number] = NOBODY; MAY_DIE } /* close_lane */
     atomic { claim[number] = NOBODY; claim_of[number] = 0; MAY_DIE }
  :: atomic { else }
  fi;
  atomic { process[victim] = NOBODY; victim = 0; number = 0; MAY_DIE } /* clear_process */
  goto end_rests;

fenced:
  assert(false);
dying:
  atomic { victim = 0; number = 0; at = 0; life = 0; my_lane = 0; goto begins }
}

init {
  atomic {
    run Steward();
    run Life(1);
    run Life(2);
#if LIVES > 2
    run Life(3);
#endif
  }
  timeout -> assert(through == LIVES && IS_UNLOCKED && inside == 0)
}
