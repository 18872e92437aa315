// The part of the page in which a reader looks at single jobs: two plans, a window, and what differs between them.
const element = id => document.getElementById(id);
const chosen = id => Number(element(id).value);

function fill(select, options, value) {
  select.replaceChildren(...options.map(([key, words]) => new Option(words, key, false, key === value)));
}

function explore(data, clock) {
  const { jobs, plans, users, names, resources } = data;
  const ends = plans.map(plan => plan.runEnd.reduce((most, end) => Math.max(most, end), 0));
  const whole = { from: jobs.release[0], to: Math.max(jobs.release[0] + 1e-9, ...ends) };
  const span = whole.to - whole.from;
  const lengths = clock.isSeconds
    ? [[6 * HOUR, "6 hours"], [DAY, "1 day"], [3 * DAY, "3 days"], [7 * DAY, "1 week"], [28 * DAY, "4 weeks"]]
    : [[span / 100, "1 %"], [span / 30, "3 %"], [span / 10, "10 %"]];
  lengths.push([span, "everything"]);
  const view = { from: whole.from, to: whole.to };
  const stacks = new Map();
  let marked = null, page = 0, differences = null, shown = [[], []];

  fill(element("first"), plans.map((plan, index) => [index, plan.label]), 0);
  fill(element("second"), plans.map((plan, index) => [index, plan.label]), data.second);
  fill(element("resource"), resources.map((name, index) => [index, name]), 0);
  fill(element("colour"), [["wait", "how long they waited"], ...(jobs.user ? [["user", "who sent them"]] : [])], "wait");
  fill(element("length"), lengths.filter(([length]) => length <= span), null);
  fill(element("order"), [["most", "moved most"], ["later", "moved back most"], ["earlier", "moved forward most"],
    ["release", "as they came"]], "most");
  element("length").value = String(lengths.findLast(([length]) => length <= Math.max(span / 20, lengths[0][0]))?.[0] ?? span);
  element("resource").parentElement.hidden = resources.length < 2;
  const hasDates = clock.zero !== null && clock.isSeconds;
  element("from").type = hasDates ? "datetime-local" : "number";
  if (!hasDates) element("from").step = "any";

  const pair = () => [plans[chosen("first")], plans[chosen("second")]];
  const waited = (job, plan) => plan.start[job] - jobs.release[job];
  const limits = clock.isSeconds ? [0, 600, HOUR, 6 * HOUR, DAY] : waitLimits();
  const rankOfUser = rankedUsers();

  function waitLimits() {
    const waits = Float64Array.from(plans[0].start, (start, job) => start - jobs.release[job]).filter(wait => wait > 0);
    waits.sort();
    return [0, ...[0.25, 0.5, 0.75, 0.9].map(share => waits[Math.floor(share * waits.length)] ?? 0)];
  }

  // The users with the most jobs have colours of their own.
  function rankedUsers() {
    const count = new Map();
    for (const user of jobs.user ?? []) if (!Number.isNaN(user)) count.set(user, (count.get(user) ?? 0) + 1);
    const order = [...count.keys()].sort((a, b) => count.get(b) - count.get(a) || a - b);
    return new Map(order.slice(0, NAMED.length).map((user, rank) => [user, rank]));
  }

  function colourOf(job, plan) {
    if (element("colour").value === "user") return NAMED[rankOfUser.get(jobs.user[job])] ?? OTHERS;
    const wait = waited(job, plan);
    return WAITED[limits.filter(limit => wait > limit).length];
  }

  function drawLegend() {
    const entries = element("colour").value === "user"
      ? [...[...rankOfUser].map(([user, rank]) => [NAMED[rank], users[user]]), [OTHERS, "others"]]
      : WAITED.map((colour, rank) => [colour, rank === 0 ? "no wait" : rank < limits.length
        ? `up to ${clock.lasting(limits[rank])}` : "longer"]);
    element("legend").replaceChildren(...entries.map(([colour, words]) => {
      const entry = document.createElement("span"), swatch = document.createElement("i");
      swatch.style.background = colour;
      entry.append(swatch, words);
      return entry;
    }));
  }

  function stackOf(plan) {
    const key = `${plans.indexOf(plan)} ${chosen("resource")}`;
    if (!stacks.has(key)) stacks.set(key, stacked(plan, chosen("resource")));
    return stacks.get(key);
  }

  function queues() {
    const key = pair().map(plan => plans.indexOf(plan)).join(" ");
    if (stacks.get("queues")?.key !== key) {
      const found = pair().map(plan => queueOf(jobs.release, plan.start, whole.from, whole.to, 400));
      stacks.set("queues", { key, found: found[0] === found[1] ? [found[0]] : found });
    }
    return stacks.get("queues").found;
  }

  // What people call a job: its name, else its id.
  function called(job) {
    const name = jobs.name === null ? NaN : jobs.name[job];
    return Number.isNaN(name) ? String(jobs.id[job]) : names[name];
  }

  // When most jobs wait under the first plan, or most run where none waits.
  function busiest() {
    const [waiting] = queues();
    const counted = waiting.some(value => value > 0) ? waiting
      : queueOf(plans[0].runStart, plans[0].runEnd, whole.from, whole.to, waiting.length);
    const place = counted.reduce((best, value, bin) => value > counted[best] ? bin : best, 0);
    return whole.from + span * (place + 0.5) / counted.length;
  }

  function draw() {
    drawQueues(element("overview"), clock, whole, view, queues());
    pair().forEach((plan, index) => {
      const canvas = element(`runs-${index}`);
      const stack = stackOf(plan);
      const { seen: boxes, total, count } = drawRuns(canvas, clock, view, plan, stack, colourOf, marked);
      const nMachines = plan.machines.length;
      element(`name-${index}`).textContent = nMachines === 0
        ? `${plan.label}: ${grouped(total)} ${resources[chosen("resource")]}`
        : `${plan.label}: ${resources[chosen("resource")]} of the ${grouped(count)} of ${grouped(nMachines)} machines on `
          + "which jobs run in this window";
      shown[index] = boxes;
      const seen = new Set(shown[index].map(box => box.job));
      canvas.setAttribute("aria-label",
        `${grouped(seen.size)} jobs under ${plan.label} from ${clock.at(view.from)} to ${clock.at(view.to)}`);
    });
    element("from").value = hasDates ? clock.iso(view.from) : String(view.from);
    element("window").textContent = `${clock.at(view.from)} to ${clock.at(view.to)}${data.zone ? ` (${data.zone})` : ""}`;
  }

  function look(from, length) {
    const kept = Math.min(Math.max(length, span / 1e5), span);
    view.from = Math.min(Math.max(from, whole.from), whole.to - kept);
    view.to = view.from + kept;
    draw();
  }

  function describe(job) {
    const who = jobs.user && !Number.isNaN(jobs.user[job]) ? ` of ${users[jobs.user[job]]}` : "";
    const starts = pair().map(plan => Number.isNaN(plan.start[job])
      ? `${plan.label}: never` : `${plan.label}: ${clock.at(plan.start[job])}, after ${clock.lasting(waited(job, plan))}`);
    return `Job ${called(job)}${who} came ${clock.at(jobs.release[job])} and runs for ${clock.lasting(jobs.length[job])}. `
      + `It starts under ${[...new Set(starts)].join("; under ")}.`;
  }

  function mark(job) {
    if (job === marked) return;
    marked = job;
    element("told").textContent = job === null ? "" : describe(job);
    draw();
  }

  function compareJobs() {
    const [first, second] = pair();
    differences = new Differences(jobs, users, called, first, second);
    const { earlier, later, same, mean, missing } = differences.summary;
    const moved = mean === 0 ? "as early" : `${clock.lasting(Math.abs(mean))} ${mean < 0 ? "earlier" : "later"}`;
    element("summary").textContent = first === second ? "Choose two that differ."
      : `Under ${second.label} ${counted(earlier, "job starts", "jobs start")} earlier than under ${first.label}, `
      + `${grouped(later)} later and ${grouped(same)} at the same time; ${moved} in the mean.`
      + (missing ? ` ${counted(missing, "starts", "start")} under one of them alone, or never.` : "");
    element("start-first").textContent = `wait under ${first.label}`;
    element("start-second").textContent = `wait under ${second.label}`;
    page = 0;
    listJobs();
  }

  function listJobs() {
    const [first, second] = pair();
    const found = differences.found(element("order").value, element("find").value);
    const last = Math.max(Math.ceil(found.length / ROWS_OF_A_PAGE) - 1, 0);
    page = Math.min(Math.max(page, 0), last);
    const rows = found.slice(page * ROWS_OF_A_PAGE, (page + 1) * ROWS_OF_A_PAGE);
    element("jobs").replaceChildren(...Array.from(rows, job => {
      const row = document.createElement("tr"), change = differences.change[job];
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = called(job);
      button.title = "show this job above";
      button.addEventListener("click", () => {
        marked = null;
        const starts = [first.start[job], second.start[job]].filter(start => !Number.isNaN(start));
        if (starts.length > 0) look(Math.min(...starts) - (view.to - view.from) / 4, view.to - view.from);
        mark(job);
        element("overview").scrollIntoView({ block: "center" });
      });
      const cells = [
        jobs.user && !Number.isNaN(jobs.user[job]) ? users[jobs.user[job]] : "-", clock.at(jobs.release[job]),
        clock.lasting(jobs.length[job]), clock.lasting(waited(job, first)), clock.lasting(waited(job, second)),
        change === 0 || Number.isNaN(change) ? "-"
          : `${clock.lasting(Math.abs(change))} ${change < 0 ? "earlier" : "later"}`,
      ];
      const head = document.createElement("th");
      head.scope = "row";
      head.append(button);
      row.append(head, ...cells.map((text, place) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        cell.className = place > 1 ? "number" : "short";
        return cell;
      }));
      return row;
    }));
    element("page").textContent = found.length === 0 ? "no such job"
      : `${grouped(page * ROWS_OF_A_PAGE + 1)} to ${grouped(page * ROWS_OF_A_PAGE + rows.length)} of ${grouped(found.length)}`;
    element("back").disabled = page === 0;
    element("next").disabled = page === last;
  }

  function onPlans() {
    marked = null;
    draw();
    compareJobs();
  }

  const on = (id, event, action) => element(id).addEventListener(event, action);
  on("first", "change", onPlans);
  on("second", "change", onPlans);
  on("resource", "change", draw);
  on("colour", "change", () => { drawLegend(); draw(); });
  on("length", "change", () => {
    const length = chosen("length");
    look((view.from + view.to - length) / 2, length);
  });
  on("from", "change", () => {
    const from = hasDates ? clock.ofIso(element("from").value) : Number(element("from").value);
    if (Number.isFinite(from)) look(from, view.to - view.from);
  });
  const moves = { earlier: [-0.75, 1], later: [0.75, 1], closer: [0.25, 0.5], farther: [-0.5, 2] };
  for (const [id, [shift, factor]] of Object.entries(moves)) {
    on(id, "click", () => look(view.from + shift * (view.to - view.from), factor * (view.to - view.from)));
  }
  on("order", "change", () => { page = 0; listJobs(); });
  on("find", "input", () => { page = 0; listJobs(); });
  on("back", "click", () => { page -= 1; listJobs(); });
  on("next", "click", () => { page += 1; listJobs(); });

  const overview = element("overview");
  let grasped = null;
  const timeAt = event => {
    const place = (event.offsetX - LEFT) / (overview.clientWidth - 2 * LEFT);
    return whole.from + span * Math.min(Math.max(place, 0), 1);
  };
  overview.addEventListener("pointerdown", event => {
    grasped = timeAt(event);
    overview.setPointerCapture(event.pointerId);
  });
  overview.addEventListener("pointerup", event => {
    if (grasped === null) return;
    const length = Math.abs(timeAt(event) - grasped);
    if (length > span / 200) look(Math.min(grasped, timeAt(event)), length);
    else look(grasped - (view.to - view.from) / 2, view.to - view.from);
    grasped = null;
  });
  [0, 1].forEach(index => {
    const canvas = element(`runs-${index}`);
    const find = event => {
      const { offsetX: x, offsetY: y } = event;
      const box = shown[index].findLast(({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom);
      mark(box?.job ?? null);
    };
    canvas.addEventListener("pointermove", find);
    canvas.addEventListener("pointerdown", find);
  });
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", draw);

  element("explorer").hidden = false;
  drawLegend();
  const length = chosen("length");
  look(busiest() - length / 2, length);
  compareJobs();
}

const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

function spanOf({ jobs, plans }) {
  return Math.max(...plans.map(plan => plan.runEnd.reduce((most, end) => Math.max(most, end), 0))) - jobs.release[0];
}

async function begin() {
  const told = element("explorer-state");
  const data = JSON.parse(element("explorer-data").textContent);
  if (typeof DecompressionStream === "undefined") {
    told.textContent = "This browser is too old to show single jobs: it cannot unpack them.";
    return;
  }
  const unpackedData = await withColumns(data);
  told.remove();
  explore(unpackedData, new Clock(data.unit, data.origin, spanOf(unpackedData)));
}

if (element("explorer-data")) begin();
