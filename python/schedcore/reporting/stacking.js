// Which units of a resource each run gets, so that runs can be drawn as boxes that never overlap. A run takes the lowest
// free units of its machine: one gap that holds it, else several. What a log records above the capacity lies on top.
class FreeUnits {
  constructor(from, to) {
    this.from = from < to ? [from] : [];
    this.to = from < to ? [to] : [];
  }

  take(need, out) {
    const whole = this.from.findIndex((from, gap) => this.to[gap] - from >= need);
    let left = need;
    while (left > 0 && this.from.length > 0) {
      const gap = Math.max(whole, 0);
      const end = Math.min(this.to[gap], this.from[gap] + left);
      out.push(this.from[gap], end);
      left -= end - this.from[gap];
      if (end === this.to[gap]) {
        this.from.splice(gap, 1);
        this.to.splice(gap, 1);
      } else {
        this.from[gap] = end;
      }
      if (whole >= 0) break;
    }
    return left;
  }

  give(from, to) {
    let low = 0, high = this.from.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.from[middle] < from) low = middle + 1; else high = middle;
    }
    const joinsBelow = low > 0 && this.to[low - 1] === from;
    const joinsAbove = low < this.from.length && this.from[low] === to;
    if (joinsBelow && joinsAbove) {
      this.to[low - 1] = this.to[low];
      this.from.splice(low, 1);
      this.to.splice(low, 1);
    } else if (joinsBelow) {
      this.to[low - 1] = to;
    } else if (joinsAbove) {
      this.from[low] = from;
    } else {
      this.from.splice(low, 0, from);
      this.to.splice(low, 0, to);
    }
  }
}

// The machine that has a unit: the last one that begins at or below it.
function machineOf(floors, unit) {
  let low = 0, high = floors.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (floors[middle] <= unit) low = middle; else high = middle;
  }
  return low;
}

// `boxes[r]` are the units of run r, from and to one after the other; `top` is the highest unit in use, and `floors` where
// each machine begins.
function stacked(plan, resource) {
  const capacity = plan.capacity[resource], demand = plan.demand[resource];
  const nRuns = plan.runJob.length;
  const floors = new Float64Array(capacity.length + 1);
  capacity.forEach((units, machine) => { floors[machine + 1] = floors[machine] + units; });
  const free = Array.from(capacity, (_, machine) => new FreeUnits(floors[machine], floors[machine + 1]));
  const total = floors[capacity.length];
  const above = new FreeUnits(total, Number.MAX_SAFE_INTEGER);
  const firstPlace = new Int32Array(nRuns + 1);
  plan.placeRun.forEach(run => { firstPlace[run + 1] += 1; });
  for (let run = 0; run < nRuns; run += 1) firstPlace[run + 1] += firstPlace[run];
  const placeOrder = Uint32Array.from(plan.placeRun, (_, place) => place);
  if (plan.placeRun.some((run, place) => place > 0 && run < plan.placeRun[place - 1])) {
    placeOrder.sort((a, b) => plan.placeRun[a] - plan.placeRun[b] || a - b);
  }
  const byStart = Uint32Array.from(plan.runJob, (_, run) => run);
  byStart.sort((a, b) => plan.runStart[a] - plan.runStart[b] || plan.runJob[a] - plan.runJob[b]);
  const byEnd = Uint32Array.from(byStart).sort((a, b) => plan.runEnd[a] - plan.runEnd[b] || a - b);
  const boxes = Array.from({ length: nRuns });
  const owner = unit => unit >= total ? above : free[machineOf(floors, unit)];
  let ended = 0, top = total;
  for (const run of byStart) {
    const now = plan.runStart[run];
    while (ended < nRuns && plan.runEnd[byEnd[ended]] <= now) {
      const units = boxes[byEnd[ended]] ?? [];
      for (let k = 0; k < units.length; k += 2) owner(units[k]).give(units[k], units[k + 1]);
      ended += 1;
    }
    const units = [];
    if (plan.runEnd[run] > now) {
      for (let k = firstPlace[run]; k < firstPlace[run + 1]; k += 1) {
        const place = placeOrder[k];
        const need = plan.placeTasks[place] * demand[plan.runJob[run]];
        const left = free[plan.placeMachine[place]].take(need, units);
        if (left > 0) above.take(left, units);
      }
      for (let k = 1; k < units.length; k += 2) top = Math.max(top, units[k]);
    }
    boxes[run] = units;
  }
  return { boxes, byStart, floors, total, top };
}
