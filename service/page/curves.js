/** Curves on which the row is moved: the exact score at every step, and the row explained with that value if wanted. */
import { go } from "./views.js";

export function wireCurves(main) {
  for (const slider of main.querySelectorAll("[data-steps]")) {
    const figure = slider.closest("figure");
    const steps = JSON.parse(slider.dataset.steps);
    const own = Number(slider.value);
    const [output, button] = [figure.querySelector("output"), figure.querySelector("button")];
    slider.setAttribute("aria-valuetext", said(steps[own]));
    slider.addEventListener("input", () => {
      const at = Number(slider.value);
      output.textContent = said(steps[at]);
      slider.setAttribute("aria-valuetext", said(steps[at]));
      button.hidden = at === own;
      move(figure.querySelector(".ls-own"), steps[own], steps[at]);
    });
    button.addEventListener("click", () => go({ [`set.${button.dataset.name}`]: steps[Number(slider.value)][0] }));
  }
}

function said([, value, score]) { return `${value}: score ${score}`; }

function move(mark, [, , , fromX, fromY], [, , , toX, toY]) {
  mark.setAttribute("transform", `translate(${toX - fromX} ${toY - fromY})`);
}
