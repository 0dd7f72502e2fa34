/** Light or dark: as the system says, until the button says otherwise. */
const NAME = "leafspace-theme";

/** Show the theme that was chosen. */
export function applyTheme() {
  const chosen = localStorage.getItem(NAME);
  if (chosen) document.documentElement.dataset.theme = chosen;
}

/** Choose the other theme. */
export function turnTheme() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = document.documentElement.dataset.theme ?? (isDark ? "dark" : "light");
  localStorage.setItem(NAME, shown === "dark" ? "light" : "dark");
  applyTheme();
}
