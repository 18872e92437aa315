/* Policies in C, and in every language that can be called from C: a table of functions for the engine to call.
 *
 * A policy is asked at every instant at which something happens.  It looks at the cluster through a `schedcore_turn`, and
 * starts jobs.  Jobs are named by their ids, machines by the indices that callers use.  This header needs no library: all
 * that a turn can do is reached through it.
 *
 *     static int decide(void *state, schedcore_turn *turn) {
 *       const int64_t *ids = schedcore_ids(turn, SCHEDCORE_WAITING);
 *       for (int64_t k = 0, n = schedcore_n_ids(turn, SCHEDCORE_WAITING); k < n; ++k) {
 *         int64_t machine = schedcore_first_fit(turn, ids[k]);
 *         if (machine >= 0 && schedcore_start(turn, ids[k], machine) != 0) return -1;
 *       }
 *       return 0;
 *     }
 *     static const schedcore_policy policy = {SCHEDCORE_POLICY_VERSION, 0, "first fit", .decide = decide};
 *
 * Hand `&policy` to Python in a capsule named SCHEDCORE_POLICY_CAPSULE, or as an address.  The table and its texts have to
 * stay where they are.  A state is changed by one thread at a time; `copy` and `save` of one that nobody changes may be called
 * by several at once, and so may everything of several states.  The interpreter of Python is not held, so nothing of Python may
 * be called without taking it.
 *
 * What pointers of a turn point to stays until decide returns; of a job, of its fits, its room and of runs until the same
 * function is called again.  The version grows when old policies would not do any more; what is added to tables stands at
 * their ends.
 */
#ifndef SCHEDCORE_POLICY_H
#define SCHEDCORE_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCHEDCORE_POLICY_VERSION 1
#define SCHEDCORE_POLICY_CAPSULE "schedcore.policy"

/* What a policy says of itself. */
#define SCHEDCORE_TAKES_GANGS 1u    /* jobs of several tasks, and exclusive ones, which are refused otherwise */
#define SCHEDCORE_USES_ESTIMATES 2u /* it is told the estimated processing times */

/* Lists of ids, and of indices of machines.  Those of an event are as of its beginning, the running jobs as of when a turn is
 * first asked for them. */
enum {
  SCHEDCORE_WAITING = 0,  /* in order of release time, then of id */
  SCHEDCORE_RUNNING,      /* in order of estimated end, then of id */
  SCHEDCORE_MACHINES,     /* that are not removed; these and the rest are in increasing order */
  SCHEDCORE_ARRIVED,
  SCHEDCORE_COMPLETED,
  SCHEDCORE_KILLED,       /* they wait again */
  SCHEDCORE_CANCELLED,    /* gone without having ended: first those that ran, then those that waited */
  SCHEDCORE_HELD,         /* wait no longer, until they are released */
  SCHEDCORE_RELEASED,     /* wait again */
  SCHEDCORE_UPDATED,      /* something else is said of them than before */
  SCHEDCORE_ADOPTED,      /* nobody knew of them, and they run already */
  SCHEDCORE_MACHINES_CHANGED
};

typedef struct schedcore_job {
  int64_t id;
  double release_time;
  double processing_time;   /* by what the policy is told; less by what checkpoints have saved */
  double weight;
  const int64_t *demand;    /* of one task, an amount for each resource */
  int64_t n_tasks;
  int64_t max_tasks;        /* on one machine; 0 for any number */
  int64_t is_exclusive;     /* 0 or 1 */
} schedcore_job;

typedef struct schedcore_run {
  int64_t id;
  int64_t machine;          /* the first of several */
  double start_time;
  double estimated_end;     /* of a late job in the past */
} schedcore_run;

typedef struct schedcore_place {
  int64_t machine;
  int64_t n_tasks;
} schedcore_place;

typedef struct schedcore_turn schedcore_turn;

/* What a turn can do; call it by the functions below. */
typedef struct schedcore_turn_functions {
  double (*now)(schedcore_turn *);
  int64_t (*n_resources)(schedcore_turn *);
  int64_t (*n_ids)(schedcore_turn *, int64_t list);
  const int64_t *(*ids)(schedcore_turn *, int64_t list);
  const schedcore_run *(*runs)(schedcore_turn *);
  const int64_t *(*capacity)(schedcore_turn *);
  const int64_t *(*free)(schedcore_turn *);
  const schedcore_job *(*job)(schedcore_turn *, int64_t id);
  const int64_t *(*demand)(schedcore_turn *, int64_t id);
  int (*is_waiting)(schedcore_turn *, int64_t id);
  int64_t (*first_fit)(schedcore_turn *, int64_t id);
  int64_t (*n_fits)(schedcore_turn *, int64_t id);
  const int64_t *(*fits)(schedcore_turn *, int64_t id);
  int (*start)(schedcore_turn *, int64_t id, int64_t machine);
  int (*start_tasks)(schedcore_turn *, int64_t id, const schedcore_place *places, int64_t n_places);
  int (*wake)(schedcore_turn *, double at);
  int (*fail)(schedcore_turn *, const char *message);
  const int64_t *(*room)(schedcore_turn *, int64_t id);
} schedcore_turn_functions;

struct schedcore_turn {
  const schedcore_turn_functions *functions;
};

/* The instant. */
static inline double schedcore_now(schedcore_turn *turn) { return turn->functions->now(turn); }
static inline int64_t schedcore_n_resources(schedcore_turn *turn) { return turn->functions->n_resources(turn); }
/* How many there are in a list, and which. */
static inline int64_t schedcore_n_ids(schedcore_turn *turn, int64_t list) { return turn->functions->n_ids(turn, list); }
static inline const int64_t *schedcore_ids(schedcore_turn *turn, int64_t list) { return turn->functions->ids(turn, list); }
/* The running jobs as they are now, those that have just started among them, in order of estimated end, then of id; as many
 * as there are, and one behind them with an id below 0. */
static inline const schedcore_run *schedcore_runs(schedcore_turn *turn) { return turn->functions->runs(turn); }
/* A row of amounts for each of SCHEDCORE_MACHINES: all, and what is free now, nothing on machines that are down.  What is free
 * follows the starts. */
static inline const int64_t *schedcore_capacity(schedcore_turn *turn) { return turn->functions->capacity(turn); }
static inline const int64_t *schedcore_free(schedcore_turn *turn) { return turn->functions->free(turn); }
/* A job that waits, runs, or has just ended; NULL for another id. */
static inline const schedcore_job *schedcore_job_of(schedcore_turn *turn, int64_t id) { return turn->functions->job(turn, id); }
/* Its demand alone. */
static inline const int64_t *schedcore_demand(schedcore_turn *turn, int64_t id) { return turn->functions->demand(turn, id); }
/* Whether it waits still: 1 or 0. */
static inline int schedcore_is_waiting(schedcore_turn *turn, int64_t id) { return turn->functions->is_waiting(turn, id); }
/* The preferred machine where the job, or one of its tasks, may start now; -1 if there is none. */
static inline int64_t schedcore_first_fit(schedcore_turn *turn, int64_t id) { return turn->functions->first_fit(turn, id); }
/* How many of them there are, and which, the preferred ones first. */
static inline int64_t schedcore_n_fits(schedcore_turn *turn, int64_t id) { return turn->functions->n_fits(turn, id); }
static inline const int64_t *schedcore_fits(schedcore_turn *turn, int64_t id) { return turn->functions->fits(turn, id); }
/* How many tasks of the job may start now on each of them, in the same order: at least one, and at most as many as the job has
 * or lets a machine have.  Free amounts alone do not tell, where an advance reservation begins before the job would end. */
static inline const int64_t *schedcore_room(schedcore_turn *turn, int64_t id) { return turn->functions->room(turn, id); }
/* These answer 0, or something else where it cannot be: then nothing has happened. */
static inline int schedcore_start(schedcore_turn *turn, int64_t id, int64_t machine) {
  return turn->functions->start(turn, id, machine);
}
static inline int schedcore_start_tasks(schedcore_turn *turn, int64_t id, const schedcore_place *places, int64_t n_places) {
  return turn->functions->start_tasks(turn, id, places, n_places);
}
/* Asks to decide again at an instant to come, if jobs wait then. */
static inline int schedcore_wake(schedcore_turn *turn, double at) { return turn->functions->wake(turn, at); }
/* Says why decide is going to return something else than 0; returns -1. */
static inline int schedcore_fail(schedcore_turn *turn, const char *message) { return turn->functions->fail(turn, message); }

/* A policy.  Functions that are not needed are NULL. */
typedef struct schedcore_policy {
  uint32_t version; /* SCHEDCORE_POLICY_VERSION */
  uint32_t flags;
  const char *name;

  /* Returns 0, or something else: the decision has failed, with the reason that `schedcore_fail` was told, or for which a call
   * was refused last. */
  int (*decide)(void *state, schedcore_turn *turn);

  /* What decide remembers between two calls.  Without `create` that is nothing, and `state` is the context.  Otherwise all of
   * `create`, `copy` and `destroy` are there; NULL from one of the first two says that there is no memory. */
  void *context;
  void *(*create)(void *context);
  void *(*copy)(const void *state);
  void (*destroy)(void *state);

  /* For schedulers that are to be saved.  `save` writes its bytes if `size` suffices, and returns how many there are; `load`
   * makes a state of them, or returns NULL if it did not write them. */
  size_t (*save)(const void *state, void *bytes, size_t size);
  void *(*load)(void *context, const void *bytes, size_t size);
} schedcore_policy;

#ifdef __cplusplus
}
#endif

#endif
