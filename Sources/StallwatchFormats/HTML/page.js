// What the parts of the page's script share. The parts are put together in one function.

const svgNamespace = "http://www.w3.org/2000/svg";
const severities = ["brief", "long", "microhang", "hang", "severe", "congestion", "away"];
// Heights tell severities apart where colours do not.
const heights = [0.3, 0.45, 0.65, 0.85, 1, 0.3, 0.5];
const modeColors = ["#6677cc", "#44aa99", "#ccaa44", "#cc6677", "#66bbdd", "#559944", "#aa4499", "#888844"];
const byId = (id) => document.getElementById(id);
let data = {};
/** What is looked at; it outlives a live page's new contents. */
const view = { session: null, from: 0, to: 0, open: new Set() };

function element(name, attributes, text) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function shape(name, attributes, parent) {
  const made = document.createElementNS(svgNamespace, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.append(made);
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
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} min`;
}

const share = (part, whole) => whole > 0 ? `${(part / whole * 100).toFixed(part / whole < 0.1 ? 1 : 0)} %` : "0 %";

/** What a link goes to may lie in something closed. */
function openTarget() {
  const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView({ block: "center" });
}

function start() {
  data = JSON.parse(byId("data").textContent);
  prepareTimeline();
  prepareCauses();
}

function prepareOnce() {
  byId("theme").onclick = () => {
    const isDark = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() !== "#ffffff";
    document.documentElement.dataset.theme = isDark ? "light" : "dark";
  };
  let pending = 0;
  addEventListener("resize", () => { cancelAnimationFrame(pending); pending = requestAnimationFrame(drawTimeline); });
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => { for (const one of document.querySelectorAll("details")) one.open = true; });
  const events = document.body.dataset.live;
  if (events) follow(events);
}
