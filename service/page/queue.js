/** The review of labels, by keys or buttons: each decision is written by the API, and leads to the next row. */
import { refusal } from "./failures.js";

const KEYS = { a: "accept", k: "keep", u: "unsure" };
const undone = []; // what was in force before each decision of this tab, the last at the end
let listening = null;

/** Wire a row under review, if there is one. */
export function wireReview(main, frame) {
  listening?.abort();
  const view = main.querySelector("[data-review]");
  if (!view) return;
  listening = new AbortController();
  const review = new Review(view, frame);
  document.addEventListener("keydown", (event) => review.pressed(event), { signal: listening.signal });
  for (const button of view.querySelectorAll("[data-decision]")) {
    button.addEventListener("click", () => review.decide({ decision: button.dataset.decision }));
  }
  view.querySelector("[data-relabel]").addEventListener("change", (event) => {
    if (event.target.value) review.decide({ decision: "relabel", label: event.target.value });
  });
  view.querySelector("[data-undo]").addEventListener("click", () => review.undo());
  view.querySelector("[data-unfold]")?.addEventListener("click", (event) => {
    view.querySelector("[data-unfolded]").hidden = false;
    event.target.parentElement.remove();
  });
  for (const button of view.querySelectorAll("[data-export]")) {
    button.addEventListener("click", () => review.export(button.dataset.export));
  }
}

class Review {
  constructor(view, frame) {
    this.view = view;
    this.frame = frame;
    this.path = `/v1/label-audits/${view.dataset.review}/decisions`;
    this.isBusy = false;
  }

  /** Take a key, unless it is meant for a field. */
  pressed(event) {
    const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isField || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (KEYS[key]) this.view.querySelector(`[data-decision="${KEYS[key]}"]`)?.click();
    else if (key === "r") this.view.querySelector("[data-relabel]").focus();
    else if (key === "j") this.go(this.view.dataset.following);
    else if (key === "l") this.go(this.view.dataset.previous);
    else if (key === "z") this.undo();
    else return;
    event.preventDefault();
  }

  /** Write a decision, and go to the next row without one. */
  async decide(decision) {
    const { row, entry, decided, before } = this.view.dataset;
    const condition = entry ? { "If-Match": `"${entry}"` } : { "If-None-Match": "*" };
    const isWritten = await this.write(row, "PUT", decision, condition);
    if (!isWritten) return;
    undone.push({ path: this.path, row, before: decided ? JSON.parse(before) : null });
    this.frame.say(`Row ${row}: ${decision.decision}.`);
    this.go(this.view.dataset.undecided ?? row);
  }

  /** Take the last decision back: what was in force before it is written again. */
  async undo() {
    const { row, decided } = this.view.dataset;
    const isOwn = undone.at(-1)?.path === this.path;
    const last = isOwn ? undone.at(-1) : decided && { row, before: null };
    if (!last) return;
    const isWritten = last.before ? await this.write(last.row, "PUT", last.before) : await this.write(last.row, "DELETE");
    if (!isWritten) return;
    if (isOwn) undone.pop();
    this.frame.say(`Row ${last.row}: taken back.`);
    this.go(last.row);
  }

  /** Call the API; what it refuses stands beside the buttons. */
  async write(row, method, body, headers = {}) {
    if (this.isBusy) return false;
    this.isBusy = true;
    const content = body ? { body: JSON.stringify(body) } : {};
    const types = body ? { "Content-Type": "application/json" } : {};
    const answer = await this.frame.call(`${this.path}/${row}`, { method, ...content, headers: { ...types, ...headers } });
    if (!answer.ok) this.refuse(await refusal(answer));
    this.isBusy = false;
    return answer.ok;
  }

  refuse(detail) {
    const place = this.view.querySelector("[data-refusal]");
    place.textContent = detail;
    place.hidden = false;
    this.frame.say(detail);
  }

  /** Show a row; the same one is drawn again. */
  go(row) {
    if (row === undefined) return;
    const address = `#/reviews/${this.view.dataset.review}?row=${row}`;
    if (location.hash === address) this.frame.show({ keepFocus: true });
    else location.hash = address;
  }

  /** Save all rows with their labels before and after. */
  async export(form) {
    const answer = await this.frame.call(`${this.path}/export?format=${form}`);
    if (!answer.ok) { this.refuse(await refusal(answer)); return; }
    const address = URL.createObjectURL(await answer.blob());
    Object.assign(document.createElement("a"), { href: address, download: `labels.${form}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}
