/** What is shown instead of a view: why there is none, and what to do. */
const WHAT_TO_DO = {
  403: "Lock the page and open it with a key that has this scope, or have one made.",
  404: "There is no such view, or what it shows was deleted. The overview lists what there is.",
  409: "It is not ready, or was changed meanwhile.",
};
const AGAIN_AFTER = "3"; // seconds, where the service does not answer

/** Return the answer of a service that gives none, in the form of its own problems. */
export function away() {
  const problem = { title: "No answer", detail: "The service does not answer; it may be starting again.", code: "unreachable" };
  return Response.json(problem, { status: 503, headers: { "Retry-After": AGAIN_AFTER } });
}

/** Return why something was refused, in a sentence for the place where it was asked for. */
export async function refusal(answer) {
  const { detail } = await answer.json().catch(() => ({})); // a proxy's answer is no problem document
  return detail ?? `The status is ${answer.status}; try again in a moment.`;
}

/** Return a card about an answer that is a problem; `again` is called when the service said to come back. */
export function failure(answer, text, again) {
  let problem = {};
  try { problem = JSON.parse(text); } catch { /* not a problem of the service's own: a proxy answered */ }
  const title = problem.title ?? "The service did not answer as expected";
  const about = `code ${problem.code ?? answer.status} · request ${answer.headers.get("X-Request-Id") ?? "unknown"}`;
  const wait = Number(answer.headers.get("Retry-After"));
  const card = notice(title, problem.detail ?? `The status is ${answer.status}.`, WHAT_TO_DO[answer.status] ?? "", about);
  return wait > 0 ? countDown(card, Math.min(wait, 60), again) : card;
}

/** Have a card count seconds down, and then try again. */
function countDown(card, seconds, again) {
  const line = element("p", "", "ls-small");
  card.append(line);
  const step = (left) => {
    line.textContent = left > 0 ? `Trying again in ${left} s.` : "Trying again …";
    if (left > 0) setTimeout(() => card.isConnected && step(left - 1), 1000);
    else again();
  };
  step(Math.ceil(seconds));
  return card;
}

function notice(title, detail, todo, about) {
  const card = document.createElement("article");
  card.className = "leafspace";
  card.setAttribute("role", "alert");
  card.append(element("h1", title), element("p", detail, "ls-lead"));
  if (todo) card.append(element("p", todo));
  if (about) card.append(element("p", about, "ls-small"));
  const back = element("a", "Overview");
  back.href = "#/";
  card.append(back);
  return card;
}

function element(tag, text, style = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}
