// A live page fetches itself anew whenever the store has changed.

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
      data = JSON.parse(byId("data").textContent);
      // Who looks at everything goes on to see everything.
      if (whole && timeline()) [view.from, view.to] = [0, timeline().duration];
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
