/** The map: rows as dots on a canvas over the still picture. Hover names a row, a click explains it, a lasso lists. */
const INSET = 18, NEAR = 12, MOST_LISTED = 200, PAGE = 1000;
const SHAPES = [circle, square, triangle, wedge];

/** Wire a map, if there is one. */
export async function wireMap(main, frame) {
  const plane = main.querySelector("[data-map]");
  if (!plane) return;
  const rows = await allRows(plane.dataset.map, frame);
  if (rows && plane.isConnected) new Plane(plane, rows, frame);
}

async function allRows(id, { call }) {
  const rows = [];
  for (let cursor = ""; cursor !== null;) {
    const answer = await call(`/v1/maps/${id}/content?limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    if (!answer.ok) return null; // the still picture remains
    const page = await answer.json();
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

class Plane {
  constructor(plane, rows, frame) {
    const words = JSON.parse(plane.dataset.words ?? "{}");
    Object.assign(this, { plane, rows, frame, chosen: -1, lasso: [], named: (row) => named(row, words) });
    const legend = [...plane.querySelectorAll("[data-label]")];
    this.labels = legend.map((each) => each.dataset.label);
    this.tokens = legend.map((each) => each.dataset.token);
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Map of ${rows.length} rows. Arrows go from row to row, Enter explains.`);
    this.name = document.createElement("p");
    this.name.className = "ls-small ls-named";
    this.name.textContent = "\u00a0";
    plane.querySelector(".ls-canvas").replaceChildren(this.canvas, this.name);
    this.colour = plane.querySelector("[data-colour]");
    this.colour?.addEventListener("change", () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.moved(event));
    this.canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    this.canvas.addEventListener("pointerup", (event) => this.released(event));
    this.canvas.addEventListener("keydown", (event) => this.typed(event));
    new ResizeObserver(() => this.fit()).observe(plane);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.fit();
  }

  /** Place all rows in the room that there is; both axes have one scale. */
  fit() {
    const width = Math.min(1100, this.plane.querySelector(".ls-canvas").clientWidth);
    if (!width) return;
    const height = Math.round(width * 0.75);
    const ratio = devicePixelRatio || 1;
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    const [left, right] = ends(this.rows, "x"), [low, high] = ends(this.rows, "y");
    const wide = right - left || 1, tall = high - low || 1;
    const scale = Math.min((width - 2 * INSET) / wide, (height - 2 * INSET) / tall);
    const x0 = (width - scale * wide) / 2, y0 = (height - scale * tall) / 2;
    this.places = this.rows.map((row) => [x0 + scale * (row.x - left), y0 + scale * (high - row.y)]);
    this.size = { width, height, ratio };
    this.draw();
  }

  draw() {
    const { width, height, ratio } = this.size;
    const pen = this.canvas.getContext("2d");
    const kinds = new Map();
    const colourOf = (text) => {
      if (!kinds.has(text)) kinds.set(text, resolved(this.plane, text));
      return kinds.get(text);
    };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const by = this.colour?.value ?? "label";
    const ranks = this.labels.length ? null : ranked(this.rows);
    this.rows.forEach((row, index) => {
      const [x, y] = this.places[index];
      const isError = by === "error" && isWrong(row);
      const label = row.outcome ?? (by === "label" ? row.label : null) ?? row.predicted_label;
      const number = this.labels.indexOf(label);
      pen.globalAlpha = ranks ? 0.2 + 0.8 * ranks[index] : by === "error" && !isError ? 0.5 : 0.8;
      const token = ranks ? "--leaf" : by === "error" ? (isError ? "--warn" : "--line") : this.tokens[number] ?? "--c-other";
      pen.fillStyle = colourOf(token);
      pen.beginPath();
      SHAPES[by === "error" ? Number(isError) : Math.max(0, number) % SHAPES.length](pen, x, y, 3);
      pen.fill();
    });
    pen.globalAlpha = 1;
    pen.textAlign = "center";
    pen.font = "10px sans-serif";
    const ink = colourOf("--ink"), paper = colourOf("--paper");
    this.rows.forEach((row, index) => {
      if (row.prototype_rank === null && index !== this.chosen) return;
      const [x, y] = this.places[index];
      pen.beginPath();
      pen.arc(x, y, 8, 0, 7);
      pen.lineWidth = index === this.chosen ? 3 : 1.5;
      pen.strokeStyle = index === this.chosen ? colourOf("--focus") : ink;
      if (row.prototype_rank !== null) { pen.fillStyle = paper; pen.fill(); }
      pen.stroke();
      pen.fillStyle = ink;
      if (row.prototype_rank !== null) pen.fillText(row.prototype_rank, x, y + 3.5);
    });
    if (this.lasso.length > 1) {
      pen.beginPath();
      this.lasso.forEach(([x, y]) => pen.lineTo(x, y));
      pen.closePath();
      pen.strokeStyle = colourOf("--focus");
      pen.stroke();
    }
  }

  choose(index) {
    if (index === this.chosen) return;
    this.chosen = index;
    this.name.textContent = index < 0 ? "\u00a0" : this.named(this.rows[index]);
    this.canvas.style.cursor = index < 0 ? "crosshair" : "pointer";
    this.draw();
  }

  moved(event) {
    const at = [event.offsetX, event.offsetY];
    if (this.lasso.length) {
      this.lasso.push(at);
      this.draw();
    } else this.choose(this.nearest(at));
  }

  pressed(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.lasso = [[event.offsetX, event.offsetY]];
  }

  released(event) {
    const drawn = this.lasso;
    this.lasso = [];
    if (drawn.length < 4) this.open(this.nearest([event.offsetX, event.offsetY]));
    else this.list(this.rows.filter((_, index) => isInside(this.places[index], drawn)));
    this.draw();
  }

  nearest([x, y]) {
    let best = -1, least = NEAR * NEAR;
    this.places.forEach(([px, py], index) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [best, least] = [index, distance];
    });
    return best;
  }

  /** Arrows go to the nearest row in their direction; Enter explains it. */
  typed(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter") this.open(this.chosen);
    if (!step) return;
    event.preventDefault();
    const [x, y] = this.places[this.chosen] ?? [this.size.width / 2, this.size.height / 2];
    let best = this.chosen, least = Infinity;
    this.places.forEach(([px, py], index) => {
      const along = (px - x) * step[0] + (py - y) * step[1], aside = Math.abs((px - x) * step[1]) + Math.abs((py - y) * step[0]);
      if (along > 0.5 && along + 2 * aside < least) [best, least] = [index, along + 2 * aside];
    });
    this.choose(best);
    if (best >= 0) this.frame.say(this.named(this.rows[best]));
  }

  open(index) {
    const row = this.rows[index], address = row && this.address(row);
    if (address) location.hash = address;
    else if (row) this.list([row]);
  }

  address(row) {
    const { explainer, dataset } = this.plane.dataset;
    return explainer && `#/explainers/${explainer}/rows/${encodeURIComponent(row.row_id)}?dataset=${dataset}`;
  }

  /** List rows below the map. */
  list(rows) {
    const place = this.plane.querySelector("[data-listed]");
    const title = document.createElement("h2");
    title.textContent = `${rows.length} ${rows.length === 1 ? "row" : "rows"} chosen`;
    const items = document.createElement("ul");
    items.className = "ls-chosen-rows";
    for (const row of rows.slice(0, MOST_LISTED)) {
      const item = document.createElement("li");
      const address = this.address(row), text = document.createElement(address ? "a" : "span");
      if (address) text.href = address;
      text.textContent = this.named(row);
      item.append(text);
      items.append(item);
    }
    const more = document.createElement("p");
    more.className = "ls-small";
    more.textContent = rows.length > MOST_LISTED ? `and ${rows.length - MOST_LISTED} more` : "";
    place.replaceChildren(title, items, more);
    this.frame.say(title.textContent);
  }
}

function isWrong(row) {
  return row.label !== null && row.label !== row.predicted_label;
}

function named(row, words) {
  const said = (label) => words[label] ?? label;
  const digits = Math.max(4, `${Math.trunc(row.value)}`.length);
  const known = row.value?.toLocaleString("en", { maximumSignificantDigits: digits }) ?? said(row.label ?? row.predicted_label);
  const value = row.outcome === null ? known : `${said(row.outcome)} (${known})`;
  const differs = isWrong(row) ? `, predicted ${said(row.predicted_label)}` : "";
  return `row ${row.row_id}: ${value}${differs}${row.prototype_rank === null ? "" : `, prototype ${row.prototype_rank}`}`;
}

/** Return a token's colour in the present theme: a canvas knows no light-dark(). */
function resolved(element, token) {
  const probe = document.createElement("i");
  probe.hidden = true;
  probe.style.color = `var(${token})`;
  element.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function ends(rows, axis) {
  return rows.reduce(([low, high], row) => [Math.min(low, row[axis]), Math.max(high, row[axis])], [Infinity, -Infinity]);
}

function ranked(rows) {
  const order = rows.map((_, index) => index).sort((a, b) => rows[a].value - rows[b].value);
  const ranks = [];
  order.forEach((index, rank) => { ranks[index] = rank / Math.max(1, rows.length - 1); });
  return ranks;
}

/** Return whether a place is inside a polygon: a ray from it crosses the border an odd number of times. */
function isInside([x, y], polygon) {
  return polygon.reduce((inside, [x1, y1], index) => {
    const [x2, y2] = polygon.at(index - 1);
    return (y1 > y) !== (y2 > y) && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1 ? !inside : inside;
  }, false);
}

function circle(pen, x, y, r) { pen.arc(x, y, r, 0, 7); }
function square(pen, x, y, r) { pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8); }
function triangle(pen, x, y, r) { pen.moveTo(x, y - r * 1.2); pen.lineTo(x + r * 1.15, y + r * 0.9); pen.lineTo(x - r * 1.15, y + r * 0.9); pen.closePath(); }
function wedge(pen, x, y, r) { triangle(pen, x, y, -r); }
