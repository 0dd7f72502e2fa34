/** What moves inside views: the choice of a prototype, changed values, and jobs that are followed. */
const EVERY = 2000; // milliseconds between two looks at jobs
let following = 0;

/** Wire a view that was just shown. */
export function wire(main, { fetchPart, nodes }) {
  clearTimeout(following);
  for (const button of main.querySelectorAll('[data-action="choose"]')) {
    button.addEventListener("click", () => go({ k: button.dataset.rank }));
  }
  for (const button of main.querySelectorAll('[data-action="undo"]')) {
    button.addEventListener("click", () => go({}, (name) => !name.startsWith("set.")));
  }
  for (const button of main.querySelectorAll('[data-action="answer"]')) {
    button.addEventListener("click", () => go({ [`set.${button.dataset.name}`]: button.dataset.value }));
  }
  for (const field of main.querySelectorAll("[data-feature]")) {
    field.addEventListener("change", () => go({ [`set.${field.dataset.feature}`]: field.value }));
  }
  const live = main.querySelector('[data-live="jobs"]');
  if (live) follow(live, fetchPart, nodes);
}

/** Change parameters of the address, so that every state of a view has one; the focus stays where it is. */
function go(changed, keep = () => true) {
  const [path, query = ""] = location.hash.split("?");
  const parameters = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => keep(name)));
  for (const [name, value] of Object.entries(changed)) parameters.set(name, value);
  const text = parameters.toString();
  history.pushState({ keepFocus: true }, "", text ? `${path}?${text}` : path);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Draw jobs again while there are some, and say each tenth of their progress once. */
function follow(shown, fetchPart, nodes) {
  following = setTimeout(async () => {
    if (!shown.isConnected) return;
    try {
      const answer = await fetchPart("jobs");
      if (!answer.ok || !shown.isConnected) return;
      const [next] = nodes(await answer.text()).filter((node) => node.nodeType === Node.ELEMENT_NODE);
      shown.replaceWith(next);
      follow(next, fetchPart, nodes);
    } catch {
      follow(shown, fetchPart, nodes);
    }
  }, EVERY);
}
