// What follows the selection and the filters: the causes, their flame graphs, the distribution and the table of stalls.

/** The most stalls in the table of a selection. */
const mostRows = 50;

function showSelection() {
  const chosen = chosenStalls();
  const isWhole = !view.selection && !isFiltered();
  flames.chosen = chosen;
  showWords(chosen, isWhole);
  showCauses(chosen, isWhole);
  showSpread(chosen);
  showTable(chosen, isWhole);
  for (const id of ["zoom-selection", "select-none"]) if (byId(id)) byId(id).disabled = !view.selection;
  keepAddress();
}

const sumOf = (all) => all.reduce((sum, at) => sum + stalls.duration[at], 0);

function showWords(chosen, isWhole) {
  const words = byId("selected");
  if (!words) return;
  const range = view.selection
    ? `From ${moment(Math.round(view.selection[0] / 1e6) * 1e6)} to ${moment(Math.round(view.selection[1] / 1e6) * 1e6)} of session ${view.session}`
    : "In the whole store";
  words.textContent = isWhole ? "Drag over the timeline to see the causes of a range of time alone."
    : `${range}${isFiltered() ? ", as filtered" : ""}: ${count(chosen.length, "stall")}, ${duration(sumOf(chosen))} held. `
      + "A stall counts whole if it lies in the range in part.";
}

function showCauses(chosen, isWhole) {
  const sums = new Map();
  for (const at of chosen) {
    const sum = sums.get(stalls.cause[at]) ?? { count: 0, total: 0, worst: 0, all: [] };
    sum.count += 1;
    sum.total += stalls.duration[at];
    sum.worst = Math.max(sum.worst, stalls.duration[at]);
    sum.all.push(at);
    sums.set(stalls.cause[at], sum);
  }
  const words = (sum) => `${duration(sum.total)} in ${count(sum.count, "stall")}, the worst ${duration(sum.worst)}`;
  const all = [...document.querySelectorAll("details[data-cause]")];
  for (const details of all) {
    const sum = sums.get(Number(details.dataset.cause));
    const figures = details.querySelector(".figures");
    // The report's own, which also count what has no mark.
    figures.dataset.whole ??= figures.textContent;
    figures.textContent = isWhole ? figures.dataset.whole : sum ? words(sum) : "";
    showActivity(details, isWhole || !sum ? null : activityShares(sum.all), isWhole);
    details.hidden = !isWhole && !sum;
  }
  const weight = (details) => isWhole ? -Number(details.dataset.cause) : sums.get(Number(details.dataset.cause))?.total ?? 0;
  const sorted = [...all].sort((one, other) => weight(other) - weight(one));
  if (sorted.some((details, at) => details !== document.querySelectorAll("details[data-cause]")[at])) byId("cause-list").append(...sorted);
  const others = [[-1, "Causes that the page does not list"], [-2, "Unknown: no look found a readable stack"]].filter(([cause]) => sums.has(cause));
  if (byId("other-causes")) byId("other-causes").textContent = isWhole ? "" : others.map(([cause, name]) => `${name}: ${words(sums.get(cause))}.`).join(" ");
  redrawFlames();
}

/** How the time of a cause's stalls divides. */
function showActivity(details, shares, isWhole) {
  const words = details.querySelector(".activity");
  words.dataset.whole ??= words.textContent;
  const main = shares ? shares.indexOf(Math.max(...shares)) : 0;
  words.textContent = isWhole ? words.dataset.whole : shares ? `${activities[main]} ${share(shares[main], 1)}` : "";
  details.querySelectorAll("summary .split i").forEach((part, number) => {
    part.dataset.whole ??= part.style.width;
    part.style.width = isWhole ? part.dataset.whole : shares ? `${shares[number] * 100}%` : "0";
  });
}

/** How long the chosen stalls took, in quarters of powers of ten. */
function showSpread(chosen) {
  const box = byId("spread");
  if (!box) return;
  const bin = (length) => Math.floor(Math.log10(Math.max(length, 1e6)) * 4 + 1e-9);
  const bins = new Map();
  for (const at of chosen) {
    const one = bins.get(bin(stalls.duration[at])) ?? severities.map(() => 0);
    one[stalls.severity[at]] += 1;
    bins.set(bin(stalls.duration[at]), one);
  }
  if (bins.size === 0) { box.replaceChildren(); return; }
  const [first, last] = [Math.min(...bins.keys()), Math.max(...bins.keys())];
  const sum = (bin) => (bins.get(bin) ?? []).reduce((all, one) => all + one, 0);
  const most = Math.max(...[...bins.keys()].map(sum));
  const bars = [];
  for (let place = first; place <= last; place += 1) {
    const words = `${duration(10 ** (place / 4))} to ${duration(10 ** ((place + 1) / 4))}: ${count(sum(place), "stall")}`;
    const parts = (bins.get(place) ?? []).map((number, severity) => number === 0 ? null
      : element("i", { style: `height:${number / most * 100}%;background:var(--${severities[severity]})` })).filter(Boolean);
    bars.push(element("span", { title: words }, element("b", {}, ...parts), element("small", {}, place % 2 === 0 ? duration(10 ** (place / 4)) : "")));
  }
  box.replaceChildren(...bars);
  box.setAttribute("aria-label", `How long the stalls took: ${[...bins.keys()].sort((one, other) => one - other)
    .map((place) => `${sum(place)} from ${duration(10 ** (place / 4))}`).join(", ")}`);
}

function showTable(chosen, isWhole) {
  const box = byId("chosen-stalls");
  if (!box) return;
  byId("worst-stalls").hidden = !isWhole;
  box.hidden = isWhole;
  if (isWhole) { box.replaceChildren(); return; }
  const longest = chosen.length > mostRows ? Float64Array.from(chosen, (at) => stalls.duration[at]).sort()[chosen.length - mostRows] : 0;
  const shown = chosen.filter((at) => stalls.duration[at] >= longest)
    .sort((one, other) => stalls.duration[other] - stalls.duration[one]).slice(0, mostRows);
  const rows = shown.map((at) => element("tr", {}, element("td", { class: "right" },
    element("button", { type: "button", "data-stall": stalls.id[at], "aria-label": `Show stall ${stalls.id[at]} on the timeline` }, String(stalls.id[at]))),
    ...[duration(stalls.duration[at]), severities[stalls.severity[at]], data.loops[stalls.loop[at]]?.name ?? "", data.modes[stalls.mode[at]], phaseOf(at),
      moment(Math.round(stalls.start[at] / 1e6) * 1e6), data.causes[stalls.cause[at]]?.title ?? (stalls.cause[at] === -1 ? "other" : "unknown")]
      .map((text, column) => element("td", { class: ["right", "", "name", "name", "", "right", "name"][column] }, text))));
  const heads = ["id", "duration", "severity", "loop", "mode", "phase", "began at", "what held the loop"];
  box.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows)), element("p", { class: "note" }, chosen.length > shown.length ? `and ${count(chosen.length - shown.length, "shorter stall")}.` : ""));
}
