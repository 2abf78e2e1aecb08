// Flame graphs: the called below their callers, as wide as their time.

const row = 22;

function flameNode(tree, parent, depth) {
  const [label, weight, system, place, children] = tree;
  const node = { label: data.labels[label], weight, system: system === 1, place: data.labels[place] || "", parent, depth };
  node.children = children.map((child) => flameNode(child, node, depth + 1));
  return node;
}

function drawFlame(details) {
  const box = details.querySelector(".flame");
  const cause = data.causes[Number(details.dataset.cause)];
  const root = { label: "all", weight: cause.total, parent: null, depth: -1, system: true, place: "" };
  root.children = cause.tree.map((tree) => flameNode(tree, root, 0));
  const reading = details.querySelector(".reading");
  const words = (node) => `${node.label}${node.place ? ` at ${node.place}` : ""}: ${duration(node.weight)}, ${share(node.weight, root.weight)}`;
  const show = (top, focused) => {
    const ancestors = [];
    for (let node = top; node.parent; node = node.parent) ancestors.unshift(node.parent);
    const rows = [];
    let deepest = 0;
    const put = (node, left, width, level) => {
      if (width < 0.02) return;
      deepest = Math.max(deepest, level);
      const button = element("button", {
        type: "button", title: words(node), "aria-label": words(node), tabindex: -1,
        style: `left:${left}%;width:${width}%;top:${level * row}px`, "data-weight": node.weight,
      }, node.label);
      if (node.system) button.className = "system";
      node.button = button;
      button.onclick = () => show(node === top && node.parent ? node.parent : node, node);
      button.onfocus = button.onpointerenter = () => { reading.textContent = words(node); };
      button.onkeydown = (event) => move(event, node);
      rows.push(button);
    };
    const below = (node, left, width, level) => {
      put(node, left, width, level);
      let at = left;
      for (const child of node.children) {
        const part = width * child.weight / Math.max(node.weight, 1);
        below(child, at, part, level + 1);
        at += part;
      }
    };
    ancestors.forEach((node, level) => put(node, 0, 100, level));
    below(top, 0, 100, ancestors.length);
    box.replaceChildren(...rows);
    box.style.height = `${(deepest + 1) * row}px`;
    const first = focused && focused.button && focused.button.isConnected ? focused.button : rows[0];
    if (first) first.tabIndex = 0;
    if (focused && first) first.focus();
  };
  const move = (event, node) => {
    const siblings = node.parent ? node.parent.children : [node];
    const at = siblings.indexOf(node);
    const next = {
      ArrowDown: node.children[0], ArrowUp: node.parent, ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1],
    }[event.key];
    if (event.key === "Escape") show(root, root);
    else if (next && next.button && next.button.isConnected) {
      node.button.tabIndex = -1;
      next.button.tabIndex = 0;
      next.button.focus();
    } else return;
    event.preventDefault();
  };
  show(root, null);
}

function prepareCauses() {
  for (const details of document.querySelectorAll("details.cause")) {
    if (view.open.has(details.id)) details.open = true;
    let isDrawn = false;
    const draw = () => {
      if (details.open) view.open.add(details.id); else view.open.delete(details.id);
      if (!details.open || isDrawn) return;
      isDrawn = true;
      drawFlame(details);
    };
    details.ontoggle = draw;
    draw();
  }
}
