// One stall, beside the timeline.

const phaseOf = (at) => stalls.severity[at] === 6 ? "" : data.phases[stalls.phase[at]];
const stateWords = ["", ", going on", ", in which the process died"];

/** A stall in one line. */
function stallWords(at) {
  const cause = data.causes[stalls.cause[at]];
  return `stall ${stalls.id[at]}: ${severities[stalls.severity[at]]}, ${duration(stalls.duration[at])}${stateWords[stalls.state[at]]}, `
    + `at ${moment(Math.round(stalls.start[at] / 1e6) * 1e6)}${cause ? `, ${cause.title}` : ""}`;
}

/** The stall's story, or for one that has none, what its figures say. */
function stallStory(at) {
  const story = data.stories.find((one) => one.id === stalls.id[at]);
  if (story) return story.text;
  const loop = data.loops[stalls.loop[at]]?.name ?? "unknown";
  const cause = data.causes[stalls.cause[at]];
  const verb = ["was held", "was busy without a wait", "was left by its thread"][Math.max(stalls.severity[at] - 4, 0)];
  const phase = phaseOf(at);
  return `${cause ? `${cause.title}. ` : ""}Loop ${loop} ${verb} for ${duration(stalls.duration[at])} in mode ${data.modes[stalls.mode[at]]}`
    + `${phase ? `, phase ${phase}` : ""}${stateWords[stalls.state[at]]}.`
    + (stalls.firstRun[at] === stalls.firstRun[at + 1] ? " It was not sampled, so what held it is unknown." : "");
}

const runsOf = (at) => {
  const runs = [];
  for (let run = stalls.firstRun[at]; run < stalls.firstRun[at + 1]; run += 1) {
    runs.push({ stack: stalls.stack[run], activity: stalls.activity[run], weight: stalls.weight[run] });
  }
  return runs;
};

/** What looks at the thread found, from left to right, and how its time divides by the system's own account. */
function activityStrip(at, runs) {
  const watched = watchedTime(at);
  const before = stalls.isInOrder[at] ? Math.max(stalls.duration[at] - watched, 0) : 0;
  const whole = Math.max(watched + before, 1);
  const parts = [["unwatched", before], ...runs.map((run) => [activities[run.activity], run.weight])].filter(([, weight]) => weight > 0);
  const shares = activityShares([at]);
  const words = (shares ? activities.map((name, number) => `${name} ${share(shares[number], 1)}`).join(", ") : "How the thread's time divides is unknown")
    + `, of ${duration(watched)} watched`;
  const strip = element("span", { class: "split wide", role: "img", "aria-label": words },
    ...parts.map(([name, weight]) => element("i", { class: name, style: `width:${weight / whole * 100}%`, title: `${name} ${duration(weight)}` })));
  return [element("h4", {}, "What each look found, in the order of time"), strip, element("p", { class: "note" }, `${words}. `
    + (before > 0 ? `Blank: ${duration(before)} before the first look.` : "")
    + (stalls.isInOrder[at] ? "" : "There were so many looks that the page keeps their sums, not their order."))];
}

function stackLines(runs) {
  const sums = new Map();
  for (const run of runs) sums.set(run.stack, (sums.get(run.stack) ?? 0) + run.weight);
  const whole = runs.reduce((sum, run) => sum + run.weight, 0);
  const [stack, weight] = [...sums].sort((one, other) => other[1] - one[1])[0];
  if (stack === 0) return [element("p", {}, `For ${share(weight, whole)} of that time no stack was read.`)];
  const lines = stackPath(stack).map((number) => element("li", { class: stacks.isSystem(number) ? "faint" : "" },
    element("code", {}, stacks.label(number)), stacks.place(number) ? ` at ${stacks.place(number)}` : ""));
  const text = stackPath(stack).reverse().map((number) => `${stacks.label(number)}${stacks.place(number) ? ` at ${stacks.place(number)}` : ""}`).join("\n");
  return [element("h4", {}, `Its stack for ${share(weight, whole)} of the watched time, outermost first`), element("ol", { class: "stack" }, ...lines),
    button("Copy the stack", () => copyText(text))];
}

function storyParts(at) {
  const story = data.stories.find((one) => one.id === stalls.id[at]);
  if (!story) return [];
  const parts = [];
  if (story.owner.length > 0) {
    parts.push(element("h4", {}, "The stack of the thread that held the lock, innermost first"),
      element("ol", { class: "stack" }, ...story.owner.map((line) => element("li", {}, element("code", {}, line)))));
  }
  if (story.timers.length > 0) {
    parts.push(element("h4", {}, "Timers that it hurt"), element("ul", {}, ...story.timers.map(([title, late, dropped, worst]) =>
      element("li", {}, `${title}: ${count(late, "time")} late, up to ${duration(worst)}${dropped > 0 ? `; ${count(dropped, "fire")} dropped` : ""}`))));
  }
  return parts;
}

/** Opens a stall beside the timeline; false where there is none. `isFar`: the timeline goes there. */
function openStall(at, isFar = true) {
  const panel = byId("stall");
  if (!panel || at < 0 || at === undefined) return false;
  view.stall = stalls.id[at];
  const runs = runsOf(at);
  const session = data.sessions[stalls.session[at]];
  const began = new Date(session.startedAt + stalls.start[at] / 1e6);
  const facts = [["loop", data.loops[stalls.loop[at]]?.name ?? "unknown"], ["mode", data.modes[stalls.mode[at]]], ["phase", phaseOf(at)],
    ["began", `${moment(Math.round(stalls.start[at] / 1e6) * 1e6)}, ${began.toISOString().replace("T", " ").slice(0, 23)} UTC`],
    ["reported", data.notes[stalls.note[at]]]].filter(([, value]) => value);
  panel.replaceChildren(
    element("div", { class: "bar" }, element("h3", {}, `Stall ${stalls.id[at]}: ${severities[stalls.severity[at]]}, ${duration(stalls.duration[at])}`),
      button("←", () => stepStall(-1), { "aria-label": "The stall before" }), button("→", () => stepStall(1), { "aria-label": "The next stall" }),
      button("Zoom", () => lookAt(at), { "aria-label": "Zoom to this stall" }), button("×", closeStall, { "aria-label": "Close" })),
    element("p", {}, stallStory(at)),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    ...(runs.length > 0 ? [...activityStrip(at, runs), ...stackLines(runs)] : []), ...storyParts(at),
    ...(data.stories.some((one) => one.id === stalls.id[at]) ? [] : [element("p", { class: "note" },
      `The page has lock owner and timers of the ${count(data.stories.length, "longest stall")} alone; stallwatch show has those of stall ${stalls.id[at]}.`)]));
  panel.hidden = false;
  byId("explorer").classList.add("beside");
  byId("reading").textContent = stallWords(at);
  if (isFar) lookAt(at);
  askStory(at);
  redraw();
  keepAddress();
  return true;
}

function closeStall() {
  view.stall = null;
  byId("stall").hidden = true;
  byId("explorer").classList.remove("beside");
  byId("timeline").focus();
  redraw();
  keepAddress();
}

function prepareStallLinks() {
  byId("report").onclick = (event) => {
    const link = event.target.closest("a[href^='#stall-'], button[data-stall]");
    if (!link) return;
    const id = Number(link.dataset.stall ?? link.getAttribute("href").slice("#stall-".length));
    if (openStall(stalls.place(id))) event.preventDefault();
  };
}
