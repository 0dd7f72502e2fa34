/** Jobs that are followed while a view shows them: one stream of all changes, and a look now and then without it. */
import { refusal } from "./failures.js";
import { onClick } from "./views.js";

const LOOK_AGAIN = 5000; // milliseconds, where the stream broke off
const LOOK_ONCE = 2000;
const AT_MOST_EVERY = 400;
let left = new AbortController();

/** Follow the jobs of a view, if it has any. */
export function followJobs(main, frame) {
  left.abort();
  left = new AbortController();
  if (main.querySelector('[data-live="jobs"]')) follow(() => drawJobs(main, frame), frame, left.signal);
  if (main.querySelector('[data-live="job"]')) follow(() => frame.show({ keepFocus: true }), frame, left.signal);
}

/** Call `draw` after changes of any job, until the view is left. */
async function follow(draw, { call }, signal) {
  let isDue = false;
  const note = () => {
    if (isDue || signal.aborted) return;
    isDue = true;
    setTimeout(() => { isDue = false; if (!signal.aborted) draw(); }, AT_MOST_EVERY);
  };
  while (!signal.aborted) {
    try {
      const answer = await call("/v1/jobs/events", { signal, headers: { Accept: "text/event-stream" } });
      if (!answer.ok) throw new Error(answer.status);
      setTimeout(note, LOOK_ONCE); // what ended before the stream began is not in it
      for await (const text of texts(answer.body)) if (text.includes("event:")) note();
    } catch { /* the service is away, or the view was left */ }
    if (signal.aborted) return;
    await new Promise((done) => { setTimeout(done, LOOK_AGAIN); });
    note();
  }
}

/** Yield what a stream says as it comes. */
async function* texts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Draw the jobs again, in their place; screen readers say it tenth by tenth. */
async function drawJobs(main, frame) {
  const { call, nodes, say } = frame;
  const shown = main.querySelector('[data-live="jobs"]');
  const answer = await call("/page/parts/jobs");
  if (!answer.ok || !shown?.isConnected) return;
  const drawn = document.createDocumentFragment();
  drawn.append(...nodes(await answer.text()));
  const next = drawn.querySelector('[data-live="jobs"]');
  if (next.dataset.tenths !== shown.dataset.tenths) say(next.dataset.said);
  const focused = shown.contains(document.activeElement) ? document.activeElement.dataset.path : undefined;
  next.querySelector("[data-problem]").textContent = shown.querySelector("[data-problem]").textContent;
  shown.replaceWith(next);
  wireCancel(next, frame);
  if (focused) (next.querySelector(`[data-path="${CSS.escape(focused)}"]`) ?? main).focus();
}

/** Cancel a job once that is confirmed; the stream of jobs shows that it has ended. */
export function wireCancel(part, { call, show }) {
  onClick(part, "cancel", async (button) => {
    if (!confirm(button.dataset.confirm)) return;
    const answer = await call(button.dataset.path, { method: "POST" });
    if (answer.ok) show({ keepFocus: true });
    else part.querySelector("[data-problem]").textContent = await refusal(answer);
  });
}
