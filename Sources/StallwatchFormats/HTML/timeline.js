// The timeline.

const timeline = () => data.timelines.find((one) => one.session === view.session);
const lane = { label: 18, height: 44, strip: 6, gap: 10 };

function zoom(from, to) {
  const whole = timeline().duration;
  const length = Math.min(Math.max(to - from, 1e6), whole);
  view.from = Math.min(Math.max(from, 0), whole - length);
  view.to = view.from + length;
  drawTimeline();
}

function zoomBy(factor, around = (view.from + view.to) / 2) {
  zoom(around - (around - view.from) * factor, around + (view.to - around) * factor);
}

const pan = (part) => { const step = (view.to - view.from) * part; zoom(view.from + step, view.to + step); };

function niceStep(length, most) {
  const steps = [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 1.5e10, 3e10, 6e10, 1.2e11, 3e11,
    6e11, 9e11, 1.8e12, 3.6e12, 7.2e12, 1.44e13, 2.16e13, 4.32e13, 8.64e13, 6.048e14];
  return steps.find((step) => length / step <= most) || length;
}

/** A round moment, as short as can be. */
function moment(time) {
  const short = (value, unit) => `${parseFloat(value.toFixed(3))} ${unit}`;
  if (time === 0) return "0";
  if (time < 1e9) return short(time / 1e6, "ms");
  if (time < 6e10) return short(time / 1e9, "s");
  const seconds = Math.round(time / 1e6) / 1e3;
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  return parts.filter(([value]) => value > 0).map(([value, unit]) => short(value, unit)).join(" ");
}

function drawTimeline() {
  const svg = byId("timeline");
  const shown = timeline();
  if (!svg || !shown) return;
  const width = Math.max(svg.clientWidth || svg.parentElement.clientWidth, 200);
  const laneHeight = lane.label + lane.height + lane.strip + lane.gap;
  const height = shown.lanes.length * laneHeight + 22;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.style.height = `${height}px`;
  svg.replaceChildren();
  drawPatterns(svg);
  const place = (time) => (time - view.from) / (view.to - view.from) * width;
  const step = niceStep(view.to - view.from, Math.max(width / 110, 2));
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    shape("line", { class: "grid", x1: place(time), x2: place(time), y1: 0, y2: height - 18 }, svg);
    const end = place(time) > width - 40 ? "end" : place(time) < 40 ? "start" : "middle";
    shape("text", { class: "tick", x: place(time), y: height - 4, "text-anchor": end }, svg).textContent =
      moment(time);
  }
  shown.lanes.forEach((one, index) => drawLane(svg, shown, one, index * laneHeight, place, width));
  byId("range").textContent =
    `Showing ${moment(view.from)} to ${moment(view.to)} of ${moment(shown.duration)} of session ${shown.session}.`;
  drawModes(shown);
}

function drawPatterns(svg) {
  const definitions = shape("defs", {}, svg);
  for (const [name, turn] of [["excluded", 45], ["blind", 90]]) {
    const pattern = shape("pattern", {
      id: `hatch-${name}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${turn})`,
    }, definitions);
    shape("rect", { width: name === "blind" ? 3 : 1.5, height: 6, fill: "var(--hatch)" }, pattern);
  }
}

function drawLane(svg, shown, one, top, place, width) {
  const group = shape("g", { "data-loop": one.loop }, svg);
  const label = shape("text", { x: 2, y: top + 13 }, group);
  label.textContent = one.name;
  const base = top + lane.label + lane.height;
  shape("rect", { class: "lane", x: 0, y: top + lane.label, width, height: lane.height }, group);
  const box = (kind, from, to, amount) => {
    const x = Math.max(place(from), 0);
    const end = Math.min(place(to), width);
    if (end <= x || amount <= 0) return null;
    return shape("rect", {
      class: kind, x, y: base - amount * lane.height, width: Math.max(end - x, 0.5), height: amount * lane.height,
    }, group);
  };
  for (let slice = 0; slice < one.busy.length; slice += 1) {
    const from = slice * shown.slice;
    const to = Math.min(from + shown.slice, shown.duration);
    if (to < view.from || from > view.to || one.busy[slice] === null) continue;
    box("busy", from, to, one.busy[slice] / 1000);
    // Where marks are left out, what they add up to still shows.
    if (data.leftOutStalls > 0) box("held", from, to, one.held[slice] / 1000);
  }
  one.modes.forEach(([slice, mode], index) => {
    const from = slice * shown.slice;
    const to = index + 1 < one.modes.length ? one.modes[index + 1][0] * shown.slice : shown.duration;
    const x = Math.max(place(from), 0);
    const end = Math.min(place(to), width);
    if (end <= x) return;
    const strip = shape("rect", {
      class: "mode", x, y: base + 1, width: end - x, height: lane.strip, fill: modeColors[mode % modeColors.length],
    }, group);
    shape("title", {}, strip).textContent = `mode ${data.modes[mode]}`;
  });
  for (const [kind, reason, loop, start, end] of shown.intervals) {
    if (loop !== null && loop !== one.loop) continue;
    const drawn = box(kind, start, Math.max(end, start + (view.to - view.from) / width), 1);
    const word = kind === "blind" ? "unobserved" : kind;
    if (drawn) shape("title", {}, drawn).textContent = `${word}: ${reason}, ${duration(end - start)}`;
  }
  for (const stall of data.stalls) {
    if (stall.session === shown.session && stall.loop === one.loop) drawStall(group, stall, base, place, width);
  }
}

function drawStall(group, stall, base, place, width) {
  if (stall.start === null) return;
  const x = place(stall.start);
  const end = place(stall.start + stall.duration);
  if (end < 0 || x > width) return;
  const words = `stall ${stall.id}: ${severities[stall.severity]}, ${duration(stall.duration)}, at ${duration(stall.start)}`
    + (stall.state === "began" ? ", going on" : "") + (stall.cause === null ? "" : `, ${data.causes[stall.cause].title}`);
  const link = shape("a", { href: `#stall-${stall.id}`, "aria-label": words, tabindex: -1, "data-stall": stall.id }, group);
  const height = heights[stall.severity] * lane.height;
  const left = Math.max(x, -1);
  shape("rect", {
    class: severities[stall.severity], x: left, y: base - height, width: Math.max(Math.min(end, width + 1) - left, 1.5), height,
  }, link);
  shape("title", {}, link).textContent = words;
}

function drawModes(shown) {
  const used = [...new Set(shown.lanes.flatMap((one) => one.modes.map(([, mode]) => mode)))];
  byId("modes").replaceChildren(...used.map((mode) => {
    const entry = element("span", {});
    const icon = shape("svg", { width: 18, height: 6, "aria-hidden": "true" });
    shape("rect", { width: 18, height: 6, fill: modeColors[mode % modeColors.length] }, icon);
    entry.append(icon, `mode ${data.modes[mode]}`);
    return entry;
  }));
}

function choose(session) {
  view.session = session;
  const choice = byId("session");
  if (choice) choice.value = String(session);
  zoom(0, timeline().duration);
}

/** Goes from stall to stall in the order of time. */
function step(by) {
  const marks = [...document.querySelectorAll("#timeline a[data-stall]")]
    .sort((one, other) => one.firstChild.x.baseVal.value - other.firstChild.x.baseVal.value);
  if (marks.length === 0) return;
  const at = marks.indexOf(document.activeElement);
  marks[(at < 0 ? (by > 0 ? 0 : marks.length - 1) : at + by + marks.length) % marks.length].focus();
}

function prepareTimeline() {
  const svg = byId("timeline");
  if (!svg || data.timelines.length === 0) return;
  if (!timeline()) {
    choose(data.timelines[0].session);
  } else {
    const choice = byId("session");
    if (choice) choice.value = String(view.session);
    zoom(view.from, view.to);
  }
  const actions = {
    "zoom-in": () => zoomBy(0.5), "zoom-out": () => zoomBy(2), "pan-left": () => pan(-0.25),
    "pan-right": () => pan(0.25), "zoom-reset": () => zoom(0, timeline().duration),
  };
  for (const id in actions) byId(id).onclick = actions[id];
  const choice = byId("session");
  if (choice) choice.onchange = () => choose(Number(choice.value));
  const keys = {
    "+": "zoom-in", "=": "zoom-in", "-": "zoom-out", "0": "zoom-reset", ArrowLeft: "pan-left", ArrowRight: "pan-right",
  };
  svg.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (keys[event.key]) actions[keys[event.key]]();
    else if (event.key === "n" || event.key === "p") step(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  const time = (event) => {
    const box = svg.getBoundingClientRect();
    return view.from + (event.clientX - box.left) / box.width * (view.to - view.from);
  };
  svg.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 0.8 : 1.25, time(event));
  };
  svg.ondblclick = actions["zoom-reset"];
  svg.onpointerdown = (event) => {
    if (event.button !== 0 || event.target.closest("a")) return;
    const [from, box] = [time(event), svg.getBoundingClientRect()];
    const mark = shape("rect", { class: "select", y: 0, height: box.height }, svg);
    const span = (now) => [Math.min(from, now), Math.max(from, now)];
    const place = (moment) => (moment - view.from) / (view.to - view.from) * box.width;
    svg.setPointerCapture(event.pointerId);
    svg.onpointermove = (moved) => {
      const [left, right] = span(time(moved));
      mark.setAttribute("x", place(left));
      mark.setAttribute("width", place(right) - place(left));
    };
    svg.onpointerup = svg.onpointercancel = (ended) => {
      svg.onpointermove = svg.onpointerup = svg.onpointercancel = null;
      mark.remove();
      const [left, right] = span(time(ended));
      if (ended.type === "pointerup" && place(right) - place(left) > 6) zoom(left, right);
    };
  };
  for (const button of document.querySelectorAll("button[data-stall]")) {
    button.onclick = () => lookAt(Number(button.dataset.stall));
  }
}

/** Shows a stall on the timeline, with as much time around it as it took, at least a tenth of a second. */
function lookAt(id) {
  const stall = data.stalls.find((one) => one.id === id);
  if (!stall || !data.timelines.some((one) => one.session === stall.session)) return;
  if (view.session !== stall.session) choose(stall.session);
  const margin = Math.max(stall.duration, 1e8);
  zoom(stall.start - margin, stall.start + stall.duration + margin);
  byId("timeline").scrollIntoView({ block: "center" });
  const mark = document.querySelector(`#timeline a[data-stall="${id}"]`);
  if (mark) mark.focus({ preventScroll: true });
}
