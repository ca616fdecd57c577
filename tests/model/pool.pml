/* One pool: slot words, hints, pressure, queue, grants, hand-over, death, repair, burial. See README.md.
 *
 * What must hold:
 *   at every mint   no more connections are open than there are units (pool/lane.pml), and nobody has lost what it owns
 *   when nobody can go on   as below: nobody waits for what could be had, and everything is back */

#include "pool/segment.pml"
#include "pool/slots.pml"
#include "pool/queue.pml"
#include "pool/repair.pml"
#include "pool/lane.pml"
#include "pool/steward.pml"

#define IS_WHOLE(slot) (state[slot] == RETIRED || (state[slot] == FREE && (hints & BIT(slot)) != 0))
#define IS_IDLE_UNASKED(slot) (state[slot] == IDLE && reason[slot] == NOT_FLAGGED)
#define IS_ASKED(slot) (IS_FLAGGED(slot) || state[slot] == CLOSING)
#define IS_KEPT(slot) (state[slot] == RETIRED || state[slot] >= RESERVED)

init {
  atomic {
    byte i = 0;
    do
    :: i < UNITS -> state[i] = (i < CAP -> FREE : RETIRED); hints = hints | (i < CAP -> BIT(i) : 0); i++
    :: else -> i = 0; break
    od;
    run Lane(1);
#if LANES > 1
    run Lane(2);
#endif
#if LANES > 2
    run Lane(3);
#endif
#if DEATHS > 0
    run Steward(STEWARD);
#endif
#if FLAGS > 0
    run Flagger();
#endif
#ifdef RESIZE
    resizes = 1;
    run Resizer(RESIZER, RESIZE);
#ifdef RESIZE_BACK
    resizes = 2;
    run Resizer(RESIZER + 1, RESIZE_BACK);
#endif
#endif
#ifdef PAUSE
    pauses = 1;
    run Pauser(PAUSER);
#endif
  }

  timeout -> /* nobody can go on */
  assert(lock == NOBODY && resizes == 0 && pauses == 0);
  if
  :: over == LANES ->
     assert(waiting == IS_LINKED(1) + IS_LINKED(2) + IS_LINKED(3));
#ifdef LOCK_PATIENCE
     /* A ticket that could not be unlinked in time goes when the next one comes by. */
     assert(!(linked[1] && wait[1] == WAITING) && !(linked[2] && wait[2] == WAITING) &&
            !(linked[3] && wait[3] == WAITING));
#else
     assert(waiting == 0);
#endif
     assert(naps > 0 || (EACH_SLOT(IS_WHOLE) && OPEN == 0))
  :: over < LANES ->
     /* Somebody waits: only for those who sleep, and they have every unit. */
     assert(naps > 0 && EACH_SLOT(IS_KEPT));
#if defined(LOOKS) || defined(EAGER)
     assert(!ANY_SLOT(IS_IDLE_UNASKED) || COUNT_SLOTS(IS_ASKED) >= waiting)
#endif
  fi;
#ifdef RESIZE
  assert(cap == wanted && (naps > 0 || excess == 0) && UNITS_NOW == wanted + excess)
#endif
}
