// What is looked at: it is in the page's address, and outlives a live page's new contents.

const view = {
  session: null, from: 0, to: 0, selection: null, stall: null, open: new Set(),
  loop: "", cause: "", severity: "", text: "",
};
/** For each stall, whether the filters let it through. */
let passing = new Uint8Array(0);

const timeline = () => data.sessions.find((one) => one.id === view.session && one.lanes);

/** Takes the view from the address; whether the address has one. */
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("session")) return false;
  const range = (text) => {
    const [from, to] = (text || "").split("-").map(Number);
    return to > from && from >= 0 ? [from * 1e3, to * 1e3] : null;
  };
  view.session = Number(words.get("session"));
  [view.from, view.to] = range(words.get("time")) ?? [0, 0];
  view.selection = range(words.get("range"));
  view.stall = words.has("stall") ? Number(words.get("stall")) : null;
  for (const name of ["loop", "cause", "severity", "text"]) view[name] = words.get(name) ?? "";
  return true;
}

let addressPending = 0;
/** Puts the view into the address, when it has come to rest. */
function keepAddress() {
  clearTimeout(addressPending);
  addressPending = setTimeout(() => {
    const range = ([from, to]) => `${Math.round(from / 1e3)}-${Math.round(to / 1e3)}`;
    const words = new URLSearchParams({ session: view.session ?? "" });
    const shown = timeline();
    if (shown && (view.from > 0 || view.to < shown.duration)) words.set("time", range([view.from, view.to]));
    if (view.selection) words.set("range", range(view.selection));
    if (view.stall !== null) words.set("stall", view.stall);
    for (const name of ["loop", "cause", "severity", "text"]) if (view[name] !== "") words.set(name, view[name]);
    history.replaceState(null, "", `#${words}`);
    askBusy();
  }, 250);
}

/** The causes that the filter offers beside those of the page, by their number in `stalls.cause`. */
const otherCauses = [[-1, "other causes"], [-2, "unknown"]];

/** The number of the cause that is filtered by; null for none. A live page's new contents may give it another. */
function filteredCause() {
  const place = data.causes.findIndex((one) => one.key === view.cause);
  if (place >= 0) return place;
  return otherCauses.find(([number]) => String(number) === view.cause)?.[0] ?? null;
}

const isFiltered = () => view.loop !== "" || view.cause !== "" || view.severity !== "" || view.text !== "";

function applyFilters() {
  passing = new Uint8Array(stalls.all);
  const [loop, severity] = [view.loop, view.severity].map((value) => value === "" ? null : Number(value));
  const cause = filteredCause();
  const text = view.text.toLowerCase();
  const has = (words) => words !== undefined && words.toLowerCase().includes(text);
  const causes = data.causes.map((one) => has(one.title));
  const modes = data.modes.map(has);
  const notes = data.notes.map(has);
  const loops = data.loops.map((one) => has(one.name));
  for (let at = 0; at < stalls.all; at += 1) {
    const kind = stalls.severity[at];
    passing[at] = (loop === null || stalls.loop[at] === loop) && (cause === null || stalls.cause[at] === cause)
      && (severity === null || (severity > 4 ? kind === severity : kind >= severity && kind < 5))
      && (text === "" || causes[stalls.cause[at]] || modes[stalls.mode[at]] || notes[stalls.note[at]]
        || loops[stalls.loop[at]] || String(stalls.id[at]) === text) ? 1 : 0;
  }
}

/** The stalls in the selection, or in the whole store, that the filters let through. */
function chosenStalls() {
  const session = view.selection ? timeline() : null;
  const [first, end] = session ? [session.first, session.first + session.stalls] : [0, stalls.all];
  const chosen = [];
  for (let at = first; at < end; at += 1) {
    if (!passing[at]) continue;
    if (session && (stalls.end[at] < view.selection[0] || stalls.start[at] > view.selection[1])) continue;
    chosen.push(at);
  }
  return chosen;
}

function select(range) {
  view.selection = range;
  showSelection();
  redraw();
}

function prepareFilters() {
  const fill = (id, first, options) => {
    const choice = byId(id);
    if (!choice) return;
    choice.replaceChildren(...[["", first], ...options].map(([value, label]) => element("option", { value }, label)));
  };
  const used = new Set(stalls.loop);
  fill("filter-loop", "all loops", data.loops.map((one, number) => [number, one.name]).filter(([number]) => used.has(number)));
  fill("filter-cause", "all causes", [...data.causes.map((one) => [one.key, one.title]), ...otherCauses]);
  // The page may no longer list the cause.
  if (filteredCause() === null) view.cause = "";
  fill("filter-severity", "all severities", [[4, "severe"], [3, "hang or worse"], [2, "microhang or worse"],
    [1, "long or worse"], [5, "congestion"], [6, "away"]]);
  for (const name of ["loop", "cause", "severity", "text"]) {
    const choice = byId(`filter-${name}`);
    if (!choice) continue;
    choice.value = view[name];
    choice.oninput = () => { view[name] = choice.value; applyFilters(); showSelection(); redraw(); };
  }
  applyFilters();
}
