/** Forms that register a file: its progress is shown, and a refusal stands beside its field, in the API's words. */
import { askKey, key } from "./login.js";

export function wireUpload(main, { say }) {
  for (const form of main.querySelectorAll("[data-upload]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      for (const place of form.querySelectorAll("[data-problem-of], [data-problem]")) place.textContent = "";
      const button = form.querySelector("button");
      button.disabled = true;
      let { status, answer } = await send(form, say);
      while (status === 401) {
        await askKey(key() ? "This key is not known, or was revoked." : "");
        ({ status, answer } = await send(form, say));
      }
      button.disabled = false;
      if (status < 300 && answer.id) location.hash = `#/${form.dataset.part}/${answer.id}`;
      else refuse(form, status, answer);
    });
  }
}

/** Send the file and its metadata; the progress of a request is only known by XMLHttpRequest. */
function send(form, say) {
  const body = new FormData();
  body.append("file", form.querySelector('[type="file"]').files[0]);
  body.append("metadata", JSON.stringify(metadataOf(form)));
  const progress = form.querySelector("progress");
  progress.hidden = false;
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", `..${form.dataset.upload}`);
    if (key()) request.setRequestHeader("Authorization", `Bearer ${key()}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => { progress.value = total ? loaded / total : 0; });
    request.upload.addEventListener("load", () => { progress.removeAttribute("value"); say("Sent. It is being checked."); });
    request.addEventListener("loadend", () => {
      progress.hidden = true;
      progress.value = 0;
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* no answer of the service's own */ }
      done({ status: request.status || 503, answer });
    });
    request.send(body);
  });
}

/** Return the fields of a form that have something in them. */
function metadataOf(form) {
  const metadata = {};
  for (const field of form.querySelectorAll("[data-field]")) {
    const { field: name, list, of } = field.dataset;
    const text = field.value.trim();
    const parts = list === undefined ? text : text.split(",").map((each) => each.trim()).filter(Boolean);
    const value = field.type === "checkbox" ? field.dataset.word !== "no" : list === "bands" ? parts.map(bandOf) : parts;
    if (field.type === "checkbox" ? field.checked : text) (of ? (metadata[of] ??= {}) : metadata)[name] = value;
  }
  return metadata;
}

/** Return a band, which is written as "refer below 0.35"; the last has no end. */
function bandOf(text) {
  const [outcome, below] = text.split(/\s+below\s+/);
  return below === undefined ? { outcome } : { outcome, below: Number(below) };
}

/** Say why it was refused: beside the fields that the problem names or mentions, or else below the form. */
function refuse(form, status, { detail, errors = [] }) {
  const text = detail ?? `The service did not take the file (status ${status}); try again in a moment.`;
  let isSaid = false;
  // A refusal of a column begins with the field that named it.
  const named = errors.length ? errors : [{ pointer: `/${text.split(":")[0]}`, detail: text }];
  for (const { pointer, detail: why } of named) {
    const name = pointer.replace("/metadata", "").split("/")[1];
    const place = form.querySelector(`[data-problem-of="${CSS.escape(name ?? "")}"]`);
    if (place) { place.textContent = why; isSaid = true; }
  }
  if (!isSaid) form.querySelector("[data-problem]").textContent = text;
}
