// Flame graphs: the called below their callers, as wide as their time.

const row = 22;
/** What all flame graphs share, and the stalls whose samples they show. */
const flames = { inverted: false, ownOnly: false, search: "", chosen: [] };

/** The time of each stack of what a flame graph is of: a cause of the chosen stalls, or a profile. */
function stackWeights(details) {
  const weights = new Float64Array(stacks.all);
  const profile = data.profiles[Number(details.dataset.profile)];
  if (profile) {
    profile.unpacked ??= [unpack(profile.stacks, Uint32Array), unpack(profile.weights, Float64Array, (value) => value * 1e3)];
    profile.unpacked[0].forEach((stack, at) => { weights[stack] += profile.unpacked[1][at]; });
    return weights;
  }
  const cause = Number(details.dataset.cause);
  for (const at of flames.chosen) {
    if (stalls.cause[at] !== cause) continue;
    for (let run = stalls.firstRun[at]; run < stalls.firstRun[at + 1]; run += 1) weights[stalls.stack[run]] += stalls.weight[run];
  }
  return weights;
}

function flameNode(parent, number) {
  return { parent, number, label: stacks.label(number), isSystem: stacks.isSystem(number), weight: 0, places: new Map(), calls: new Map(), children: [] };
}

/** The node below `parent` for a function at a place: the places of a function are one node. */
function called(parent, number) {
  const key = stacks.labelNumber(number);
  let node = parent.calls.get(key);
  if (!node) { node = flameNode(parent, number); parent.calls.set(key, node); }
  return node;
}

/** `only`: a function, all calls of which become one. */
function flameTree(weights, only) {
  const root = { parent: null, label: "all", isSystem: true, weight: 0, places: new Map(), calls: new Map(), children: [] };
  const isShown = (number) => !flames.ownOnly || !stacks.isSystem(number);
  if (flames.inverted) {
    weights.forEach((weight, stack) => {
      if (weight === 0 || stack === 0) return;
      const path = stackPath(stack);
      const first = only ? path.findIndex((number) => stacks.label(number) === only) : 0;
      if (first < 0) return;
      let node = root;
      for (const number of path.slice(first).reverse()) if (isShown(number)) { node = called(node, number); addPlace(node, number, weight); }
      node.weight += weight;
    });
  } else {
    const sums = weights.slice();
    for (let stack = stacks.all - 1; stack > 0; stack -= 1) sums[stacks.caller[stack]] += sums[stack];
    const nodes = new Array(stacks.all).fill(null);
    nodes[0] = only ? null : root;
    for (let stack = 1; stack < stacks.all; stack += 1) {
      if (sums[stack] === 0) continue;
      const number = stacks.function[stack];
      const caller = nodes[stacks.caller[stack]] ?? (only && stacks.label(number) === only ? root : null);
      if (!caller) continue;
      nodes[stack] = isShown(number) || caller === root && only ? called(caller, number) : caller;
      if (nodes[stack] !== caller) addPlace(nodes[stack], number, sums[stack]);
      nodes[stack].weight += weights[stack];
    }
  }
  if (weights[0] > 0 && !only) {
    root.children.push({ parent: root, label: "no stack was read", isSystem: true, isUnread: true, weight: weights[0], places: new Map(), calls: new Map(), children: [] });
  }
  finish(root);
  return root;
}

const addPlace = (node, number, weight) => node.places.set(number, (node.places.get(number) ?? 0) + weight);

/** Adds up what functions called; the heaviest come first. */
function finish(node) {
  const calls = [...node.calls.values()];
  for (const child of calls) finish(child);
  node.children = [...calls.sort((one, other) => other.weight - one.weight), ...node.children];
  node.weight = node.children.reduce((sum, child) => sum + child.weight, node.weight);
  const [place] = [...node.places].sort((one, other) => other[1] - one[1])[0] ?? [];
  node.place = place === undefined ? "" : stacks.place(place);
}

function flameWords(node, root) {
  return `${node.label}${node.place ? ` at ${node.place}` : ""}: ${duration(node.weight)}, ${share(node.weight, root.weight)}`;
}

/** The stack down to a node, innermost first, to be copied. */
function flameStack(node) {
  const lines = [];
  for (; node.parent; node = node.parent) lines.push(`${node.label}${node.place ? ` at ${node.place}` : ""}`);
  return (flames.inverted ? lines.reverse() : lines).join("\n");
}

/** The share of time in functions that the search finds, each moment once. */
function foundTime(node, text) {
  if (node.parent && node.label.toLowerCase().includes(text)) return node.weight;
  return node.children.reduce((sum, child) => sum + foundTime(child, text), 0);
}

function drawFlame(details, only = null) {
  const box = details.querySelector(".flame");
  const reading = details.querySelector(".reading");
  const root = flameTree(stackWeights(details), only);
  const text = flames.search.toLowerCase();
  const pixels = Math.max(box.clientWidth, 200);
  const state = { top: root, at: root };
  const show = (top, focused) => {
    state.top = top;
    const ancestors = [];
    for (let node = top; node.parent; node = node.parent) ancestors.unshift(node.parent);
    const rows = [];
    let deepest = 0;
    const put = (node, left, width, level) => {
      deepest = Math.max(deepest, level);
      const words = flameWords(node, root);
      const made = element("button", {
        type: "button", title: words, "aria-label": words, tabindex: -1, "data-weight": node.weight,
        style: `left:${left}%;width:${width}%;top:${level * row}px`,
        class: [node.isUnread ? "unread" : node.isSystem ? "system" : "", text && node.parent && node.label.toLowerCase().includes(text) ? "found" : ""].join(" "),
      }, node.label);
      node.button = made;
      made.onclick = () => show(node === top && node.parent ? node.parent : node, node);
      made.onpointerenter = () => { reading.textContent = words; };
      // What the tools are for is what was chosen, not what the pointer went over on its way to them.
      made.onfocus = () => { state.at = node; reading.textContent = words; };
      made.onkeydown = (event) => move(event, node);
      rows.push(made);
    };
    const below = (node, left, width, level) => {
      put(node, left, width, level);
      let at = left;
      for (const child of node.children) {
        const part = width * child.weight / Math.max(node.weight, 1);
        // Narrower than a pixel: zoom in to see it.
        if (part * pixels >= 80) below(child, at, part, level + 1);
        at += part;
      }
    };
    ancestors.forEach((node, level) => put(node, 0, 100, level));
    below(top, 0, 100, ancestors.length);
    box.replaceChildren(...rows);
    box.style.height = `${(deepest + 1) * row}px`;
    const first = focused?.button?.isConnected ? focused.button : rows[0];
    first.tabIndex = 0;
    if (focused) first.focus();
  };
  const move = (event, node) => {
    const siblings = node.parent ? node.parent.children : [node];
    const at = siblings.indexOf(node);
    const next = {
      ArrowDown: node.children[0], ArrowUp: node.parent, ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1],
    }[event.key];
    if (event.key === "Escape") { if (only) drawFlame(details); else show(root, root); }
    else if (event.key === "c" && !event.ctrlKey && !event.metaKey) copyStack();
    else if (next?.button?.isConnected) {
      node.button.tabIndex = -1;
      next.button.tabIndex = 0;
      next.button.focus();
    } else return;
    event.preventDefault();
  };
  const copyStack = () => { copyText(flameStack(state.at)); reading.textContent = "The stack is copied."; };
  details.querySelector(".copy").onclick = copyStack;
  details.querySelector(".focus").onclick = () => { if (state.at.parent) drawFlame(details, state.at.label); };
  details.querySelector(".whole").onclick = () => drawFlame(details);
  details.redrawFlame = () => drawFlame(details, only);
  reading.textContent = only ? `All calls of ${only}, taken together: ${duration(root.weight)}.`
    : text ? `${share(foundTime(root, text), root.weight)} of the time is in functions with “${flames.search}”.` : "";
  show(root, null);
}

/** Draws those that are open; the others when they open. */
function redrawFlames() {
  for (const details of document.querySelectorAll("details.cause")) {
    details.isDrawn = details.open && !details.hidden;
    if (details.isDrawn) drawFlame(details);
  }
}

function prepareFlames() {
  for (const details of document.querySelectorAll("details.cause")) {
    const tools = details.querySelector(".flame-tools");
    const toggle = (label, name) => button(label, () => { flames[name] = !flames[name]; prepareFlames(); redrawFlames(); }, { "aria-pressed": flames[name] });
    const search = element("input", { type: "search", placeholder: "Search functions", "aria-label": "Search functions" });
    search.value = flames.search;
    search.oninput = () => { flames.search = search.value; details.redrawFlame(); };
    tools.replaceChildren(search, toggle("Invert", "inverted"), toggle("Own code only", "ownOnly"),
      button("Only this function", null, { class: "focus" }), button("Copy stack", null, { class: "copy" }), button("All", null, { class: "whole" }));
    if (view.open.has(details.id)) details.open = true;
    details.ontoggle = () => {
      if (details.open) view.open.add(details.id); else view.open.delete(details.id);
      if (details.open && !details.isDrawn) { details.isDrawn = true; drawFlame(details); }
    };
  }
}
