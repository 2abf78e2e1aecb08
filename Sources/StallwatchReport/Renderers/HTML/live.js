// A live page fetches itself anew whenever the store has changed.

function follow(address) {
  const state = byId("live");
  let busy = false;
  let again = false;
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
      state.textContent = "live";
    } catch (error) {
      state.textContent = `not up to date: ${error.message}`;
    }
    busy = false;
    if (again) { again = false; refresh(); }
  };
  const source = new EventSource(address);
  source.addEventListener("changed", refresh);
  source.addEventListener("ended", () => { refresh(); state.textContent = "the recording has ended"; });
  source.onerror = () => { state.textContent = "not connected; trying again"; };
  source.onopen = () => { state.textContent = "live"; };
}
