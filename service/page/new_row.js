/** The form of a row that is not in the data: its address has the values, and rows that are pasted are read. */
import { refusal } from "./failures.js";

const MOST_BYTES = 256 * 1024;

export function wireNewRow(main, { call, nodes, say }) {
  const form = main.querySelector("[data-new-row]");
  if (!form) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = [...new FormData(form)].filter(([, text]) => text !== "").map(([name, text]) => [`of.${name}`, text]);
    location.hash = `${form.dataset.newRow}?${new URLSearchParams(values)}`;
  });
  const text = main.querySelector("[data-paste]");
  const read = () => readRows(main, text.value, text.dataset.paste, { call, nodes, say });
  main.querySelector('[data-action="paste"]').addEventListener("click", read);
  main.querySelector("[data-paste-file]").addEventListener("change", async ({ target: { files: [file] } }) => {
    if (!file) return;
    if (file.size > MOST_BYTES) { problem(main, `The file has ${file.size} bytes; at most ${MOST_BYTES} are read.`); return; }
    text.value = await file.text();
    await read();
  });
}

/** Show what is decided of the rows of a text; of one alone, go to its view. */
async function readRows(main, text, path, { call, nodes, say }) {
  problem(main, "");
  const headers = { "Content-Type": "application/json" };
  const answer = await call(path, { method: "POST", headers, body: JSON.stringify({ text }) });
  if (!answer.ok) { problem(main, await refusal(answer)); return; }
  const place = main.querySelector("[data-pasted]");
  place.replaceChildren(...nodes(await answer.text()));
  const only = place.querySelector("[data-open]");
  if (only) location.hash = only.dataset.open;
  else say(place.querySelector("h2").textContent);
}

function problem(main, text) { main.querySelector("[data-problem]").textContent = text; }
