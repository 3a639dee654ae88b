// Lines of a run's numbers: losses, games, what versions can, their ladder.

import { colour, element, shape } from "./dom.js";

const [WIDTH, HEIGHT] = [420, 150];
const EDGE = 6; // room above the highest and below the lowest value
const STEPS = ["positions", "update", "step"];

export function charts({ columns, probes, ladder }) {
  const names = Object.keys(columns);
  const axis = STEPS.find((name) => name in columns);
  const x = axis ? columns[axis] : columns[names[0]]?.map((_, at) => at) || [];
  const groups = new Map();
  for (const name of names) {
    if (STEPS.includes(name)) continue;
    const parts = name.split("/");
    const leaf = parts.at(-1);
    // What is measured in the same unit shares a picture.
    const group = leaf.includes("loss") || leaf.includes("mse") ? "losses" : leaf.includes("accuracy") ? "accuracy"
      : parts.length > 1 ? parts[0] : name;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push({ name, points: columns[name].map((value, at) => [x[at] ?? at, value]) });
  }
  const order = ["losses", "accuracy"];
  const sorted = [...groups].sort(([a], [b]) => (order.indexOf(b) - order.indexOf(a)));
  const shown = sorted.map(([title, lines]) => chart(title, lines, axis || "row"));
  return [...rated(ladder), ...versions("what versions can", probes), ...shown];
}

// The ladder: Elo of versions above the first, with the ends of its 95 % interval.
function rated(rows) {
  return versions("Elo above version 0, and the ends of its 95 % interval", rows);
}

// Rows of versions: each number is a line, told apart by the row's short texts.
function versions(title, rows) {
  if (!rows.length) return [];
  const lines = new Map();
  for (const row of rows) {
    const version = row.version ?? row.update;
    if (version === undefined) continue;
    const texts = Object.values(row).filter((value) => typeof value === "string" && value.length <= 16);
    for (const [name, value] of flat(row)) {
      if (["version", "update", "seed", "positions", "games", "seconds"].includes(name)) continue;
      const key = [...texts, name].join(" ");
      if (!lines.has(key)) lines.set(key, []);
      lines.get(key).push([version, value]);
    }
  }
  const known = [...lines].map(([name, points]) => ({ name, points }));
  return known.length ? [chart(title, known.slice(0, 8), "version")] : [];
}

function flat(row, before = "") {
  return Object.entries(row).flatMap(([name, value]) => {
    if (typeof value === "number" && Number.isFinite(value)) return [[before + name, value]];
    return value && typeof value === "object" && !Array.isArray(value) ? flat(value, name === "numbers" ? before : `${before}${name}, `) : [];
  });
}

function chart(title, lines, axis) {
  const known = lines.map((line) => ({ ...line, points: line.points.filter(([, value]) => value !== null) })).filter(({ points }) => points.length).slice(0, 8);
  const all = known.flatMap(({ points }) => points);
  const [left, right] = reach(all.map(([at]) => at));
  const [low, high] = reach(all.map(([, value]) => value));
  const height = (value) => HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE);
  const heights = [high, (low + high) / 2, low];
  const place = ([at, value]) => `${(((at - left) / (right - left)) * WIDTH).toFixed(1)},${height(value).toFixed(1)}`;
  const newest = known.map(({ name, points }) => `${name} ${short(points.at(-1)[1])}`).join(", ");
  return element("figure", { class: "curve" },
    element("figcaption", {}, element("b", {}, title)),
    // The picture is stretched, its labels are not: they stand beside it.
    element("div", { class: "plot" },
      element("div", { class: "heights", "aria-hidden": "true" }, ...heights.map((value) => element("span", {}, short(value)))),
      shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${title} by ${axis}, from ${short(low)} to ${short(high)}: now ${newest}` },
      ...heights.map((value) => shape("line", { class: "grid", x1: 0, x2: WIDTH, y1: height(value), y2: height(value) })),
      ...known.map(({ points }, number) => shape("polyline", { points: points.length > 1 ? points.map(place).join(" ") : `${place(points[0])} ${WIDTH},${place(points[0]).split(",")[1]}`, style: `stroke:${colour(number)}` }))),
      element("div", { class: "steps", "aria-hidden": "true" }, element("span", {}, short(left)), element("span", {}, axis), element("span", {}, short(right)))),
    element("p", { class: "legend" }, ...known.map(({ name, points }, number) => element("span", {},
      element("i", { class: "swatch", style: `background:${colour(number)}` }), `${name} ${short(points.at(-1)[1])}`))),
  );
}

function reach(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

const short = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString());
