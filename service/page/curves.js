/**
 * Curves on which the row is moved: the exact score at every step, and the row explained with that value if wanted.
 * A slider's handle stands below the mark: it is drawn to the nearest step, and arrows go to the next.
 */
import { go } from "./views.js";

const ARROWS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

export function wireCurves(main) {
  for (const slider of main.querySelectorAll("[data-steps]")) {
    const figure = slider.closest("figure");
    const steps = JSON.parse(slider.dataset.steps);
    const own = Number(slider.dataset.own);
    const [output, button] = [figure.querySelector("output"), figure.querySelector("button")];
    let at = own;
    const said = ([, value, score]) => `${value}: ${slider.dataset.word} ${score}`;
    const to = (index) => {
      at = Math.min(Math.max(index, 0), steps.length - 1);
      slider.value = steps[at][3];
      output.textContent = said(steps[at]);
      slider.setAttribute("aria-valuetext", output.textContent);
      button.hidden = at === own;
      move(figure.querySelector(".ls-own"), steps[own], steps[at]);
    };
    slider.setAttribute("aria-valuetext", said(steps[own]));
    slider.addEventListener("input", () => {
      const away = steps.map(([, , , x]) => Math.abs(x - slider.value));
      to(away.indexOf(Math.min(...away)));
    });
    slider.addEventListener("keydown", (event) => {
      if (!ARROWS[event.key]) return;
      event.preventDefault();
      to(at + ARROWS[event.key]);
    });
    button.addEventListener("click", () => go({ [`set.${button.dataset.name}`]: steps[at][0] }));
  }
}

function move(mark, [, , , fromX, fromY], [, , , toX, toY]) {
  mark.setAttribute("transform", `translate(${toX - fromX} ${toY - fromY})`);
}
