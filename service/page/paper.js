/** What leaves the page: a view that is printed, or copied as the text that it shows. */
import { onClick } from "./views.js";

const NOT_TEXT = ".ls-on-screen, button, select, svg, details > summary, .hidden";

export function wirePaper(main, { say }) {
  onClick(main, "print", () => print());
  onClick(main, "copy-text", async () => {
    await navigator.clipboard.writeText(textOf(main.querySelector("[data-copied]")));
    say("Copied.");
  });
}

/** Return what an element shows as lines of text, without tables and without what only a screen needs. */
export function textOf(shown) {
  const copy = shown.cloneNode(true);
  for (const each of copy.querySelectorAll(NOT_TEXT)) each.remove();
  const lines = [...copy.querySelectorAll("h1, h2, p, li")].filter((each) => !each.closest("table")).map(line);
  return `${lines.filter((each) => each.trim()).join("\n")}\n`;
}

function line(element) {
  const text = element.textContent.replace(/\s+/g, " ").trim();
  if (element.tagName === "H2") return `\n${text}`;
  if (element.tagName !== "LI" || !text) return text;
  const list = element.parentElement;
  const isNumbered = list.tagName === "OL" && !list.className;
  return `${isNumbered ? `${[...list.children].indexOf(element) + 1}.` : "-"} ${text}`;
}
