// Columns of numbers as the page holds them: typed arrays behind each other, compressed and in base64.
const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

async function unpacked({ columns, bytes }) {
  const content = Uint8Array.from(atob(bytes), letter => letter.charCodeAt(0));
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(stream).arrayBuffer();
  let begin = 0;
  return columns.map(({ kind, length, gaps }) => {
    const end = begin + length * ARRAYS[kind].BYTES_PER_ELEMENT;
    const column = new ARRAYS[kind](buffer.slice(begin, end));
    begin = end;
    if (!gaps || kind === "f8") return column;
    const none = 2 ** (8 * ARRAYS[kind].BYTES_PER_ELEMENT) - 1;
    return Float64Array.from(column, value => value === none ? NaN : value);
  });
}

// The same object with columns in place of their numbers, wherever `names` says that there is one.
async function withColumns(document) {
  const columns = await unpacked(document);
  const column = place => place === null ? null : columns[place];
  const jobs = Object.fromEntries(Object.entries(document.jobs).map(([name, place]) => [name, column(place)]));
  const plans = document.plans.map(({ label, machines, demand, capacity, ...places }) => ({
    label, machines, demand: demand.map(column), capacity: capacity.map(column),
    ...Object.fromEntries(Object.entries(places).map(([name, place]) => [name, column(place)])),
  }));
  return { ...document, jobs, plans };
}
