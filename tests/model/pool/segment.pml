/* The words of one pool (shm/layout.h), what the model knows besides, and death.
 *
 * One word of the segment is changed by one statement. What only who has the pool's lock reads is changed in one
 * atomic block with what follows, but with a chance to die between any two of its stores. */

#ifndef LANES
#define LANES 3 /* procs that acquire; at most 3 */
#endif
#ifndef UNITS
#define UNITS 2 /* slots of the pool; at most 2 */
#endif
#ifndef CAP
#define CAP UNITS /* the cap at the start; the other slots are retired */
#endif
#ifndef ROUNDS
#define ROUNDS 0 /* acquires beyond the first of each lane, whoever makes them */
#endif
#ifndef DEATHS
#define DEATHS 0 /* of lanes */
#endif
#ifndef STEWARD_DEATHS
#define STEWARD_DEATHS 0 /* of who buries */
#endif
#ifndef NAPS
#define NAPS 0 /* lanes that sleep for ever */
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 0 /* waits that are given up */
#endif
#ifndef FLAGS
#define FLAGS 0 /* idle slots that the daemon flags */
#endif
#ifndef MAX_WAITING
#define MAX_WAITING 9
#endif

/* SlotState (shm/slot_word.h) */
#define RETIRED 0
#define FREE 1
#define GRANTED 2
#define RESERVED 3
#define IN_USE 4
#define IDLE 5
#define CLOSING 6
/* CloseReason of a flag: a hint that its owner checks, or one that always holds */
#define NOT_FLAGGED 0
#define RECLAIM 1
#define EVICT 2
/* WaitState (shm/wait_word.h); GRANTED as above */
#define NONE 0
#define WAITING 1
#define CANCELLED 3

#define NOBODY 0
#define STEWARD 4
#define RESIZER 5
#define PAUSER 7
#define DEAD_HOLDER 9
#define NO_SLOT UNITS
#define NO_TICKET 0

#ifdef FIBERS
#define LANE(proc) ((proc) <= 2 -> 1 : (proc)) /* procs 1 and 2 wait with two tickets of one lane */
#else
#define LANE(proc) (proc)
#endif

/* SlotRecord */
byte state[UNITS], owner[UNITS], reason[UNITS]; /* together: word */
byte slot_ticket[UNITS];
byte hints; /* ChunkRecord::free_hint */
/* TicketRecord, by proc */
byte wait[4], granted_slot[4]; /* together: wait_word */
bool queue_pool[4];
byte number[4];
bool linked[4]; /* next, previous, head and tail: the list is in order of number, always */
/* PoolRecord */
byte lock; /* the lock of lock.pml: nobody, a living holder, or one who died inside */
byte waiting, excess; /* together: pressure */
byte cap = CAP;
byte wanted = CAP; /* wanted_cap(): settings.max_size, operator_max_size */
/* gate: not open */
#ifdef PAUSE
bool shut;
#define IS_SHUT shut
#else
#define IS_SHUT false
#endif
/* LaneRecord::incarnation is another's or nobody's */
bool gone[4];

/* What is not in the segment */
bool dead[4];      /* its token is unlocked, its burial not complete */
byte open_here[4]; /* connections that the server sees, by proc */
byte deaths, steward_deaths, naps, timeouts, flags, rounds, begun, over;
byte pauses, resizes; /* still to come to their end */

#define BIT(slot) (1 << (slot))
#define LOWEST(bits) (((bits) & 1) -> 0 : 1)
#define PRESSURE (waiting != 0 || excess != 0)
#define OPEN (open_here[1] + open_here[2] + open_here[3])
#if UNITS == 1
#define EACH_SLOT(condition) (condition(0))
#define ANY_SLOT(condition) (condition(0))
#define COUNT_SLOTS(condition) (condition(0) -> 1 : 0)
#else
#define EACH_SLOT(condition) (condition(0) && condition(1))
#define ANY_SLOT(condition) (condition(0) || condition(1))
#define COUNT_SLOTS(condition) ((condition(0) -> 1 : 0) + (condition(1) -> 1 : 0))
#endif
#define EXISTS(slot) (state[slot] != RETIRED)
#define UNITS_NOW COUNT_SLOTS(EXISTS)

#define COMES_BEFORE(a, b) (!linked[b] || number[a] < number[b])
/* PoolRecord::head */
#define HEAD                                                              \
  ((linked[1] && COMES_BEFORE(1, 2) && COMES_BEFORE(1, 3)) -> 1 :         \
   ((linked[2] && COMES_BEFORE(2, 3)) -> 2 : (linked[3] -> 3 : NO_TICKET)))
#define LARGER(a, b) ((a) > (b) -> (a) : (b))
#define NEXT_NUMBER (1 + LARGER(LARGER(number[1], number[2]), number[3]))

/* What every proc has of its own, besides `me`. */
#define VARIABLES                                                  \
  byte s, h, head, task, after, victim; RESIZE_VARIABLES           \
  bool claimed, repairs
#define FORGET                                                     \
  s = 0; h = 0; head = 0; task = 0; after = 0; victim = 0; RESIZE_FORGET \
  claimed = false; repairs = false
#ifdef RESIZE
#define RESIZE_VARIABLES byte target, units;
#define RESIZE_FORGET target = 0; units = 0;
#else
#define RESIZE_VARIABLES
#define RESIZE_FORGET
#endif

/* SIGKILL, or not: at this instruction. The token goes at once, the sockets later (steward.pml); what the proc knew is
 * gone. */
#ifdef FIBERS
#define IS_MORTAL (me == 3 && deaths < DEATHS)
#else
#define IS_MORTAL (me <= 3 && deaths < DEATHS)
#endif
#if STEWARD_DEATHS > 0
#define MAY_DIE                                                                              \
  if                                                                                         \
  :: true                                                                                    \
  :: IS_MORTAL -> deaths++; dead[me] = true; over++; lock = (lock == me -> DEAD_HOLDER : lock);      \
     FORGET; goto dying                                                                      \
  :: me >= STEWARD && steward_deaths < STEWARD_DEATHS -> steward_deaths++;                   \
     lock = (lock == me -> DEAD_HOLDER : lock); FORGET; goto dying                           \
  fi
#elif DEATHS > 0
#define MAY_DIE                                                                              \
  if                                                                                         \
  :: true                                                                                    \
  :: IS_MORTAL -> deaths++; dead[me] = true; over++; lock = (lock == me -> DEAD_HOLDER : lock);      \
     FORGET; goto dying                                                                      \
  fi
#else
#define MAY_DIE skip
#endif
/* SIGSTOP outside of a lock, and never SIGCONT. A proc that is not run is in every state that is searched; this is to tell
 * what those can come to that go on, so it stands only where others may want what the proc has. */
#if NAPS > 0
#define MAY_SLEEP_FOR_EVER                                     \
  if                                                           \
  :: true                                                      \
  :: me <= 3 && lock != me && naps < NAPS -> naps++; over++; FORGET; goto asleep                \
  fi
#else
#define MAY_SLEEP_FOR_EVER skip
#endif
