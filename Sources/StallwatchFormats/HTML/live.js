// A served page fetches itself anew whenever the store has changed, and asks for what it had no room for.

/** Answers to `words` beside the page's own address; null where there is none. */
async function ask(words) {
  if (!document.body.dataset.live) return null;
  const answer = await fetch(location.pathname.replace(/\/?$/, `/${words}`), { cache: "no-store" }).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

/** Fetches the story of a stall that has none yet, and shows it if the stall is still open. */
async function askStory(at) {
  const id = stalls.id[at];
  if (data.stories.some((one) => one.id === id)) return;
  const story = await ask(`stall/${id}`);
  if (!story) return;
  data.stories.push(story);
  if (view.stall === id) openStall(stalls.place(id), false);
}

/** Fetches finer slices of the time that is shown, with as much before and after it, where the page has coarser ones. */
async function askBusy() {
  const session = timeline();
  const length = view.to - view.from;
  if (!session || session.slice <= 2.5e8 || length / 4000 > session.slice / 2) return;
  if (session.fine && session.fine.from <= view.from && session.fine.to >= view.to && session.fine.length <= length * 4) return;
  const [from, to] = [Math.max(view.from - length, 0), Math.min(view.to + length, session.duration)];
  const busy = await ask(`busy/${session.id}/${Math.floor(from / 1e3)}/${Math.ceil(to / 1e3)}`);
  if (!busy || busy.slice >= session.slice) return;
  session.fine = { from: busy.start, to, length: to - busy.start, slice: busy.slice };
  for (const { loop, slices, busy: packed } of busy.lanes) {
    const lane = session.lanes.find((one) => data.loops[one.loop]?.id === loop);
    if (lane) lane.fine = sumLevels(unpackLevels(packed, slices));
  }
  redraw();
}

function follow(address) {
  const state = byId("live");
  let busy = false;
  let again = false;
  let hasEnded = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.pathname, { cache: "no-store" });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text.slice(0, 300));
      const fresh = new DOMParser().parseFromString(text, "text/html");
      const whole = timeline() && view.to - view.from >= timeline().duration;
      for (const id of ["report", "data", "title"]) byId(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
      // Who looks at everything goes on to see everything.
      if (whole) [view.from, view.to] = [0, 0];
      start();
      state.textContent = hasEnded ? "the recording has ended" : "live";
    } catch (error) {
      state.textContent = `not up to date: ${error.message}`;
    }
    busy = false;
    if (again) { again = false; refresh(); }
  };
  // The page may have been opened without the slash at the end.
  const source = new EventSource(location.pathname.replace(/\/?$/, `/${address}`));
  for (const event of ["changed", "ended"]) {
    source.addEventListener(event, () => { hasEnded = event === "ended"; refresh(); });
  }
  source.onerror = () => { state.textContent = "not connected; trying again"; };
  source.onopen = () => { if (!hasEnded) state.textContent = "live"; };
}
