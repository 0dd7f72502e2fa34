/**
 * The frame of the page: it fetches views that the service drew, shows them, and wires what moves.
 *
 * `#/models/mdl_1` shows the part `../page/parts/models/mdl_1`; every address in a drawing has this form.
 */
import { key, keyAsked, lock, watchKey } from "./login.js";
import { wire } from "./views.js";
import { applyTheme, turnTheme } from "./theme.js";

const WAIT_BEFORE_LINE = 300; // milliseconds
const IDS = { mdl_: "models", prs_: "prototypes", rls_: "rules", apt_: "trees", lba_: "audits", xpl_: "explainers" };

const main = document.getElementById("main");
const waiting = document.querySelector(".waiting");
const policy = globalThis.trustedTypes?.createPolicy("leafspace", { createHTML: (text) => text });
let current = 0;

/** Return the nodes of a drawing. Scripts and handlers in it would not run: it has none, and the policy refuses them. */
function nodes(html) {
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
  return [...parsed.body.childNodes];
}

/** Fetch a part; a missing or refused key asks for one and tries again. */
export async function fetchPart(path) {
  for (;;) {
    const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
    const answer = await fetch(`../page/parts/${path}`, { headers });
    if (answer.status !== 401) return answer;
    await keyAsked(key() ? "This key is not known, or was revoked." : "");
  }
}

/** Show the view of the address. */
async function show({ keepFocus = false } = {}) {
  const turn = ++current;
  const path = location.hash.replace(/^#\/?/, "") || "overview";
  const line = setTimeout(() => { waiting.hidden = false; }, WAIT_BEFORE_LINE);
  const focused = keepFocus ? document.activeElement?.dataset?.feature : undefined;
  try {
    const answer = await fetchPart(path);
    const text = await answer.text();
    if (turn !== current) return;
    main.replaceChildren(...(answer.ok ? nodes(text) : [failure(answer, text)]));
  } catch {
    if (turn === current) main.replaceChildren(unreachable());
  } finally {
    clearTimeout(line);
    if (turn === current) waiting.hidden = true;
  }
  if (turn !== current) return;
  const heading = main.querySelector("h1");
  document.title = heading ? `${heading.textContent} · Leafspace` : "Leafspace";
  const field = focused && main.querySelector(`[data-feature="${CSS.escape(focused)}"]`);
  if (field) field.focus();
  else if (turn > 1) main.focus({ preventScroll: true });
  if (!keepFocus) scrollTo(0, 0);
  wire(main, { show, fetchPart, nodes });
}

/** Return what is shown instead of a view that the service refused. */
function failure(answer, text) {
  let problem = { title: "The service did not answer as expected", detail: `status ${answer.status}`, code: "" };
  try { problem = JSON.parse(text); } catch { /* not a problem of the service's own: a proxy answered */ }
  const wait = Number(answer.headers.get("Retry-After"));
  if (wait > 0) setTimeout(show, Math.min(wait, 60) * 1000);
  const more = wait > 0 ? `Trying again in ${wait} s.` : "";
  return notice(problem.title ?? problem.code, problem.detail ?? "", `${more} code ${problem.code}, request ${answer.headers.get("X-Request-Id") ?? "unknown"}`);
}

function unreachable() {
  setTimeout(show, 3000);
  return notice("The service does not answer", "It may be starting again. The page tries again by itself.", "");
}

/** Return a card with three texts. */
function notice(title, detail, small) {
  const card = document.createElement("article");
  card.className = "leafspace";
  for (const [tag, text, style] of [["h1", title, ""], ["p", detail, "ls-lead"], ["p", small, "ls-small"]]) {
    const element = document.createElement(tag);
    element.textContent = text;
    if (style) element.className = style;
    card.append(element);
  }
  return card;
}

document.querySelector(".find").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = document.getElementById("find").value.trim();
  const part = IDS[id.slice(0, 4)];
  if (part) location.hash = `#/${part}/${encodeURIComponent(id)}`;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    document.getElementById("find").focus();
  }
});
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("lock").addEventListener("click", lock);
addEventListener("hashchange", () => show({ keepFocus: history.state?.keepFocus === true }));
applyTheme();
watchKey(show);
show();
