/* Who buries (daemon/reaper.cc, shm/burial.cc): the daemon, or the one process at a time that holds byte 0 in its place. */

#define IS_OF_VICTIM(slot) (state[slot] >= GRANTED && owner[slot] == victim)

proctype Steward(byte me) {
  VARIABLES;

end_rests:
  atomic { /* Reaper::examine: its token is unlocked, and its process has ended */
    if
    :: dead[1] && !gone[1] -> victim = 1
    :: dead[2] && !gone[2] -> victim = 2
    :: dead[3] && !gone[3] -> victim = 3
    fi;
#ifndef BROKEN_BURIES_BEFORE_SOCKETS_CLOSE
    open_here[victim] = 0;
#endif
    MAY_DIE
  }
  /* bury_lane: PoolLock */
  if
  :: atomic { lock == NOBODY -> lock = me; MAY_DIE }
  :: atomic { lock == DEAD_HOLDER -> lock = me; repairs = true; MAY_DIE }
     repair_pool()
  fi;
  if
  :: repairs -> goto serving
  :: else
  fi;

bury: /* bury_lane_at_pool */
  atomic { /* drop_ticket */
    if
    :: queue_pool[victim] ->
       if
       :: wait[victim] == WAITING -> wait[victim] = CANCELLED; MAY_DIE
       :: else
       fi;
       unlink(victim)
    :: else
    fi
  }
  do
  :: atomic { ANY_SLOT(IS_OF_VICTIM) -> s = FIRST_SLOT(IS_OF_VICTIM); move_to_free() }
     set_hint()
  :: atomic { !ANY_SLOT(IS_OF_VICTIM) -> break }
  od;
#ifndef BROKEN_BURIAL_LEAVES_HINTS
  restore_hints();
#endif
serving:
  serve();
  if
  :: atomic { repairs -> repairs = false }
     goto bury
  :: atomic { else -> lock = NOBODY; MAY_DIE }
  fi;
  atomic { /* leave_seat, close_lane */
    gone[victim] = true;
    open_here[victim] = 0;
    wait[victim] = NONE; granted_slot[victim] = 0;
    victim = 0;
    goto end_rests
  }

asleep:
dying: /* the next one */
  goto end_rests
}

/* What the daemon flags: an idle timeout, an eviction. */
proctype Flagger() {
end:
  do
  :: atomic { flags < FLAGS && state[0] == IDLE && reason[0] == NOT_FLAGGED -> reason[0] = EVICT; flags++ }
#if UNITS > 1
  :: atomic { flags < FLAGS && state[1] == IDLE && reason[1] == NOT_FLAGGED -> reason[1] = EVICT; flags++ }
#endif
  od
}

#ifdef RESIZE
/* Lane::request_settings: a lane that wants another cap. */
proctype Resizer(byte me, size) {
  VARIABLES;
  atomic { wanted = size; MAY_DIE }
#ifdef BROKEN_CAP_COMPARED_WITHOUT_LOCK
  if
  :: atomic { cap == wanted -> goto dying }
  :: atomic { cap != wanted }
  fi;
#endif
  if /* Lane::settle_cap */
  :: atomic { lock == NOBODY -> lock = me; MAY_DIE }
  :: atomic { lock == DEAD_HOLDER -> lock = me; repairs = true; MAY_DIE }
     repair_pool()
  fi;
serving:
  serve();
  if
  :: atomic { repairs -> repairs = false }
     goto serving
  :: atomic { else -> lock = NOBODY; MAY_DIE }
  fi;
asleep:
dying:
  atomic { resizes-- }
}
#endif

#ifdef PAUSE
/* set_gate: an operator who pauses the pool and opens it again. */
proctype Pauser(byte me) {
  VARIABLES;
  atomic { shut = true; MAY_DIE }
#ifdef BROKEN_LOOKS_BEFORE_OPENING
  atomic { h = (PRESSURE -> 1 : 0) }
  atomic { shut = false; MAY_DIE }
  if
  :: atomic { h == 0 -> goto dying }
  :: atomic { h == 1 -> h = 0 }
  fi;
#else
  atomic { shut = false; MAY_DIE }
  if /* settle_pressure */
  :: atomic { !PRESSURE -> goto dying }
  :: atomic { PRESSURE }
  fi;
#endif
  if
  :: atomic { lock == NOBODY -> lock = me; MAY_DIE }
  :: atomic { lock == DEAD_HOLDER -> lock = me; repairs = true; MAY_DIE }
     repair_pool()
  fi;
serving:
  serve();
  if
  :: atomic { repairs -> repairs = false }
     goto serving
  :: atomic { else -> lock = NOBODY; MAY_DIE }
  fi;
asleep:
dying:
  atomic { pauses-- }
}
#endif
