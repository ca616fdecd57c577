/* shm/repair.cc: what who takes the lock from a dead holder does first. Then serve, which is the caller's next step. */

/* settle_grant. Every word that it reads stays as it is: the ticket's lane changes the slot's only once it is granted,
 * the ticket's only while it waits. */
inline settle_grant(slot) {
#ifndef BROKEN_REPAIR_LEAVES_GRANTS
  atomic {
    if
    :: state[slot] == GRANTED ->
       head = slot_ticket[slot];
       if
       :: head != NO_TICKET && LANE(head) == owner[slot] && queue_pool[head] && wait[head] == WAITING ->
          wait[head] = GRANTED; granted_slot[head] = slot;
          MAY_DIE
       :: else
       fi;
       if
       :: head != NO_TICKET && LANE(head) == owner[slot] && wait[head] == GRANTED && granted_slot[head] == slot ->
          claimed = false
       :: else -> s = slot; claimed = true; move_to_free()
       fi;
       head = NO_TICKET
    :: else -> claimed = false
    fi
  }
  if
  :: atomic { claimed -> claimed = false; hints = hints | BIT(s); s = 0; MAY_DIE }
  :: atomic { else }
  fi
#else
  skip
#endif
}

/* queued_tickets and relink for one ticket, in the caller's atomic block */
inline relink(ticket) {
  if
  :: queue_pool[ticket] && wait[ticket] == WAITING -> linked[ticket] = true
  :: else -> linked[ticket] = false; queue_pool[ticket] = false; number[ticket] = 0
  fi;
  MAY_DIE
}
#define IS_LINKED(ticket) (linked[ticket] -> 1 : 0)

inline repair_pool() {
  settle_grant(0);
#if UNITS > 1
  settle_grant(1);
#endif
  atomic {
    relink(1); relink(2); relink(3);
#ifndef BROKEN_REPAIR_DOES_NOT_COUNT
    waiting = IS_LINKED(1) + IS_LINKED(2) + IS_LINKED(3); excess = 0;
#endif
    MAY_DIE
  }
  restore_hints()
}
