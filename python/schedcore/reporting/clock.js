// Times in words: dates where the log has them, else days and hours since its start, else numbers in its own unit.
const MINUTE = 60, HOUR = 3600, DAY = 86400;
const STEPS = [1, 2, 5, 10, 30, 60, 300, 900, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 28 * DAY, 91 * DAY, 364 * DAY];
const MONDAY = 4 * DAY;  // weeks begin on one, and the epoch did not

const twoDigits = number => String(number).padStart(2, "0");
const significant = value => {
  const size = Math.abs(value);
  if (size >= 1e10 || (size > 0 && size < 1e-4)) return value.toPrecision(3);
  return String(Number(value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0)));
};
const grouped = number => number.toLocaleString("en-US");

class Clock {
  // Of a log of a few hours, `span` long, times have seconds.
  constructor(unit, origin, span = DAY) {
    this.unit = unit;
    this.hasSeconds = span < 3 * HOUR;
    this.isSeconds = unit === "s";
    this.zero = origin === null ? null : Date.parse(`${origin}Z`) / 1000;
  }

  at(time) {
    if (Number.isNaN(time)) return "never";
    if (!this.isSeconds) return `${significant(time)} ${this.unit}`;
    const seconds = this.hasSeconds ? `:${twoDigits(Math.floor(this.zero + time) % MINUTE)}` : "";
    if (this.zero !== null) return this.iso(time).replace("T", " ") + seconds;
    const minutes = Math.floor(time / MINUTE);
    const hour = `${twoDigits(Math.floor(minutes / 60) % 24)}:${twoDigits(minutes % 60)}`;
    return `day ${Math.floor(minutes / 1440)}, ${hour}${seconds}`;
  }

  // What an input of dates takes, to the minute.
  iso(time) {
    return new Date(1000 * (this.zero + time)).toISOString().slice(0, 16);
  }

  ofIso(text) {
    return Date.parse(`${text}Z`) / 1000 - this.zero;
  }

  lasting(time) {
    if (Number.isNaN(time)) return "never";
    if (!this.isSeconds) return `${significant(time)} ${this.unit}`;
    const size = Math.abs(time);
    if (size < 2 * MINUTE) return `${significant(time)} s`;
    if (size < 2 * HOUR) return `${significant(time / MINUTE)} min`;
    if (size < 2 * DAY) return `${significant(time / HOUR)} h`;
    return `${significant(time / DAY)} days`;
  }

  // At most so many round times between two, with what stands below each.
  ticks(from, to, most) {
    const shift = this.zero === null ? 0 : this.zero - MONDAY;
    const step = this._step((to - from) / most);
    const ticks = [];
    for (let time = Math.ceil((from + shift) / step) * step - shift; time <= to; time += step) {
      ticks.push({ time, label: this._label(time, step) });
    }
    return ticks;
  }

  _step(least) {
    if (this.isSeconds && least > 0.5) return STEPS.find(step => step >= least) ?? 364 * DAY * Math.ceil(least / (364 * DAY));
    const size = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(factor => factor * size).find(step => step >= least);
  }

  _label(time, step) {
    if (!this.isSeconds) return significant(time);
    if (step < MINUTE) return this.at(time);
    const words = this.at(time).replace(/:00$/, seconds => this.hasSeconds ? "" : seconds);
    if (this.zero !== null) {
      const [date, hour] = words.split(" ");
      return step >= DAY ? date : hour === "00:00" ? date.slice(5) : hour;
    }
    const [day, hour] = words.split(", ");
    return step >= DAY || hour === "00:00" ? day : hour;
  }
}
