// What the parts of the page's script share. The parts are put together in one function.

const severities = ["brief", "long", "microhang", "hang", "severe", "congestion", "away"];
// Heights tell severities apart where colours do not.
const heights = [0.3, 0.45, 0.65, 0.85, 1, 0.3, 0.5];
const modeColors = ["#6677cc", "#44aa99", "#ccaa44", "#cc6677", "#66bbdd", "#559944", "#aa4499", "#888844"];
const activities = ["running", "blocked", "starved"];
const byId = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

function button(label, action, attributes) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.onclick = action;
  return made;
}

function duration(nanoseconds) {
  const three = (value) => value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
  if (nanoseconds === 0) return "0 s";
  if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return `${three(nanoseconds / 1e3)} µs`;
  if (nanoseconds < 1e9) return `${three(nanoseconds / 1e6)} ms`;
  if (nanoseconds < 6e10) return `${three(nanoseconds / 1e9)} s`;
  const seconds = Math.round(nanoseconds / 1e9);
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${two(seconds / 60 % 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${two(seconds / 3600 % 24)} h`;
}

/** A moment of a session, as exact as a zoomed timeline needs it. */
function moment(time) {
  const short = (value, unit) => `${parseFloat(value.toFixed(3))} ${unit}`;
  if (time === 0) return "0";
  if (time < 1e9) return short(time / 1e6, "ms");
  if (time < 6e10) return short(time / 1e9, "s");
  const seconds = Math.round(time / 1e6) / 1e3;
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  return parts.filter(([value]) => value > 0).map(([value, unit]) => short(value, unit)).join(" ");
}

const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

function share(part, whole) {
  if (!(part > 0)) return "0 %";
  const percent = part / whole * 100;
  return percent < 0.1 ? "<0.1 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

/** Runs `work` before the next frame, once however often it was asked for. */
function beforeFrame(work) {
  let pending = 0;
  return () => { pending ||= requestAnimationFrame(() => { pending = 0; work(); }); };
}

function copyText(text) {
  const area = element("textarea", { style: "position:fixed;opacity:0" });
  area.value = text;
  document.body.append(area);
  area.select();
  // Works in a page from a file, in which the clipboard of navigator may not be allowed.
  document.execCommand("copy");
  area.remove();
}

/** What a link goes to may lie in something closed. */
function openTarget() {
  const name = decodeURIComponent(location.hash.slice(1));
  const stall = /^stall-(\d+)$/.exec(name);
  if (stall && openStall(stalls.place(Number(stall[1])))) return;
  const target = name !== "" && byId(name);
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView({ block: "center" });
}

function start() {
  unpackPage(JSON.parse(byId("data").textContent));
  prepareTimeline();
  prepareFilters();
  prepareFlames();
  prepareStallLinks();
  showSelection();
  if (view.stall !== null) openStall(stalls.place(view.stall), false);
}

function prepareOnce() {
  document.documentElement.classList.add("scripted");
  byId("theme").onclick = () => {
    const isDark = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() !== "#ffffff";
    document.documentElement.dataset.theme = isDark ? "light" : "dark";
    refreshColors();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refreshColors);
  addEventListener("resize", redraw);
  addEventListener("hashchange", () => { if (readAddress()) start(); else openTarget(); });
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details")) one.open = true;
    redrawFlames();
  });
  // In the colours of paper, also where the screen is dark.
  matchMedia("print").addEventListener("change", () => { refreshColors(); drawTimeline(); });
  const events = document.body.dataset.live;
  if (events) follow(events);
}

function openPage() {
  const hasAddress = readAddress();
  prepareOnce();
  start();
  if (!hasAddress) openTarget();
}
