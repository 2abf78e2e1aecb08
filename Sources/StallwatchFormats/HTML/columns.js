// The page's data: columns of packed numbers, unpacked once.

let data = {};
let stalls = {};
let stacks = {};

function unpackBytes(text) {
  const raw = atob(text || "");
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

/** Numbers of seven bits a byte, the lowest first; all bytes but a number's last have the highest bit set. */
function unpack(text, Kind = Float64Array, change = (value) => value) {
  const bytes = unpackBytes(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] < 128) length += 1;
  const numbers = new Kind(length);
  for (let at = 0, place = 0; place < length; place += 1) {
    let [value, unit, byte] = [0, 1, 0];
    do { byte = bytes[at]; at += 1; value += (byte & 127) * unit; unit *= 128; } while (byte > 127);
    numbers[place] = change(value);
  }
  return numbers;
}

/** Levels, of which 255 stands before a level and how often it comes. */
function unpackLevels(text, length) {
  const bytes = unpackBytes(text);
  const levels = new Uint8Array(length).fill(251);
  for (let at = 0, place = 0; at < bytes.length && place < length;) {
    if (bytes[at] < 255) { levels[place] = bytes[at]; place += 1; at += 1; continue; }
    const level = bytes[at + 1];
    let [times, unit, byte] = [0, 1, 0];
    at += 2;
    do { byte = bytes[at]; at += 1; times += (byte & 127) * unit; unit *= 128; } while (byte > 127);
    levels.fill(level, place, place + times);
    place += times;
  }
  return levels;
}

function unpackPage(found) {
  data = found;
  unpackStalls();
  unpackStacks();
  for (const session of data.sessions) if (session.lanes) unpackLanes(session);
}

function unpackStalls() {
  const packed = data.stalls;
  const time = (value) => value * 1e3;
  const kind = unpack(packed.kind, Uint16Array);
  const all = kind.length;
  stalls = {
    all,
    id: unpack(packed.id, Float64Array, (value) => value % 2 ? -(value + 1) / 2 : value / 2),
    start: unpack(packed.start, Float64Array, time), duration: unpack(packed.duration, Float64Array, time),
    end: new Float64Array(all), session: new Uint16Array(all),
    loop: unpack(packed.loop, Int32Array, (value) => value - 1),
    severity: new Uint8Array(all), state: new Uint8Array(all), phase: new Uint8Array(all),
    mode: unpack(packed.mode, Uint32Array), note: unpack(packed.note, Uint32Array),
    // -2: unknown, -1: one of those that the page does not list.
    cause: unpack(packed.cause, Int16Array, (value) => value - 2),
    // In hundredths of the watched time; -1: unknown.
    blocked: unpack(packed.blocked, Int8Array, (value) => value - 1), starved: unpack(packed.starved, Int8Array, (value) => value - 1),
    firstRun: new Uint32Array(all + 1), isInOrder: new Uint8Array(all),
    stack: unpack(packed.stack, Uint32Array, (value) => Math.floor(value / 3)),
    activity: unpack(packed.stack, Uint8Array, (value) => value % 3),
    weight: unpack(packed.weight, Float64Array, time),
    places: new Map(),
    place: (id) => stalls.places.get(id) ?? -1,
  };
  const runs = unpack(packed.runs, Uint32Array);
  let [id, at] = [0, 0];
  data.sessions.forEach((session, number) => {
    let start = 0;
    session.first = at;
    for (const end = at + session.stalls; at < end; at += 1) {
      id = stalls.id[at] += id;
      start = stalls.start[at] += start;
      stalls.end[at] = start + stalls.duration[at];
      stalls.session[at] = number;
      const length = stalls.duration[at];
      stalls.severity[at] = [length < 5e7 ? 0 : length < 2.5e8 ? 1 : length < 5e8 ? 2 : length < 2e9 ? 3 : 4, 5, 6][kind[at] % 3];
      stalls.state[at] = Math.floor(kind[at] / 3) % 3;
      stalls.phase[at] = Math.floor(kind[at] / 9);
      stalls.firstRun[at + 1] = stalls.firstRun[at] + (runs[at] >>> 1);
      stalls.isInOrder[at] = 1 - runs[at] % 2;
      stalls.places.set(id, at);
    }
  });
}

function unpackStacks() {
  const functions = unpack(data.functions, Uint32Array);
  const nodes = unpack(data.nodes, Uint32Array);
  const all = nodes.length / 2;
  stacks = {
    all, caller: new Uint32Array(all), function: new Uint32Array(all),
    label: (number) => data.labels[functions[number * 3]],
    labelNumber: (number) => functions[number * 3],
    place: (number) => data.labels[functions[number * 3 + 1] - 1] || "",
    isSystem: (number) => functions[number * 3 + 2] === 1,
  };
  for (let node = 0; node < all; node += 1) {
    stacks.caller[node] = node - nodes[node * 2];
    stacks.function[node] = nodes[node * 2 + 1];
  }
}

/** For how long a stall's thread was watched. */
function watchedTime(at) {
  let sum = 0;
  for (let run = stalls.firstRun[at]; run < stalls.firstRun[at + 1]; run += 1) sum += stalls.weight[run];
  return sum;
}

/** Shares of the watched time of stalls: running, blocked and starved; null where they are unknown. */
function activityShares(all) {
  const sums = [0, 0, 0];
  for (const at of all) {
    if (stalls.blocked[at] < 0) continue;
    const watched = watchedTime(at);
    sums[1] += watched * stalls.blocked[at] / 100;
    sums[2] += watched * stalls.starved[at] / 100;
    sums[0] += watched * Math.max(100 - stalls.blocked[at] - stalls.starved[at], 0) / 100;
  }
  const whole = sums[0] + sums[1] + sums[2];
  return whole > 0 ? sums.map((sum) => sum / whole) : null;
}

/** The functions of a stack, outermost first. */
function stackPath(node) {
  const path = [];
  for (; node !== 0; node = stacks.caller[node]) path.unshift(stacks.function[node]);
  return path;
}

/** Sums of levels up to each slice, to draw any stretch of time at the same cost. */
function sumLevels(levels) {
  const sums = { busy: new Float64Array(levels.length + 1), known: new Uint32Array(levels.length + 1) };
  levels.forEach((level, at) => {
    sums.busy[at + 1] = sums.busy[at] + (level > 250 ? 0 : level / 250);
    sums.known[at + 1] = sums.known[at] + (level > 250 ? 0 : 1);
  });
  return sums;
}

function unpackLanes(session) {
  const slices = Math.ceil(session.duration / session.slice);
  const ofLoop = new Map(session.lanes.map((lane) => [lane.loop, lane]));
  const rest = { loop: -1, name: count(session.leftOutLoops, "more loop"), sums: null, runs: [], places: [] };
  for (const lane of session.lanes) {
    lane.name = data.loops[lane.loop]?.name ?? "";
    lane.sums = sumLevels(unpackLevels(lane.busy, slices));
    const runs = unpack(lane.modes, Uint32Array);
    lane.runs = [];
    for (let at = 0; at < runs.length; at += 2) lane.runs.push([runs[at] * session.modeSlice, runs[at + 1]]);
    if (lane.held) lane.heldLevels = unpackLevels(lane.held, Math.ceil(session.duration / session.modeSlice));
    lane.places = [];
  }
  for (let at = session.first; at < session.first + session.stalls; at += 1) {
    (ofLoop.get(stalls.loop[at]) ?? rest).places.push(at);
  }
  session.shown = rest.places.length > 0 ? [...session.lanes, rest] : session.lanes;
  for (const lane of session.shown) {
    let reach = 0;
    // The latest end so far, because a long stall may begin before others and end after them.
    lane.reach = Float64Array.from(lane.places, (at) => { reach = Math.max(reach, stalls.end[at]); return reach; });
    // Where what the program reported of itself is another than at the stall before.
    lane.flags = lane.places.filter((at, place) => data.notes[stalls.note[at]] && stalls.note[at] !== stalls.note[lane.places[place - 1]]);
    lane.late = session.late.filter(([loop]) => loop === lane.loop);
    lane.drift = session.drift.find((one) => one.loop === lane.loop)?.late ?? null;
  }
}

/** The first place in a sorted list whose value is at least so much. */
function firstFrom(length, value, least) {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(middle) < least) low = middle + 1; else high = middle;
  }
  return low;
}

/** Calls `work` for each stall of a lane between two moments. */
function eachStall(lane, from, to, work) {
  let at = firstFrom(lane.places.length, (place) => lane.reach[place], from);
  for (; at < lane.places.length && stalls.start[lane.places[at]] <= to; at += 1) {
    if (stalls.end[lane.places[at]] >= from) work(lane.places[at]);
  }
}
