// What the pointer and the keyboard do to the timeline.

/** The range that is being dragged. */
const steering = { range: null };

function zoom(from, to) {
  const whole = timeline().duration;
  const length = Math.min(Math.max(to - from, 1e6), whole);
  view.from = Math.min(Math.max(from, 0), whole - length);
  view.to = view.from + length;
  byId("range").textContent =
    `Showing ${moment(view.from)} to ${moment(view.to)} of ${moment(whole)} of session ${view.session}.`;
  redraw();
  keepAddress();
}

function zoomBy(factor, around = (view.from + view.to) / 2) {
  zoom(around - (around - view.from) * factor, around + (view.to - around) * factor);
}

const pan = (part) => { const step = (view.to - view.from) * part; zoom(view.from + step, view.to + step); };

function chooseSession(session) {
  view.session = session;
  view.selection = null;
  if (byId("session")) byId("session").value = String(session);
  zoom(0, timeline().duration);
  showModes();
}

/** Goes to the next or the last stall in the order of time. */
function stepStall(by) {
  const session = timeline();
  const here = view.stall === null ? -1 : stalls.place(view.stall);
  const end = session.first + session.stalls;
  let at = here >= session.first && here < end ? here : by > 0 ? firstFrom(end, (place) => place < session.first ? -1 : stalls.end[place], view.from) - 1 : end;
  do { at += by; } while (at >= session.first && at < end && !passing[at]);
  if (at < session.first || at >= end) return;
  openStall(at, false);
  if (stalls.end[at] < view.from || stalls.start[at] > view.to) {
    const middle = (stalls.start[at] + stalls.end[at]) / 2;
    const half = Math.max((view.to - view.from) / 2, stalls.duration[at]);
    zoom(middle - half, middle + half);
  }
}

/** Shows a stall with as much time around it as it took, at least a tenth of a second. */
function lookAt(at) {
  const session = data.sessions[stalls.session[at]];
  if (!session.lanes) return;
  if (view.session !== session.id) chooseSession(session.id);
  const margin = Math.max(stalls.duration[at], 1e8);
  zoom(stalls.start[at] - margin, stalls.end[at] + margin);
  byId("timeline").scrollIntoView({ block: "nearest" });
}

/** The stall under a point, and how many others are as near: the longest of those within three pixels. */
function stallAt(x, y) {
  const session = timeline();
  const tops = laneTops(session);
  const index = tops.findLastIndex((top) => y >= top);
  const lane = session.shown[index];
  if (!lane || y > tops[index] + sizes.label + sizes.body + sizes.mode) return { lane };
  const scale = (view.to - view.from) / byId("timeline").clientWidth;
  const time = view.from + x * scale;
  let [best, others, nearest] = [-1, 0, Infinity];
  eachStall(lane, time - 3 * scale, time + 3 * scale, (at) => {
    if (!passing[at]) return;
    others += 1;
    // A pixel's part of distance does not matter.
    const distance = Math.floor(Math.max(stalls.start[at] - time, time - stalls.end[at], 0) / scale);
    if (distance < nearest || distance === nearest && stalls.duration[at] > stalls.duration[best]) [best, nearest] = [at, distance];
  });
  return { lane, time, at: best, others: Math.max(others - 1, 0) };
}

function pointWords({ lane, time, at, others }) {
  if (at >= 0) return stallWords(at) + (others > 0 ? `; ${count(others, "more stall")} here, zoom in to tell them apart` : "");
  if (!lane || time === undefined) return "";
  const session = timeline();
  const interval = session.intervals.find(([, , loop, start, end]) => (loop === null || loop === lane.loop) && start <= time && end >= time);
  if (interval) return `${interval[0] === "blind" ? "unobserved" : interval[0]}: ${interval[1]}, ${duration(interval[4] - interval[3])}`;
  const mode = lane.runs.findLast(([start]) => start <= time);
  const busy = lane.sums ? `busy ${share(shareOf(lane, session, time, time + 1), 1)} of ${duration(lane.fine ? session.fine.slice : session.slice)}` : "";
  const late = lane.late.filter(([, , start, length]) => start <= time && start + length >= time)
    .map(([, title, , , worst, dropped]) => `${data.labels[title]} up to ${duration(worst)} late${dropped > 0 ? `, ${dropped} dropped` : ""}`);
  return [`${lane.name}, at ${moment(Math.round(time / 1e6) * 1e6)}: ${busy}`, mode ? `mode ${data.modes[mode[1]]}` : "", ...late.slice(0, 3)]
    .filter((part) => part !== "").join("; ");
}

function showModes() {
  const used = new Set();
  for (const lane of timeline().shown) {
    for (const [, mode] of lane.runs) used.add(mode);
    for (const at of lane.places) if (stalls.severity[at] < 5) used.add(stalls.mode[at]);
  }
  byId("modes").replaceChildren(...[...used].filter((mode) => data.modes[mode]).map((mode) => element("span", {},
    element("i", { style: `background:${modeColors[mode % modeColors.length]}` }), `mode ${data.modes[mode]}`)));
}

function prepareTimeline() {
  const canvas = byId("timeline");
  if (!canvas || data.timelines.length === 0) return;
  if (!timeline()) { view.session = data.timelines[0]; view.from = view.to = 0; }
  if (view.to <= view.from) [view.from, view.to] = [0, timeline().duration];
  if (byId("session")) byId("session").value = String(view.session);
  refreshColors();
  zoom(view.from, view.to);
  showModes();
  const actions = {
    "zoom-in": () => zoomBy(0.5), "zoom-out": () => zoomBy(2), "pan-left": () => pan(-0.25), "pan-right": () => pan(0.25),
    "zoom-reset": () => zoom(0, timeline().duration),
    "zoom-selection": () => { if (view.selection) zoom(...view.selection); },
    "select-shown": () => select([view.from, view.to]), "select-none": () => select(null),
  };
  for (const id in actions) byId(id).onclick = actions[id];
  if (byId("session")) byId("session").onchange = () => { chooseSession(Number(byId("session").value)); showSelection(); };
  prepareKeys(canvas, actions);
  preparePointer(canvas, actions);
}

function prepareKeys(canvas, actions) {
  const keys = {
    "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", "0": "zoom-reset", ArrowLeft: "pan-left", ArrowRight: "pan-right",
    s: "select-shown", z: "zoom-selection",
  };
  canvas.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (keys[event.key]) actions[keys[event.key]]();
    else if (event.key === "n" || event.key === "p") stepStall(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter" && view.stall !== null) byId("stall").focus();
    else if (event.key === "Escape") { if (view.stall !== null) closeStall(); else select(null); }
    else return;
    event.preventDefault();
  };
}

function preparePointer(canvas, actions) {
  const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const time = (event) => view.from + x(event) / canvas.clientWidth * (view.to - view.from);
  canvas.onwheel = (event) => {
    if (event.ctrlKey || event.metaKey) zoomBy(Math.exp(Math.min(Math.max(event.deltaY, -400), 400) / 250), time(event));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / canvas.clientWidth);
    else if (event.shiftKey) pan(event.deltaY / canvas.clientWidth);
    else return;
    event.preventDefault();
  };
  canvas.ondblclick = actions["zoom-reset"];
  let from = null;
  canvas.onpointerdown = (event) => {
    if (event.button !== 0) return;
    from = event.clientX;
    canvas.setPointerCapture(event.pointerId);
    const began = time(event);
    canvas.onpointermove = (moved) => {
      if (Math.abs(moved.clientX - from) < 4 && !steering.range) return;
      const now = Math.min(Math.max(time(moved), 0), timeline().duration);
      steering.range = [Math.min(began, now), Math.max(began, now)];
      redraw();
    };
    canvas.onpointerup = canvas.onpointercancel = (ended) => {
      canvas.onpointerup = canvas.onpointercancel = null;
      canvas.onpointermove = hover;
      const range = steering.range;
      steering.range = null;
      if (ended.type !== "pointerup") return;
      if (range) { select(range); return; }
      const { at } = stallAt(x(ended), ended.offsetY);
      if (at >= 0) openStall(at, false); else if (view.selection) select(null);
    };
  };
  const hover = (event) => {
    const point = stallAt(x(event), event.offsetY);
    byId("reading").textContent = pointWords(point);
    canvas.dataset.lane = point.lane?.name ?? "";
    canvas.style.cursor = point.at >= 0 ? "pointer" : "crosshair";
  };
  canvas.onpointermove = hover;
}
