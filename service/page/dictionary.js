/** The form of a dictionary: what it shows is merged into the words that there are, which are replaced as a whole. */
const ENTRY = /^\/(features|outcomes)\/(\d+)/;

export function wireDictionary(main, { call, show, say }) {
  const form = main.querySelector("[data-dictionary]");
  if (!form) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const place of form.querySelectorAll("[data-problem-of], [data-problem]")) place.textContent = "";
    const words = JSON.parse(form.dataset.words);
    for (const part of ["features", "outcomes"]) words[part] = merged(form, part, words[part] ?? []);
    const { revision } = form.dataset;
    const state = revision ? { "If-Match": `"${revision}"` } : { "If-None-Match": "*" };
    const headers = { "Content-Type": "application/json", ...state };
    const answer = await call(form.dataset.dictionary, { method: "PUT", headers, body: JSON.stringify(words) });
    if (!answer.ok) { refuse(form, words, await answer.json().catch(() => ({}))); return; }
    await show({ keepFocus: true });
    say("Saved.");
  });
}

/** Return the entries of a part of the dictionary with what the form says of those that it shows. */
function merged(form, part, entries) {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  for (const shown of form.querySelectorAll(`[data-part="${part}"]`)) {
    const name = shown.dataset.entry;
    const entry = { ...byName.get(name), name };
    for (const field of shown.querySelectorAll("[data-word]")) {
      const { type } = field;
      const value = type === "checkbox" ? field.checked : type === "number" ? field.valueAsNumber : field.value.trim();
      if (value || value === 0) entry[field.dataset.word] = value;
      else delete entry[field.dataset.word];
    }
    const labelled = [...shown.querySelectorAll("[data-value]")].map((field) => [field.dataset.value, field.value.trim()]);
    const added = shown.querySelector("[data-new-value]");
    if (added?.value.trim()) labelled.push([added.value.trim(), shown.querySelector("[data-new-label]").value.trim()]);
    const seen = new Set(labelled.map(([value]) => value));
    const values = labelled.filter(([, label]) => label).map(([value, label]) => ({ value, label }));
    const kept = (entry.values ?? []).filter(({ value }) => !seen.has(value));
    if (values.length || kept.length) entry.values = [...values, ...kept];
    else delete entry.values;
    if (Object.keys(entry).length > 1) byName.set(name, entry);
    else byName.delete(name);
  }
  return [...byName.values()];
}

/** Say why the words were refused: beside the entries that are named, and the rest at the end. */
function refuse(form, words, problem) {
  const places = new Map();
  for (const { pointer, detail } of problem.errors ?? []) {
    const [, part, index] = ENTRY.exec(pointer) ?? [];
    const name = part && words[part][index]?.name;
    const shown = part && form.querySelector(`[data-part="${part}"][data-entry="${CSS.escape(name)}"] [data-problem-of]`);
    if (shown) places.set(shown, detail);
  }
  for (const [shown, detail] of places) shown.textContent = detail;
  form.querySelector("[data-problem]").textContent = places.size ? "Not saved: see above." : problem.detail ?? "It was not saved; try again in a moment.";
  const [first] = places.keys();
  (first?.closest("fieldset").querySelector("input") ?? form.querySelector("button")).focus();
}
