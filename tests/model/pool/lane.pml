/* One lane (client/acquire.cc, pool.cc, pool_idle.cc): some rounds of acquire, use, release, then ~Pool and ~Lane. */

/* why the pool's lock is taken */
#define NO_TASK 0
#define JOIN 1   /* Acquire::join_queue */
#define LEAVE 2  /* Acquire::leave_queue */
#define SETTLE 3 /* settle_pressure */
#define TRY 4    /* Acquire::try_without_waiting */
/* what comes after a unit was freed and the pressure settled */
#define ACQUIRE 1
#define ROUND_OVER 2
#define WAIT_ON 3
#define PART 4

#define IS_OWN_IDLE(slot) (state[slot] == IDLE && owner[slot] == LANE(me))
#define IS_OWN_FIT(slot) (IS_OWN_IDLE(slot) && reason[slot] == NOT_FLAGGED)
#define IS_OWN_FLAGGED(slot) (IS_OWN_IDLE(slot) && reason[slot] != NOT_FLAGGED)
#if UNITS == 1
#define FIRST_SLOT(condition) 0
#else
#define FIRST_SLOT(condition) (condition(0) -> 0 : 1)
#endif

/* Something for Acquire::look_after_the_queue to mend. A look that finds nothing changes nothing, so it is left out: then
 * a state in which nobody can go on is one in which looking does not help. */
#ifdef BROKEN_LOOKS_PAST_HINTS
#define CAN_MEND_HINT false
#else
#define CAN_MEND_HINT ANY_SLOT(HAS_LOST_HINT)
#endif
#define CAN_LOOK                                                                           \
  (CAN_MEND_HINT || (PRESSURE && ANY_SLOT(HAS_HINT)) || (PRESSURE && lock == DEAD_HOLDER) || \
   (ANY_SLOT(CAN_BE_FLAGGED) && COUNT_SLOTS(IS_FLAGGED) < waiting))

/* Between taking the lock and serving: invisible to others until its last store. */
inline begin_task() {
  if
  :: task == JOIN -> enqueue()
  :: task == LEAVE -> unlink(me)
  :: else
  fi
}

proctype Lane(byte me) {
  VARIABLES;

#ifndef FIBERS
  /* All lanes are alike: let them begin in order. */
  atomic { begun + 1 >= me -> begun = LARGER(begun, me) }
#endif

acquire: /* Acquire::start */
  if
  :: atomic { ANY_SLOT(IS_OWN_FIT) && !IS_SHUT -> /* Pool::reuse_idle */
       s = FIRST_SLOT(IS_OWN_FIT);
       state[s] = IN_USE;
       MAY_DIE;
       goto using
     }
  :: atomic { (!ANY_SLOT(IS_OWN_FIT) || IS_SHUT) && ANY_SLOT(IS_OWN_FLAGGED) -> /* Pool::take_flagged */
       s = FIRST_SLOT(IS_OWN_FLAGGED);
       if
       :: reason[s] == EVICT || PRESSURE -> after = ACQUIRE; goto closing
       :: else -> skip /* Pool::flag_still_holds: it does not */
       fi
     }
     atomic { reason[s] = NOT_FLAGGED; s = 0; MAY_DIE; goto acquire }
  :: atomic { !ANY_SLOT(IS_OWN_IDLE) && !PRESSURE && !IS_SHUT -> h = hints; MAY_DIE }
     take_hinted(RESERVED, LANE(me));
     if
     :: atomic { s != NO_SLOT -> goto minting }
     :: atomic { else -> s = 0 }
     fi
  :: atomic { !ANY_SLOT(IS_OWN_IDLE) && PRESSURE }
  :: atomic { !ANY_SLOT(IS_OWN_FLAGGED) && IS_SHUT }
  fi;
  atomic {
    if
    :: task = JOIN
#ifdef TRY_ACQUIRE
    :: PRESSURE -> task = TRY
    :: !PRESSURE -> goto round_over /* kSaturated */
#endif
    fi
  }

locked: /* PoolLock */
  if
  :: atomic { lock == NOBODY -> lock = me; MAY_DIE; begin_task() }
  :: atomic { lock == DEAD_HOLDER -> lock = me; repairs = true; MAY_DIE }
     repair_pool()
#ifdef LOCK_PATIENCE
  :: atomic { lock != NOBODY && lock != DEAD_HOLDER && task != JOIN ->
       if
       :: task == TRY -> task = NO_TASK; goto round_over
       :: task == LEAVE -> task = NO_TASK; goto round_over
       :: else -> goto settled
       fi
     }
#endif
  fi;

serving:
  serve();
  if
  :: atomic { repairs -> repairs = false; begin_task() }
     goto serving
  :: atomic { !repairs && task == JOIN } /* the rest of join_queue */
#ifdef BROKEN_COUNTS_AFTER_LOOKING
     atomic { waiting++ }
#endif
     if
     :: atomic { waiting > MAX_WAITING && wait[me] == WAITING -> /* is_crowded, cancel_wait */
          wait[me] = CANCELLED;
          MAY_DIE;
          unlink(me);
          lock = NOBODY;
          task = NO_TASK;
          MAY_DIE;
          goto round_over
        }
     :: atomic { else }
     fi;
     atomic { /* ask_for_an_idle_one */
       if
       :: flag_longest_idle(waiting)
#ifndef EAGER
       :: ANY_SLOT(CAN_BE_FLAGGED) -> skip /* none is idle for long enough */
#endif
       fi;
       lock = NOBODY;
       task = NO_TASK;
       MAY_DIE;
       goto waits
     }
#ifdef TRY_ACQUIRE
  :: atomic { !repairs && task == TRY && !PRESSURE && !IS_SHUT -> h = hints }
     take_hinted(RESERVED, LANE(me));
     atomic {
       lock = NOBODY;
       task = NO_TASK;
       MAY_DIE;
       if
       :: s == NO_SLOT -> s = 0; goto round_over
       :: else -> goto minting
       fi
     }
#endif
  :: atomic { !repairs && !(task == JOIN) && !(task == TRY && !PRESSURE && !IS_SHUT) ->
       lock = NOBODY;
       if
       :: task == SETTLE -> skip
       :: else -> after = ROUND_OVER /* timed out, or saturated */
       fi;
       MAY_DIE
     }
  fi;
settled:
  atomic {
    task = NO_TASK;
    if
    :: after == ACQUIRE -> after = 0; goto acquire
    :: after == ROUND_OVER -> after = 0; goto round_over
    :: after == WAIT_ON -> after = 0; goto waits
    :: after == PART -> after = 0; goto parted
    fi
  }

waits: /* Acquire::step while it is queued */
  if
  :: atomic { wait[me] == GRANTED -> /* Acquire::accept, accept_grant */
       s = granted_slot[me];
       assert(state[s] == GRANTED && owner[s] == LANE(me));
       state[s] = RESERVED;
#ifndef BROKEN_TICKET_LEFT_IN_SLOT
       slot_ticket[s] = NO_TICKET;
#endif
#ifndef FIBERS
       wait[me] = NONE; granted_slot[me] = 0; /* in truth it stays; who reads it looks at the slot first */
#endif
       MAY_DIE
     }
     goto minting
#if TIMEOUTS > 0
#ifdef BROKEN_TIMEOUT_WITHOUT_CAS
  :: atomic { wait[me] == WAITING && timeouts < TIMEOUTS -> timeouts++ }
     atomic { wait[me] = CANCELLED; MAY_DIE; task = LEAVE; goto locked }
#else
  :: atomic { wait[me] == WAITING && timeouts < TIMEOUTS -> /* Acquire::give_up, cancel_wait */
       timeouts++;
       wait[me] = CANCELLED;
       MAY_DIE;
       task = LEAVE;
       goto locked
     }
#endif
#endif
#if DEATHS > 0
  :: atomic { wait[me] == WAITING && IS_MORTAL -> deaths++; dead[me] = true; over++; FORGET; goto dying }
#endif
#ifdef LOOKS
  :: atomic { wait[me] == WAITING && CAN_LOOK } /* look_after_the_queue */
#ifndef BROKEN_LOOKS_PAST_HINTS
     restore_hints();
#endif
     atomic {
       flag_longest_idle(waiting);
       if
       :: PRESSURE -> task = SETTLE; after = WAIT_ON; goto locked
       :: else -> goto waits
       fi
     }
#endif
#if defined(FIBERS) || defined(PAUSE)
  :: atomic { wait[me] == WAITING && ANY_SLOT(IS_OWN_FIT) && !IS_SHUT -> /* Acquire::take_own_idle */
       wait[me] = CANCELLED;
       task = LEAVE;
       goto locked
     }
#endif
  fi;

minting:
  atomic { /* the factory; then Pool::minted or mint_failed */
    MAY_SLEEP_FOR_EVER;
#ifdef FAILURES
    if
    :: true
    :: move_to_free(); after = ROUND_OVER; goto freed
    fi;
#endif
    assert(state[s] == RESERVED && owner[s] == LANE(me));
    open_here[LANE(me)]++;
    assert(OPEN <= UNITS_NOW);
    MAY_DIE;
    state[s] = IN_USE;
    MAY_DIE
  }

using:
  atomic {
    MAY_SLEEP_FOR_EVER;
    assert(state[s] == IN_USE && owner[s] == LANE(me) && reason[s] == NOT_FLAGGED);
    if
    :: true -> state[s] = IDLE; MAY_DIE /* Pool::release */
#ifdef FAILURES
    :: true -> after = ROUND_OVER; goto closing /* Pool::begin_close */
#endif
    fi
  }
#ifdef BROKEN_NO_LOOK_AFTER_RELEASE
  atomic { s = 0; goto round_over }
#endif
  atomic {
    if
    :: !PRESSURE -> s = 0; goto round_over
    :: else
    fi
  }
  atomic { /* Pool::release_slowly */
    if
#ifndef EAGER
    :: excess == 0 && waiting > 0 -> s = 0; goto round_over /* Pool::keeps_its_slot */
#endif
    :: !PRESSURE -> s = 0; goto round_over /* nobody waits any more */
    :: excess > 0 || waiting > 0 -> after = ROUND_OVER; goto closing
    fi
  }

closing:
  atomic { /* Pool::close_idle, destroy, the other end hangs up, finish_close */
#ifdef BROKEN_LOOKS_BEFORE_FREEING
    h = (PRESSURE -> 1 : 0);
  }
  atomic {
#endif
#ifdef FIBERS
    if
    :: IS_OWN_IDLE(s)
    :: else -> s = 0; goto settled /* the other fiber has it */
    fi;
#endif
    state[s] = CLOSING; reason[s] = NOT_FLAGGED;
    MAY_DIE;
    MAY_SLEEP_FOR_EVER;
    open_here[LANE(me)]--;
    MAY_DIE;
    move_to_free()
  }
freed: /* Pool::free_unit */
  set_hint();
settle: /* settle_pressure */
  atomic {
    if
#ifdef BROKEN_NO_LOOK_AFTER_FREEING
    :: goto settled
#endif
#ifdef BROKEN_LOOKS_BEFORE_FREEING
    :: h == 0 -> goto settled
    :: h == 1 -> h = 0; task = SETTLE; goto locked
#else
    :: !PRESSURE -> MAY_DIE; goto settled
    :: PRESSURE -> MAY_DIE; task = SETTLE; goto locked
#endif
    fi
  }

round_over:
  atomic {
    MAY_SLEEP_FOR_EVER; /* with what it has idle */
    if
    :: rounds < ROUNDS -> rounds++; goto acquire
    :: true
    fi
  }

  /* ~Pool */
parting:
  do
  :: atomic { ANY_SLOT(IS_OWN_IDLE) -> s = FIRST_SLOT(IS_OWN_IDLE); open_here[LANE(me)]--; move_to_free() }
     set_hint()
  :: atomic { !ANY_SLOT(IS_OWN_IDLE) -> after = PART; goto settle }
  od;
parted:
#if defined(FIBERS)
  atomic { over++ }
#else
  atomic { MAY_DIE; gone[me] = true; over++ } /* close_lane */
#endif

asleep:
dying:
  skip
}
