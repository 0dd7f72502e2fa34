/**
 * The frame of the page: it fetches views that the service drew, shows them, and wires what moves.
 *
 * `#/models/mdl_1` shows the part `../page/parts/models/mdl_1`; every address in a drawing has this form.
 */
import { askKey, key, keyRedeemed, lock, watchKey } from "./login.js";
import { listen } from "./keys.js";
import { away, failure } from "./failures.js";
import { wire } from "./views.js";
import { applyTheme, turnTheme } from "./theme.js";

const WAIT_BEFORE_LINE = 300; // milliseconds

const main = document.getElementById("main");
const waiting = document.querySelector(".waiting");
const policy = globalThis.trustedTypes?.createPolicy("leafspace", { createHTML: (text) => text });
let current = 0;

/** Return the nodes of a drawing. Scripts and handlers in it would not run: it has none, and the policy refuses them. */
function nodes(html) {
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
  return [...parsed.body.childNodes];
}

/**
 * Call the service with the key; a missing or refused key asks for one and tries again. A service that is out of reach
 * is answered for; what fails is a call that its own signal ended.
 */
async function call(path, options = {}) {
  for (;;) {
    const own = key() ? { Authorization: `Bearer ${key()}` } : {};
    const answer = await fetch(`..${path}`, { ...options, headers: { ...options.headers, ...own } }).catch((error) => {
      if (options.signal?.aborted) throw error;
      return away();
    });
    if (answer.status !== 401) return answer;
    await askKey(key() ? "This key is not known, or was revoked." : "");
  }
}

/** Say something to those who hear the page. */
function say(text) { document.getElementById("said").textContent = text; }

/** Show the view of the address. */
async function show({ keepFocus = false } = {}) {
  const turn = ++current;
  const path = location.hash.replace(/^#\/?/, "") || "overview";
  const line = setTimeout(() => { waiting.hidden = false; }, WAIT_BEFORE_LINE);
  const focused = keepFocus ? document.activeElement?.dataset?.feature : undefined;
  const again = () => turn === current && show({ keepFocus: true });
  let answer = await call(`/page/parts/${path}`);
  const text = await answer.text().catch(() => { answer = away(); return answer.text(); });
  clearTimeout(line);
  if (turn !== current) return;
  waiting.hidden = true;
  main.replaceChildren(...(answer.ok ? nodes(text) : [failure(answer, text, again)]));
  const heading = main.querySelector("h1");
  document.title = heading ? `${heading.textContent} · Leafspace` : "Leafspace";
  const field = focused && main.querySelector(`[data-feature="${CSS.escape(focused)}"]`);
  if (field) field.focus();
  else if (turn > 1 && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  if (!keepFocus) scrollTo(0, 0);
  wire(main, { show, call, nodes, say });
}

document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
document.getElementById("theme").addEventListener("click", turnTheme);
document.getElementById("lock").addEventListener("click", lock);
addEventListener("hashchange", () => show({ keepFocus: history.state?.keepFocus === true }));
applyTheme();
listen();
watchKey();
keyRedeemed().catch(() => {}).finally(show);
