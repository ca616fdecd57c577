/* The C face of the client library, for bindings of other languages.
 *
 * The library moves budget and never calls back: it says what is to be done with a slot, the caller
 * does it and reports back. Handles are opaque. Every function that can fail returns an
 * oxpool_status; oxpool_last_error() then has one sentence for people, per thread.
 *
 * Thread safety: a process handle may be used by all threads; a lane and its pools by the thread
 * that opened the lane. No function throws. After fork() the child must attach anew; every call
 * with an inherited handle answers OXPOOL_FORKED and touches nothing. */
#ifndef OXPOOL_H
#define OXPOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oxpool_process oxpool_process;
typedef struct oxpool_lane oxpool_lane;
typedef struct oxpool_pool oxpool_pool;
typedef struct oxpool_slot oxpool_slot;

typedef enum oxpool_status {
  OXPOOL_OK = 0,
  OXPOOL_TIMEOUT = 1,     /* the deadline passed while every unit was taken */
  OXPOOL_SATURATED = 2,   /* timeout 0 and every unit was taken */
  OXPOOL_DEADLOCK = 3,    /* every unit is held by this thread, which would wait for itself */
  OXPOOL_CLOSED = 4,      /* the pool takes no acquires at the moment */
  OXPOOL_CAPACITY = 5,    /* no room in the segment */
  OXPOOL_FENCED = 6,      /* this attachment is over: drop everything and attach anew */
  OXPOOL_FORKED = 7,      /* the handle was inherited by fork() */
  OXPOOL_UNAVAILABLE = 8, /* the daemon cannot be reached */
  OXPOOL_REFUSED = 9,     /* the daemon does not let this user in */
  OXPOOL_ABI = 10,        /* the daemon has another layout version */
  OXPOOL_PROTOCOL = 11,   /* the other side does not speak the handshake */
  OXPOOL_INVALID = 12,    /* an argument is out of range; nothing was done */
  OXPOOL_WRONG_TYPE = 13  /* the name is a mutex's */
} oxpool_status;

/* What the caller has to do next. */
typedef enum oxpool_todo {
  OXPOOL_USE = 0,  /* the slot is in use and has its resource */
  OXPOOL_MINT = 1, /* make a resource, then oxpool_minted() or oxpool_mint_failed() */
  OXPOOL_CLOSE =
      2, /* destroy the slot's resource, then oxpool_closed(); after an acquire: call it again */
  OXPOOL_WAIT = 3, /* a slice of waiting is over: run what is pending and call again */
  OXPOOL_NOTHING = 4
} oxpool_todo;

/* The sentence of this thread's last failure; "" if there was none. Valid until its next call. */
const char* oxpool_last_error(void);

/* Attaches this process. runtime_dir NULL = /run/oxpool; namespace_name NULL = the default of this
 * uid; program is shown to people and may be NULL. Takes at most timeout_ms. */
oxpool_status oxpool_attach(const char* runtime_dir, const char* namespace_name,
                            const char* program, int timeout_ms, oxpool_process** process);
/* All lanes must be closed. NULL is allowed, here and in the other closing calls. */
void oxpool_detach(oxpool_process* process);

oxpool_status oxpool_lane_open(oxpool_process* process, oxpool_lane** lane);
void oxpool_lane_close(oxpool_lane* lane); /* all its pools must be closed */

/* Finds or makes the pool `name` (1 to 255 bytes of anything) with room for max_size (> 0) units.
 * idle_timeout_ms: 0 = never. */
oxpool_status oxpool_pool_open(oxpool_lane* lane, const void* name, size_t name_bytes,
                               uint32_t max_size, uint64_t idle_timeout_ms, oxpool_pool** pool);
void oxpool_pool_close(oxpool_pool* pool); /* units still held are freed */

/* One step of an acquire. timeout_ms: 0 = do not wait, < 0 = wait without limit; it is counted from
 * the first step. Sleeps at most slice_ms, then says OXPOOL_WAIT. Repeat with the same arguments
 * while *todo is OXPOOL_WAIT or OXPOOL_CLOSE (after closing *slot). One acquire at a time a pool.
 */
oxpool_status oxpool_acquire(oxpool_pool* pool, int64_t timeout_ms, uint32_t slice_ms,
                             oxpool_todo* todo, oxpool_slot** slot);
/* Gives up an acquire between two steps. */
void oxpool_acquire_cancel(oxpool_pool* pool);

/* The factory has made `resource` in factory_ns nanoseconds. OXPOOL_FENCED: drop it. */
oxpool_status oxpool_minted(oxpool_pool* pool, oxpool_slot* slot, void* resource,
                            int64_t factory_ns);
void oxpool_mint_failed(oxpool_pool* pool, oxpool_slot* slot);

/* *todo is OXPOOL_NOTHING (kept) or OXPOOL_CLOSE. OXPOOL_FENCED: drop the resource. */
oxpool_status oxpool_release(oxpool_pool* pool, oxpool_slot* slot, oxpool_todo* todo);
/* Starts closing a slot in use: destroy its resource, then oxpool_closed(). */
oxpool_status oxpool_discard(oxpool_pool* pool, oxpool_slot* slot);
/* The next idle slot that somebody asked to be closed, or NULL; all != 0: any idle slot. Destroy
 * its resource, then oxpool_closed(). To be called now and then: it is how idle timeouts take
 * effect. */
oxpool_slot* oxpool_take_idle(oxpool_pool* pool, int all);
/* The resource is destroyed and its connection has ended: the unit is free. */
void oxpool_closed(oxpool_pool* pool, oxpool_slot* slot);

void* oxpool_resource(const oxpool_slot* slot);

typedef struct oxpool_counts {
  uint32_t in_use, idle, minting, closing, waiting, max_size;
} oxpool_counts;
/* Host-wide counts at this moment. */
oxpool_status oxpool_pool_counts(const oxpool_pool* pool, oxpool_counts* counts);
uint64_t oxpool_pool_id(const oxpool_pool* pool);

#ifdef __cplusplus
}
#endif
#endif
