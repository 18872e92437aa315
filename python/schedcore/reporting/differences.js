// Two plans job by job: what changes from the first to the second.
const ROWS_OF_A_PAGE = 20;
const ORDERS = {
  most: (change, a, b) => Math.abs(change[b]) - Math.abs(change[a]),
  later: (change, a, b) => change[b] - change[a],
  earlier: (change, a, b) => change[a] - change[b],
  release: () => 0,
};

class Differences {
  constructor(jobs, users, called, first, second) {
    this.jobs = jobs;
    this.called = called;
    this.users = users;
    this.change = Float64Array.from(first.start, (start, job) => second.start[job] - start);
    this.inBoth = Uint32Array.from(this.change, (_, job) => job).filter(job => !Number.isNaN(this.change[job]));
  }

  get summary() {
    let earlier = 0, later = 0, total = 0;
    for (const job of this.inBoth) {
      earlier += this.change[job] < 0;
      later += this.change[job] > 0;
      total += this.change[job];
    }
    return { earlier, later, same: this.inBoth.length - earlier - later, mean: total / Math.max(this.inBoth.length, 1),
      missing: this.change.length - this.inBoth.length };
  }

  // The jobs that are called `text` or whose user contains it, or all, in an order of `ORDERS`.
  found(order, text) {
    const wanted = text.trim().toLowerCase();
    const users = new Set(this.users.flatMap((name, code) => name.toLowerCase().includes(wanted) ? [code] : []));
    const isWanted = job => this.called(job).toLowerCase() === wanted
      || (this.jobs.user !== null && users.has(this.jobs.user[job]));
    const chosen = wanted === "" ? this.inBoth.slice() : Uint32Array.from(this.change, (_, job) => job).filter(isWanted);
    const known = this.change.map(change => Number.isNaN(change) ? 0 : change);
    return chosen.sort((a, b) => ORDERS[order](known, a, b) || a - b);
  }
}
