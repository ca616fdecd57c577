/* shm/slot.cc */

/* take_free: the hints are read once; then, bit by bit, the bit is claimed and the word moved. s = the slot or NO_SLOT.
 * The caller has read the hints to h. */
inline take_hinted(to, whom) {
  do
  :: atomic { h == 0 -> s = NO_SLOT; break }
  :: atomic { h != 0 -> /* claim_hint */
       s = LOWEST(h);
       h = h & ~BIT(s);
       claimed = (hints & BIT(s)) != 0;
       hints = hints & ~BIT(s);
       MAY_DIE
#ifdef LOOKS
       ; MAY_SLEEP_FOR_EVER
#endif
     }
     if
     :: atomic { claimed && state[s] == FREE -> /* slot_move */
          state[s] = to; owner[s] = whom; h = 0; claimed = false;
          MAY_DIE;
          break
        }
     :: atomic { else -> claimed = false }
     fi
  od
}

/* free_slot's second half: set_hint */
inline set_hint() {
  atomic { hints = hints | BIT(s); s = 0; MAY_DIE }
}
/* free_slot's first half, in the caller's atomic block: slot_move to FREE */
inline move_to_free() {
  state[s] = FREE; owner[s] = NOBODY; reason[s] = NOT_FLAGGED;
  MAY_DIE
}

#define HAS_LOST_HINT(slot) (state[slot] == FREE && (hints & BIT(slot)) == 0)
#define HAS_HINT(slot) (state[slot] == FREE && (hints & BIT(slot)) != 0)

/* restore_hints: load_slot, then fetch_or. What happens to the slot between the two is why hints can be wrong. */
inline restore_hint(slot) {
  if
  :: atomic { HAS_LOST_HINT(slot) -> MAY_DIE }
     atomic { hints = hints | BIT(slot); MAY_DIE }
  :: atomic { else }
  fi
}
inline restore_hints() {
  restore_hint(0);
#if UNITS > 1
  restore_hint(1)
#endif
}

#define CAN_BE_FLAGGED(slot) \
  (state[slot] == IDLE && reason[slot] == NOT_FLAGGED && owner[slot] != LANE(me))
#define IS_FLAGGED(slot) (state[slot] == IDLE && reason[slot] != NOT_FLAGGED)

/* flag_longest_idle, in the caller's atomic block: one idle slot of somebody else, unless as many as wait are flagged. */
inline flag_longest_idle(limit) {
  if
  :: CAN_BE_FLAGGED(0) && COUNT_SLOTS(IS_FLAGGED) < limit -> reason[0] = RECLAIM; MAY_DIE
#if UNITS > 1
  :: CAN_BE_FLAGGED(1) && COUNT_SLOTS(IS_FLAGGED) < limit -> reason[1] = RECLAIM; MAY_DIE
#endif
  :: else
  fi
}
