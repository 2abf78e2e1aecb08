// Draws the timeline: for each loop its busy time, its stalls, its modes, late timers and drift. What does not fit on a
// pixel is drawn denser, never dropped.

const sizes = { label: 18, body: 60, mode: 7, marks: 14, gap: 12, axis: 20 };
let colors = {};
let hatches = {};

function refreshColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ground", "panel", "text", "faint", "grid", "busy", "held", "focus", "hatch", "alarm", "running", "notice",
    ...severities]) colors[name] = style.getPropertyValue(`--${name}`).trim();
  const context = byId("timeline")?.getContext("2d");
  if (!context) return;
  for (const kind of ["excluded", "blind"]) {
    const tile = element("canvas", { width: 6, height: 6 });
    const brush = tile.getContext("2d");
    brush.strokeStyle = colors.hatch;
    brush.lineWidth = kind === "blind" ? 3 : 1.5;
    brush.beginPath();
    if (kind === "blind") { brush.moveTo(3, 0); brush.lineTo(3, 6); } else for (const x of [-6, 0, 6]) { brush.moveTo(x, 6); brush.lineTo(x + 6, 0); }
    brush.stroke();
    hatches[kind] = context.createPattern(tile, "repeat");
  }
  redraw();
}

const laneHeight = (lane) => sizes.label + sizes.body + sizes.mode + (lane.late.length > 0 || lane.drift ? sizes.marks : 0) + sizes.gap;

function laneTops(session) {
  let top = 0;
  return session.shown.map((lane) => { top += laneHeight(lane); return top - laneHeight(lane); });
}

const redraw = beforeFrame(() => drawTimeline());

function drawTimeline() {
  const canvas = byId("timeline");
  const session = timeline();
  if (!canvas || !session) return;
  const width = Math.max(canvas.clientWidth, 200);
  const height = session.shown.reduce((sum, lane) => sum + laneHeight(lane), sizes.axis);
  const dense = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
    [canvas.width, canvas.height] = [Math.round(width * dense), Math.round(height * dense)];
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.fillStyle = colors.ground;
  context.fillRect(0, 0, width, height);
  const scale = width / (view.to - view.from);
  const draw = { context, session, width, height, scale, place: (time) => (time - view.from) * scale };
  drawGrid(draw);
  const tops = laneTops(session);
  session.shown.forEach((lane, index) => drawLane(draw, lane, tops[index]));
  if (view.selection) drawRange(draw, view.selection);
  if (steering.range) drawRange(draw, steering.range);
}

function drawGrid({ context, width, height, place }) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((step) => [step * 1e3, step * 1e6])
    .concat([1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800].map((step) => step * 1e9))
    .sort((one, other) => one - other);
  const step = steps.find((one) => (view.to - view.from) / one <= Math.max(width / 110, 2)) ?? view.to - view.from;
  context.font = "11px system-ui, sans-serif";
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = Math.round(place(time)) + 0.5;
    context.fillStyle = colors.grid;
    context.fillRect(x - 0.5, 0, 1, height - sizes.axis + 2);
    context.fillStyle = colors.faint;
    context.textAlign = x > width - 40 ? "right" : x < 40 ? "left" : "center";
    context.fillText(moment(time), x, height - 5);
  }
  context.textAlign = "left";
}

function drawRange({ context, place, height }, [from, to]) {
  context.globalAlpha = 0.16;
  context.fillStyle = colors.focus;
  context.fillRect(place(from), 0, Math.max(place(to) - place(from), 1), height);
  context.globalAlpha = 1;
  for (const time of [from, to]) context.fillRect(Math.round(place(time)), 0, 1, height);
}

function drawLane(draw, lane, top) {
  const { context, width } = draw;
  const base = top + sizes.label + sizes.body;
  context.fillStyle = colors.panel;
  context.fillRect(0, top + sizes.label, width, sizes.body);
  if (lane.sums) drawShare(draw, base, colors.busy, (from, to) => shareOf(lane, draw.session, from, to));
  if (lane.heldLevels) {
    const slice = draw.session.modeSlice;
    context.globalAlpha = 0.6;
    drawShare(draw, base, colors.held, (from, to) => {
      let most = 0;
      for (let at = Math.floor(from / slice); at * slice < to && at < lane.heldLevels.length; at += 1) most = Math.max(most, lane.heldLevels[at]);
      return most > 250 ? 0 : most / 250;
    });
    context.globalAlpha = 1;
  }
  drawIntervals(draw, lane, top + sizes.label);
  drawModes(draw, lane, base + 1);
  drawStalls(draw, lane, base);
  drawFlags(draw, lane, top + sizes.label);
  if (lane.late.length > 0 || lane.drift) drawLateness(draw, lane, base + sizes.mode + 1);
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colors.text;
  // The flags share its line.
  context.fillText(fitted(lane.name, Math.min(width - 4, firstFlag(draw, lane))), 2, top + 13);
}

function firstFlag({ place, width }, lane) {
  const at = lane.flags.find((flag) => place(stalls.start[flag]) >= 0);
  return at === undefined ? width : Math.max(place(stalls.start[at]) - 8, 0);
}

/** The share of a stretch of time in which a loop was busy, of the time that is known. */
function shareOf(lane, session, from, to) {
  const isFine = lane.fine && from >= session.fine.from && to <= session.fine.to;
  const { busy, known } = isFine ? lane.fine : lane.sums;
  const [start, slice] = isFine ? [session.fine.from, session.fine.slice] : [0, session.slice];
  const first = Math.max(Math.floor((from - start) / slice), 0);
  const end = Math.min(Math.max(Math.ceil((to - start) / slice), first + 1), known.length - 1);
  if (end <= first) return 0;
  const all = known[end] - known[first];
  return all === 0 ? 0 : (busy[end] - busy[first]) / all;
}

function drawShare({ context, session, width, scale }, base, color, amount) {
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(0, base);
  for (let x = 0; x < width; x += 1) {
    const from = view.from + x / scale;
    if (from > session.duration) break;
    const share = amount(from, Math.min(view.from + (x + 1) / scale, session.duration));
    // What is not nothing is at least a pixel high.
    const y = base - (share > 0 ? Math.max(share * sizes.body, 1) : 0);
    context.lineTo(x, y);
    context.lineTo(x + 1, y);
  }
  context.lineTo(width, base);
  context.fill();
}

function drawIntervals({ context, session, width, place }, lane, top) {
  for (const [kind, , loop, start, end] of session.intervals) {
    if (loop !== null && loop !== lane.loop || end < view.from || start > view.to) continue;
    const left = Math.max(place(start), 0);
    context.fillStyle = hatches[kind];
    context.fillRect(left, top, Math.max(Math.min(place(end), width) - left, 1), sizes.body);
  }
}

/** For each column of pixels, the mode of its longest stall, and how long that is. */
let [columnModes, columnLengths] = [new Int32Array(0), new Float64Array(0)];

/** The mode that took most of each slice, and over it the modes of stalls, however short: the verdict names them. */
function drawModes({ context, session, width, scale, place }, lane, top) {
  const put = (mode, left, end) => {
    if (end < 0 || left > width) return;
    context.fillStyle = modeColors[mode % modeColors.length];
    context.fillRect(Math.max(left, 0), top, Math.max(Math.min(end, width) - Math.max(left, 0), 1), sizes.mode);
  };
  lane.runs.forEach(([start, mode], at) => put(mode, place(start), place(lane.runs[at + 1]?.[0] ?? session.duration)));
  if (columnModes.length <= width) [columnModes, columnLengths] = [new Int32Array(width + 1), new Float64Array(width + 1)];
  columnModes.fill(-1);
  columnLengths.fill(0);
  eachStall(lane, view.from, view.to, (at) => {
    if (stalls.severity[at] > 4 || !data.modes[stalls.mode[at]]) return;
    if (stalls.duration[at] * scale >= 2) { put(stalls.mode[at], place(stalls.start[at]), place(stalls.end[at])); return; }
    const column = Math.min(Math.max(Math.floor(place(stalls.start[at])), 0), width);
    if (stalls.duration[at] > columnLengths[column]) [columnModes[column], columnLengths[column]] = [stalls.mode[at], stalls.duration[at]];
  });
  for (let x = 0; x <= width;) {
    let end = x + 1;
    while (end <= width && columnModes[end] === columnModes[x]) end += 1;
    if (columnModes[x] >= 0) put(columnModes[x], x, end);
    x = end;
  }
}

/** By severity, how much of each column of pixels is held by stalls that are narrower than two. */
let columns = [];

function drawStalls(draw, lane, base) {
  const { context, width, scale, place } = draw;
  const all = Math.ceil(width) + 1;
  if (columns.length === 0 || columns[0].length < all) columns = severities.map(() => new Float32Array(all));
  for (const column of columns) column.fill(0);
  const wide = [];
  eachStall(lane, view.from, view.to, (at) => {
    if (!passing[at]) return;
    const x = place(stalls.start[at]);
    const length = stalls.duration[at] * scale;
    if (length >= 2) { wide.push(at); return; }
    const column = Math.min(Math.max(Math.floor(x), 0), all - 1);
    columns[stalls.severity[at]][column] += Math.max(length, 1e-6);
  });
  // The tall ones first, so that each severity shows above those that are smaller.
  const order = severities.map((_, severity) => severity).sort((one, other) => heights[other] - heights[one]);
  for (const severity of order) {
    const height = heights[severity] * sizes.body;
    context.fillStyle = colors[severities[severity]];
    const column = columns[severity];
    for (let x = 0; x < all;) {
      if (column[x] === 0) { x += 1; continue; }
      // Denser where more is held, in four steps.
      const level = Math.min(Math.ceil(column[x] * 4), 4);
      let end = x + 1;
      while (end < all && column[end] > 0 && Math.min(Math.ceil(column[end] * 4), 4) === level) end += 1;
      context.globalAlpha = 0.4 + 0.15 * level;
      context.fillRect(x, base - height, end - x, height);
      x = end;
    }
  }
  context.globalAlpha = 1;
  wide.sort((one, other) => heights[stalls.severity[other]] - heights[stalls.severity[one]]);
  for (const at of wide) drawWide(draw, at, base);
  if (view.stall !== null) outlineStall(draw, lane, base);
}

function drawWide({ context, width, place }, at, base) {
  const left = Math.max(place(stalls.start[at]), -2);
  const right = Math.min(place(stalls.end[at]), width + 2);
  const height = heights[stalls.severity[at]] * sizes.body;
  context.globalAlpha = 0.85;
  context.fillStyle = colors[severities[stalls.severity[at]]];
  context.fillRect(left, base - height, right - left, height);
  context.globalAlpha = 1;
  context.fillStyle = colors.ground;
  context.fillRect(right - 1, base - height, 1, height);
  context.font = "11px system-ui, sans-serif";
  const begin = Math.max(left, 0);
  const room = Math.min(right, width) - begin - 6;
  if (room < 40) return;
  const top = Math.min(base - height, base - 16);
  const words = fitted(stallLabel(at), room);
  // On a plate of its own, so that it reads on every colour.
  context.globalAlpha = 0.8;
  context.fillStyle = colors.ground;
  context.fillRect(begin + 2, top + 2, Math.min(context.measureText(words).width + 4, room + 4), 13);
  context.globalAlpha = 1;
  context.fillStyle = colors.text;
  context.fillText(words, begin + 4, top + 12);
}

/** A flag where what the program reports of itself changes, with its words where there is room up to the next. */
function drawFlags({ context, width, place }, lane, top) {
  context.font = "11px system-ui, sans-serif";
  let last = -Infinity;
  lane.flags.forEach((at, number) => {
    const x = place(stalls.start[at]);
    if (x < 0 || x > width || x - last < 1) return;
    last = x;
    context.fillStyle = colors.text;
    context.beginPath();
    context.moveTo(x, top - 6);
    context.lineTo(x + 6, top - 3);
    context.lineTo(x, top);
    context.fill();
    context.fillRect(x, top - 6, 1, 12);
    const next = lane.flags[number + 1];
    const room = (next === undefined ? width : Math.min(place(stalls.start[next]), width)) - x - 12;
    if (room > 40) context.fillText(fitted(data.notes[stalls.note[at]], room), x + 8, top - 1);
  });
}

const stallLabel = (at) => data.causes[stalls.cause[at]]?.short ?? (stalls.cause[at] === -1 ? "other cause" : severities[stalls.severity[at]]);

function outlineStall({ context, place }, lane, base) {
  const at = stalls.place(view.stall);
  if (at < 0 || !lane.places.includes(at)) return;
  const height = heights[stalls.severity[at]] * sizes.body;
  const left = place(stalls.start[at]);
  context.strokeStyle = colors.text;
  context.lineWidth = 2;
  context.strokeRect(left - 1, base - height - 1, Math.max(place(stalls.end[at]) - left, 2) + 2, height + 2);
}

/** Windows in which timers came late as lines, higher the later; over them the lateness of the loop's own ticks. */
function drawLateness({ context, session, width, place }, lane, top) {
  const tall = (late) => Math.min(Math.max(Math.log10(Math.max(late, 1e5) / 1e5) / 5, 0), 1) * (sizes.marks - 2) + 1;
  const floor = top + sizes.marks;
  context.fillStyle = colors.notice;
  for (const [, , start, length, worst] of lane.late) {
    const [left, right] = [place(start), place(start + length)];
    if (right < 0 || left > width) continue;
    context.globalAlpha = 0.6;
    context.fillRect(left, floor - tall(worst), Math.max(right - left, 2), 1.5);
  }
  context.globalAlpha = 1;
  if (!lane.drift) return;
  context.strokeStyle = colors.running;
  context.lineWidth = 1.5;
  context.beginPath();
  let isDrawing = false;
  const step = session.duration / lane.drift.length;
  lane.drift.forEach((late, slice) => {
    if (late === null) { isDrawing = false; return; }
    for (const time of [slice * step, (slice + 1) * step]) {
      if (isDrawing) context.lineTo(place(time), floor - tall(late)); else context.moveTo(place(time), floor - tall(late));
      isDrawing = true;
    }
  });
  context.stroke();
}

/** A text cut to so many pixels, by the mean width of its letters. */
function fitted(text, room) {
  const most = Math.floor(room / 6.1);
  return text.length <= most ? text : `${text.slice(0, Math.max(most - 1, 0))}…`;
}
