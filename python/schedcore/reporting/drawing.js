// Canvases: axes, the jobs of a window as boxes, and how many jobs wait over all time.
const INK = "#262626", PALE = "#d9d9d9", LEFT = 8, BELOW = 22, MOST_LINES = 40;
const LINES = [["#0b3c6f", []], ["#d1600f", [6, 3]]];
// From not at all to longest, darker and darker.
const WAITED = ["#cfd4da", "#f0c95a", "#ea8f4a", "#cc4b5e", "#872a6d", "#37184f"];
const NAMED = [
  "#0b3c6f", "#d1600f", "#2a9d8f", "#8f2d6b", "#6f8f1f", "#5b8ec9", "#c8a021", "#b3204d", "#4b3fa8", "#b07ad6", "#5c3a1e",
];
const OTHERS = "#9aa0a8";

// A canvas as sharp as the screen; what is drawn counts in CSS pixels.
function prepared(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  return { pen, width: width - 2 * LEFT, height: height - BELOW };
}

function drawTimes(pen, clock, view, width, height) {
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "top";
  pen.strokeStyle = PALE;
  pen.fillStyle = INK;
  let free = 0;
  for (const { time, label } of clock.ticks(view.from, view.to, Math.max(2, width / 90))) {
    const x = LEFT + width * (time - view.from) / (view.to - view.from);
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height + 4);
    pen.stroke();
    const half = pen.measureText(label).width / 2;
    const at = Math.min(Math.max(x - half, 0), width + 2 * LEFT - 2 * half);
    if (at >= free) {
      pen.fillText(label, at, height + 6);
      free = at + 2 * half + 8;
    }
  }
}

// The machines on which something runs in a window, from below: where each begins, and how many units all have.
function machinesInUse(view, plan, stack) {
  const isUsed = new Uint8Array(stack.floors.length - 1);
  for (const run of stack.byStart) {
    if (plan.runStart[run] >= view.to) break;
    if (plan.runEnd[run] <= view.from) continue;
    const units = stack.boxes[run];
    for (let k = 0; k < units.length; k += 2) {
      if (units[k] < stack.total) isUsed[machineOf(stack.floors, units[k])] = 1;
    }
  }
  if (isUsed.length === 1) isUsed[0] = 1;
  const begins = new Float64Array(isUsed.length);
  let total = 0, count = 0;
  isUsed.forEach((used, machine) => {
    begins[machine] = total;
    if (used) {
      total += stack.floors[machine + 1] - stack.floors[machine];
      count += 1;
    }
  });
  return { isUsed, begins, total, count };
}

// The boxes of the runs of a window; returns them as rectangles, so that a pointer finds what it is on. Machines on which
// nothing runs in the window have no place.
function drawRuns(canvas, clock, view, plan, stack, colour, marked) {
  const { pen, width, height } = prepared(canvas);
  drawTimes(pen, clock, view, width, height);
  const x = time => LEFT + width * (Math.min(Math.max(time, view.from), view.to) - view.from) / (view.to - view.from);
  const inUse = machinesInUse(view, plan, stack);
  const above = stack.top - stack.total;
  const y = unit => height * (1 - unit / Math.max(inUse.total + above, 1));
  const shown = unit => {
    if (unit >= stack.total) return inUse.total + unit - stack.total;
    const machine = machineOf(stack.floors, unit);
    return inUse.begins[machine] + unit - stack.floors[machine];
  };
  const seen = [];
  for (const run of stack.byStart) {
    if (plan.runStart[run] >= view.to) break;
    if (plan.runEnd[run] <= view.from) continue;
    const left = x(plan.runStart[run]), right = x(plan.runEnd[run]);
    const units = stack.boxes[run], job = plan.runJob[run];
    pen.fillStyle = colour(job, plan);
    for (let k = 0; k < units.length; k += 2) {
      const low = shown(units[k]);
      const top = y(low + units[k + 1] - units[k]), bottom = y(low);
      const gapX = right - left > 3 ? 0.6 : 0, gapY = bottom - top > 3 ? 0.6 : 0;
      pen.fillRect(left, top, Math.max(right - left - gapX, 0.5), Math.max(bottom - top - gapY, 0.3));
      seen.push({ job, left, right: Math.max(right, left + 1), top, bottom });
    }
  }
  pen.strokeStyle = INK;
  pen.lineWidth = 2;
  for (const box of seen) {
    if (box.job === marked) pen.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  }
  pen.lineWidth = 1;
  if (inUse.count <= MOST_LINES) {
    pen.strokeStyle = "#8a8f98";
    inUse.isUsed.forEach((used, machine) => {
      const floor = y(inUse.begins[machine]);
      if (used && inUse.begins[machine] > 0) line(pen, LEFT, floor, LEFT + width, floor);
    });
  }
  pen.strokeStyle = INK;
  line(pen, LEFT, y(inUse.total), LEFT + width, y(inUse.total));
  line(pen, LEFT, height, LEFT + width, height);
  return { seen, ...inUse };
}

function line(pen, fromX, fromY, toX, toY) {
  pen.beginPath();
  pen.moveTo(fromX, fromY);
  pen.lineTo(toX, toY);
  pen.stroke();
}

// How many jobs wait, in the mean of each of so many equal stretches between two times.
function queueOf(release, start, from, to, nBins) {
  const length = (to - from) / nBins;
  const came = new Float64Array(nBins + 1), partly = new Float64Array(nBins);
  const add = (time, sign) => {
    const place = Math.min(Math.max((time - from) / length, 0), nBins);
    const bin = Math.min(Math.floor(place), nBins - 1);
    partly[bin] += sign * (bin + 1 - place);
    came[bin + 1] += sign;
  };
  for (let job = 0; job < release.length; job += 1) {
    if (Number.isNaN(start[job])) continue;
    add(release[job], 1);
    add(start[job], -1);
  }
  let waiting = 0;
  return partly.map((part, bin) => {
    waiting += came[bin];
    return Math.max(waiting + part, 0);
  });
}

function drawQueues(canvas, clock, whole, view, queues) {
  const { pen, width, height } = prepared(canvas);
  drawTimes(pen, clock, whole, width, height);
  const most = Math.max(...queues.map(queue => queue.reduce((longest, value) => Math.max(longest, value), 0)));
  const top = Math.max(1, most);
  queues.forEach((queue, index) => {
    const [colour, dashes] = LINES[index];
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.setLineDash(dashes);
    pen.beginPath();
    queue.forEach((value, bin) => {
      const x = LEFT + width * (bin + 0.5) / queue.length, y = 4 + (height - 4) * (1 - value / top);
      if (bin === 0) pen.moveTo(x, y); else pen.lineTo(x, y);
    });
    pen.stroke();
  });
  pen.setLineDash([]);
  pen.lineWidth = 1;
  pen.strokeStyle = INK;
  line(pen, LEFT, height, LEFT + width, height);
  const x = time => LEFT + width * (time - whole.from) / (whole.to - whole.from);
  pen.fillStyle = "rgba(11, 60, 111, 0.14)";
  pen.fillRect(x(view.from), 0, Math.max(x(view.to) - x(view.from), 2), height);
  pen.strokeRect(x(view.from), 0.5, Math.max(x(view.to) - x(view.from), 2), height - 0.5);
  pen.fillStyle = INK;
  pen.textBaseline = "top";
  pen.fillText(most === 0 ? "no job waits" : `up to ${grouped(Math.max(1, Math.round(most)))} waiting`, LEFT + 3, 2);
}
