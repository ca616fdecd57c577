/* The same through the C face.
 *   example_c_worker /run/oxpool */
#include <stdio.h>
#include <stdlib.h>

#include "client/oxpool.h"

static int failed(void) {
  fprintf(stderr, "%s\n", oxpool_last_error());
  return 1;
}

int main(int argc, char **argv) {
  oxpool_process *process;
  oxpool_lane *lane;
  oxpool_pool *pool;
  if (oxpool_attach(argc > 1 ? argv[1] : NULL, NULL, "example_c_worker", 1000, &process)) {
    return failed();
  }
  if (oxpool_lane_open(process, &lane)) return failed();
  if (oxpool_pool_open(lane, "example", 7, 4, 300000, &pool)) return failed();

  for (int i = 0; i < 3; ++i) {
    oxpool_todo todo;
    oxpool_slot *slot;
    do {
      if (oxpool_acquire(pool, 1000, 100, &todo, &slot)) return failed();
      if (todo == OXPOOL_CLOSE) {
        free(oxpool_resource(slot));
        oxpool_closed(pool, slot);
      }
    } while (todo == OXPOOL_WAIT || todo == OXPOOL_CLOSE);
    if (todo == OXPOOL_MINT && oxpool_minted(pool, slot, calloc(1, sizeof(int)), 0)) {
      return failed();
    }
    int *queries = oxpool_resource(slot);
    printf("query %d on this connection\n", ++*queries);
    if (oxpool_release(pool, slot, &todo)) return failed();
    if (todo == OXPOOL_CLOSE) {
      free(oxpool_resource(slot));
      oxpool_closed(pool, slot);
    }
  }

  oxpool_slot *slot;
  while ((slot = oxpool_take_idle(pool, 1)) != NULL) {
    free(oxpool_resource(slot));
    oxpool_closed(pool, slot);
  }
  oxpool_pool_close(pool);
  oxpool_lane_close(lane);
  oxpool_detach(process);
  return 0;
}
