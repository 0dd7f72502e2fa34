/** The key: kept in this tab's session alone; tabs hand it to each other, and forget it together. */
const NAME = "leafspace-key";
const IDLE = 12 * 60 * 60 * 1000; // milliseconds until it is forgotten
const channel = new BroadcastChannel("leafspace");
const dialog = document.getElementById("login");
let asked = null;
let idle = 0;

/** Return the key, or null. */
export function key() { return sessionStorage.getItem(NAME); }

/** Keep a key, and show that there is one. */
function keep(value) {
  sessionStorage.setItem(NAME, value);
  document.getElementById("lock").hidden = false;
}

/** Forget the key, here and in all other tabs. */
export function lock() {
  forget();
  channel.postMessage({ forget: true });
  location.reload();
}

function forget() { sessionStorage.removeItem(NAME); }

/** Take the key that a program hands over: the address has a code for it, which is redeemed once and taken away. */
export async function keyRedeemed() {
  const [path, query = ""] = location.hash.split("?");
  const parameters = new URLSearchParams(query);
  const code = parameters.get("code");
  if (!code) return;
  parameters.delete("code");
  const rest = parameters.toString();
  history.replaceState(null, "", rest ? `${path}?${rest}` : path);
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("../page/codes/redeem", { method: "POST", headers, body: JSON.stringify({ code }) });
  if (answer.ok) keep((await answer.json()).key);
}

/** Ask for a key; the promise is kept when one was given. */
export function askKey(why) {
  if (why) document.getElementById("login-why").textContent = why;
  asked ??= new Promise((given) => {
    const form = dialog.querySelector("form");
    const field = document.getElementById("key");
    const take = (value) => {
      form.removeEventListener("submit", submitted);
      if (dialog.open) dialog.close();
      keep(value);
      asked = null;
      given();
    };
    const submitted = (event) => {
      event.preventDefault();
      const value = field.value.trim();
      field.value = "";
      if (value) take(value);
    };
    form.addEventListener("submit", submitted);
    channel.onmessage = ({ data }) => {
      if (data.key && asked) take(data.key);
      else answer(data);
    };
    if (!key()) channel.postMessage({ wanted: true });
    forget();
    if (!dialog.open) dialog.showModal();
    field.focus();
  });
  return asked;
}

function answer(data) {
  if (data.wanted && key()) channel.postMessage({ key: key() });
  if (data.forget && key()) { forget(); location.reload(); }
}

/** Follow other tabs, and forget the key after half a day without a touch. */
export function watchKey() {
  channel.onmessage = ({ data }) => answer(data);
  document.getElementById("lock").hidden = !key();
  const touched = () => {
    clearTimeout(idle);
    idle = setTimeout(() => key() && lock(), IDLE);
  };
  addEventListener("keydown", touched);
  addEventListener("pointerdown", touched);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  touched();
}
