/* shm/queue.cc, all of it under the pool's lock */

/* enqueue, in the caller's atomic block: nobody else reads these words but under the lock, and add_waiting comes last. */
inline enqueue() {
  number[me] = NEXT_NUMBER;
  MAY_DIE;
  queue_pool[me] = true;
  MAY_DIE;
  wait[me] = WAITING; granted_slot[me] = 0;
  MAY_DIE;
  linked[me] = true;
  MAY_DIE;
#ifndef BROKEN_COUNTS_AFTER_LOOKING
  waiting++;
  MAY_DIE
#endif
}

/* unlink, in the caller's atomic block */
inline unlink(ticket) {
  if
  :: queue_pool[ticket] ->
     linked[ticket] = false;
     MAY_DIE;
     waiting = (waiting > 0 -> waiting - 1 : 0);
     MAY_DIE;
     queue_pool[ticket] = false; number[ticket] = 0;
     MAY_DIE
  :: else
  fi
}

/* settle_cap and retire_excess, of which serve is one caller and repair_pool the other */
#ifdef RESIZE
inline settle_cap() {
  atomic { target = wanted; units = UNITS_NOW; MAY_DIE }
  do
  :: atomic { s < UNITS && units < target && state[s] == RETIRED -> state[s] = FREE; MAY_DIE }
     atomic { hints = hints | BIT(s); units++; s++; MAY_DIE }
  :: atomic { s < UNITS && !(units < target && state[s] == RETIRED) -> s++ }
  :: atomic { s == UNITS -> break }
  od;
  atomic { excess = (units > target -> units - target : 0); units = 0; s = 0; MAY_DIE }
  atomic { cap = target; target = 0; MAY_DIE }
}
inline retire_excess() {
  do
  :: atomic { excess == 0 -> break }
  :: atomic { excess > 0 -> h = hints; MAY_DIE }
     take_hinted(RETIRED, NOBODY);
     if
     :: atomic { s == NO_SLOT -> s = 0; break }
     :: atomic { else -> s = 0; excess--; MAY_DIE }
     fi
  od
}
#endif

/* serve: grants free units to the head, and drops from it who waits no more */
inline serve() {
#ifdef RESIZE
  if
  :: atomic { cap != wanted || repairs -> skip }
     settle_cap()
  :: atomic { else }
  fi;
  retire_excess();
  if
  :: atomic { excess > 0 -> flag_longest_idle(excess) }
  :: atomic { else }
  fi;
#endif
  do
  :: atomic {
       head = HEAD;
       if
       :: head == NO_TICKET || IS_SHUT -> head = NO_TICKET; break
       :: head != NO_TICKET && !IS_SHUT && wait[head] == WAITING && !gone[LANE(head)] ->
          h = hints;
          MAY_DIE;
          if
          :: h == 0 -> head = NO_TICKET; break /* kNoUnit */
          :: else
          fi
       :: else -> unlink(head); head = NO_TICKET
       fi
     }
     if
     :: atomic { head != NO_TICKET } /* grant */
        take_hinted(GRANTED, LANE(head));
        if
        :: atomic { s == NO_SLOT -> s = 0; head = NO_TICKET; break }
        :: atomic { else ->
             slot_ticket[s] = head;
             MAY_DIE;
             if
#ifdef BROKEN_GRANT_WITHOUT_CAS
             :: true ->
#else
             :: wait[head] == WAITING -> /* decide */
#endif
                wait[head] = GRANTED; granted_slot[head] = s; s = 0;
                MAY_DIE;
                claimed = false
#ifndef BROKEN_GRANT_WITHOUT_CAS
             :: else -> move_to_free(); claimed = true /* kCancelled */
#endif
             fi
           }
        fi;
        if
        :: atomic { claimed -> claimed = false; hints = hints | BIT(s); s = 0; MAY_DIE }
        :: atomic { else }
        fi;
        atomic { unlink(head); head = NO_TICKET }
     :: atomic { else }
     fi
  od
}
