/* Shortest job first, in C: the waiting jobs start in order of their processing times, wherever they fit.
 *
 * What it remembers is a list of them in that order, which the engine copies and saves with everything else.
 *
 *     cc -O2 -shared -fPIC -I$(python -c "import schedcore; print(schedcore.get_include())") policy_in_c.c -o sjf.so
 */
#include <stdlib.h>
#include <string.h>

#include "schedcore/policy.h"

typedef struct {
  double processing_time;
  int64_t id;
} entry;

typedef struct {
  entry *entries; /* the shortest first, of equal ones the lower id */
  size_t n, room;
} queue;

static int add(queue *jobs, entry job) {
  size_t at = jobs->n;
  if (jobs->n == jobs->room) {
    const size_t room = 2 * jobs->room + 16;
    entry *entries = realloc(jobs->entries, room * sizeof(entry));
    if (entries == NULL) return -1;
    jobs->entries = entries;
    jobs->room = room;
  }
  for (; at > 0; --at) {
    const entry before = jobs->entries[at - 1];
    if (before.processing_time < job.processing_time) break;
    if (before.processing_time == job.processing_time && before.id < job.id) break;
    jobs->entries[at] = before;
  }
  jobs->entries[at] = job;
  ++jobs->n;
  return 0;
}

static void drop(queue *jobs, int64_t id) {
  for (size_t k = 0; k < jobs->n; ++k) {
    if (jobs->entries[k].id != id) continue;
    memmove(jobs->entries + k, jobs->entries + k + 1, (jobs->n - k - 1) * sizeof(entry));
    --jobs->n;
    return;
  }
}

static int decide(void *state, schedcore_turn *turn) {
  static const int64_t gone[] = {SCHEDCORE_CANCELLED, SCHEDCORE_HELD, SCHEDCORE_UPDATED};
  static const int64_t come[] = {SCHEDCORE_ARRIVED, SCHEDCORE_KILLED, SCHEDCORE_RELEASED, SCHEDCORE_UPDATED};
  queue *jobs = state;
  for (size_t list = 0; list < sizeof gone / sizeof *gone; ++list) {
    const int64_t *ids = schedcore_ids(turn, gone[list]);
    for (int64_t k = 0; k < schedcore_n_ids(turn, gone[list]); ++k) drop(jobs, ids[k]);
  }
  for (size_t list = 0; list < sizeof come / sizeof *come; ++list) {
    const int64_t *ids = schedcore_ids(turn, come[list]);
    for (int64_t k = 0; k < schedcore_n_ids(turn, come[list]); ++k) {
      if (schedcore_is_waiting(turn, ids[k]) == 0) continue; /* one that runs may be updated, too */
      const entry job = {schedcore_job_of(turn, ids[k])->processing_time, ids[k]};
      if (add(jobs, job) != 0) return schedcore_fail(turn, "no memory");
    }
  }
  size_t n_left = 0;
  for (size_t k = 0; k < jobs->n; ++k) {
    const int64_t machine = schedcore_first_fit(turn, jobs->entries[k].id);
    if (machine < 0) {
      jobs->entries[n_left++] = jobs->entries[k];
    } else if (schedcore_start(turn, jobs->entries[k].id, machine) != 0) {
      return -1;
    }
  }
  jobs->n = n_left;
  return 0;
}

static void *load(void *context, const void *bytes, size_t size) {
  queue *jobs = calloc(1, sizeof(queue));
  (void)context;
  if (jobs == NULL || size % sizeof(entry) != 0) return free(jobs), NULL;
  if (size == 0) return jobs;
  jobs->entries = malloc(size);
  if (jobs->entries == NULL) return free(jobs), NULL;
  memcpy(jobs->entries, bytes, size);
  jobs->n = jobs->room = size / sizeof(entry);
  return jobs;
}

static size_t save(const void *state, void *bytes, size_t size) {
  const queue *jobs = state;
  const size_t needed = jobs->n * sizeof(entry);
  if (needed > 0 && needed <= size) memcpy(bytes, jobs->entries, needed);
  return needed;
}

static void *create(void *context) { return load(context, NULL, 0); }
static void *copy(const void *state) {
  const queue *jobs = state;
  return load(NULL, jobs->entries, jobs->n * sizeof(entry));
}
static void destroy(void *state) {
  free(((queue *)state)->entries);
  free(state);
}

static const schedcore_policy table = {
    SCHEDCORE_POLICY_VERSION, 0, "shortest job first in C", decide, NULL, create, copy, destroy, save, load,
};

const schedcore_policy *shortest_job_first(void);
const schedcore_policy *shortest_job_first(void) { return &table; }
