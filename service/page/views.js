/**
 * What moves inside views. A part of the page that moves in a way of its own is a function here or in a module beside
 * this: it gets the view that was just shown, and the frame's `show`, `call`, `nodes` and `say`.
 */
import { refusal } from "./failures.js";
import { followJobs, wireCancel } from "./progress.js";
import { wireCurves } from "./curves.js";
import { wireDictionary } from "./dictionary.js";
import { wireMap } from "./map.js";
import { wireNewRow } from "./new_row.js";
import { wirePaper } from "./paper.js";
import { wireUpload } from "./upload.js";
import { wireReview } from "./queue.js";

const WIRES = [
  wireAddress, wireCalls, wireRequests, wireCancel, followJobs, wireReview, wireMap, wireNewRow, wireCurves, wirePaper, wireDictionary, wireUpload,
];

/** Wire a view that was just shown. */
export function wire(main, frame) {
  for (const each of WIRES) each(main, frame);
}

/** Call `act` with each button of an action that is clicked. */
export function onClick(main, action, act) {
  for (const button of main.querySelectorAll(`[data-action="${action}"]`)) {
    button.addEventListener("click", (event) => act(button, event));
  }
}

/** Change parameters of the address, so that every state of a view has one; the focus stays where it is. */
export function go(changed, keep = () => true) {
  const [path, query = ""] = location.hash.split("?");
  const parameters = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => keep(name)));
  for (const [name, value] of Object.entries(changed)) parameters.set(name, value);
  const text = parameters.toString();
  history.pushState({ keepFocus: true }, "", text ? `${path}?${text}` : path);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Fields and buttons that change the address. */
function wireAddress(main) {
  onClick(main, "choose", (button) => go({ k: button.dataset.rank }));
  onClick(main, "undo", ({ dataset: { name: one } }) => go({}, (name) => (one ? name !== `set.${one}` : !name.startsWith("set."))));
  onClick(main, "try", (button) => go(JSON.parse(button.dataset.values)));
  onClick(main, "answer", (button) => go({ [`set.${button.dataset.name}`]: button.dataset.value }));
  for (const field of main.querySelectorAll("[data-feature]")) {
    field.addEventListener("change", () => go({ [`set.${field.dataset.feature}`]: field.value }));
  }
  for (const field of main.querySelectorAll("[data-go]")) {
    field.addEventListener("change", () => { if (field.value) location.hash = field.dataset.go + encodeURIComponent(field.value); });
  }
  for (const form of main.querySelectorAll("form[data-query]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      location.hash = `${form.dataset.query}?${new URLSearchParams([...new FormData(form)].filter(([, text]) => text))}`;
    });
  }
  for (const field of main.querySelectorAll("[data-parameter]")) {
    field.addEventListener("change", () => go({ [field.dataset.parameter]: field.value }));
  }
}

/** The same by the API: JSON as a file, and lines to copy with the address of this service. */
function wireCalls(main, { call, say }) {
  const service = new URL("..", location.href).href.replace(/\/$/, "");
  onClick(main, "copy", async (button) => {
    await navigator.clipboard.writeText(button.dataset.text.replace("SERVICE", service));
    say("Copied.");
    button.dataset.done = "";
  });
  onClick(main, "json", async (link, event) => {
    event.preventDefault();
    const answer = await call(link.getAttribute("href").slice(2));
    if (!answer.ok) { say(await refusal(answer)); return; }
    const address = URL.createObjectURL(await answer.blob());
    Object.assign(document.createElement("a"), { href: address, download: link.dataset.file ?? `${document.title}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
}

/** Request what a form or a button asks for, and go to what is made: its view follows the job. */
function wireRequests(main, { call, show }) {
  const request = async (asking, button, body) => {
    const { path, part, method } = asking.dataset;
    button.disabled = true;
    const headers = { "Content-Type": "application/json" };
    const answer = await call(path, { method: method ?? "POST", headers, body: JSON.stringify(body) });
    button.disabled = false;
    if (answer.ok && method) show(); // what is here was changed
    else if (answer.ok) location.hash = `#/${part}/${(await answer.json()).id}`;
    else asking.parentElement.querySelector("[data-problem]").textContent = await refusal(answer);
  };
  for (const form of main.querySelectorAll('form[data-action="request"]')) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      request(form, form.querySelector("button"), bodyOf(form));
    });
  }
  for (const button of main.querySelectorAll('button[data-action="request"]')) {
    button.addEventListener("click", () => request(button, button, JSON.parse(button.dataset.body)));
  }
}

/** Return what a form requests: its body, and its fields. */
function bodyOf(form) {
  const body = JSON.parse(form.dataset.body);
  for (const field of form.querySelectorAll("[data-field]")) {
    const { field: name, list } = field.dataset;
    const text = field.value.trim();
    if (field.type === "checkbox") { if (field.checked) body[name].push(text); }
    else if (!text) delete body[name];
    else if (list !== undefined) body[name] = list ? [text] : text.split(",").map((each) => each.trim()).filter(Boolean);
    else body[name] = field.type === "number" ? field.valueAsNumber : text;
  }
  return body;
}
