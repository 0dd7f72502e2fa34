/** The keyboard: `/` finds, `?` lists the keys, `G` and another letter goes somewhere. */
import { PARTS } from "./parts.js";

const PLACES = { m: "#/", j: "#/jobs" };
const help = document.getElementById("help");
const find = document.getElementById("find");
let isGoing = false;

/** Begin to listen. */
export function listen() {
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || document.querySelector("dialog[open]")) return;
    const act = isGoing ? () => goTo(event.key) : ACTIONS[event.key];
    isGoing = !isGoing && event.key.toLowerCase() === "g";
    if (act) {
      event.preventDefault();
      event.stopImmediatePropagation(); // views have keys of their own
      act();
    }
  });
  document.querySelector(".find").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = find.value.trim();
    const part = /^[a-z]+_[a-z2-7]{26}$/.test(text) && PARTS[`${text.split("_")[0]}_`];
    if (part) location.hash = `#/${part}/${encodeURIComponent(text)}`;
    else if (text) location.hash = `#/found?name=${encodeURIComponent(text)}`;
  });
  document.getElementById("keys").addEventListener("click", () => help.showModal());
}

const ACTIONS = {
  "/": () => find.focus(),
  "?": () => help.showModal(),
};

/** Go to the place of a letter. */
function goTo(letter) {
  const place = PLACES[letter.toLowerCase()];
  if (place) location.hash = place;
}

function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
}
