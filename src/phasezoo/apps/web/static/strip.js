// The phase strip: the phase of every ply by one gate or two, how its leaves were split over the
// experts, and the values that searches gave, all above the same plies.

import { colour, counted, element, refill, shape } from "./dom.js";
import { first } from "./search.js";

const HIGH = { band: 16, gap: 3, split: 26, chart: 62 };

export function showStrip(root, game, hasGates, goTo, here) {
  const { gates, plies } = game.strip;
  const count = plies.length || game.moves.length + 1;
  const width = Math.max(40, count);
  const rows = [];
  let top = 0;
  gates.forEach((gate, number) => {
    rows.push(...band(plies, number, top));
    top += HIGH.band + HIGH.gap;
  });
  if (gates.length === 2) rows.push(...differences(plies));
  if (game.splits.some((each) => each)) {
    rows.push(...splits(game, top));
    top += HIGH.split + HIGH.gap;
  }
  rows.push(...chart(game, top, width));
  top += HIGH.chart;
  rows.push(shape("rect", { x: game.at, y: 0, width: 1, height: top, class: "now" }));
  const svg = shape("svg", { viewBox: `0 0 ${width} ${top}`, preserveAspectRatio: "none", class: "strip", style: `height:${top}px`, "aria-hidden": "true" }, ...rows);
  const slider = element("div", {
    class: "slider", role: "slider", tabindex: "0", "aria-label": "ply", "aria-valuemin": 0,
    "aria-valuemax": game.ply, "aria-valuenow": game.at, "aria-valuetext": told(game),
    onclick: (event) => {
      const box = svg.getBoundingClientRect();
      goTo(Math.floor(((event.clientX - box.left) / box.width) * width));
    },
    onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      goTo(here() + step);
    },
  }, svg);
  const had = root.querySelector(".slider") === document.activeElement && root.contains(document.activeElement);
  refill(root, legend(game, hasGates), slider, element("p", { class: "quiet now-told" }, told(game)));
  if (had) root.querySelector(".slider").focus();
}

function band(plies, number, top) {
  return runs(plies.map((phases) => phases[number])).map(({ from, to, value }) => shape("rect", {
    x: from, y: top, width: to - from, height: HIGH.band, fill: colour(value),
  }));
}

// Plies of one phase in a row are one rectangle.
function runs(values) {
  const found = [];
  values.forEach((value, at) => {
    const last = found.at(-1);
    if (last && last.value === value) last.to = at + 1;
    else found.push({ from: at, to: at + 1, value });
  });
  return found;
}

function differences(plies) {
  return runs(plies.map(([one, other]) => one !== other)).filter(({ value }) => value).map(({ from, to }) => shape("rect", {
    x: from, y: HIGH.band - 2, width: to - from, height: HIGH.gap + 4, class: "differ",
  }));
}

function splits(game, top) {
  const names = game.strip.gates[0] ? game.strip.gates[0].names : [];
  return game.splits.flatMap((split, ply) => {
    if (!split) return [];
    const rows = Object.entries(split.experts);
    const total = rows.reduce((sum, [, count]) => sum + count, 0);
    let y = top;
    rows.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
    return rows.map(([name, count]) => {
      const height = (HIGH.split * count) / total;
      y += height;
      return shape("rect", { x: ply, y: y - height, width: 1, height, fill: colour(Math.max(names.indexOf(name), 0)), opacity: 0.85 });
    });
  });
}

function chart(game, top, width) {
  const middle = top + HIGH.chart / 2;
  const half = HIGH.chart / 2 - 4;
  const players = game.sides.length === 2 ? [0] : game.sides.map((_, player) => player);
  const parts = [
    shape("rect", { x: 0, y: top, width, height: HIGH.chart, class: "chart" }),
    shape("line", { x1: 0, x2: width, y1: middle, y2: middle, class: "zero" }),
  ];
  // The phases by the first gate behind the line, and a mark where the next one begins.
  const phases = runs(game.strip.plies.map(([phase]) => phase)).filter(({ value }) => value !== undefined);
  for (const { from, to, value } of phases) {
    parts.push(shape("rect", { x: from, y: top, width: to - from, height: HIGH.chart, fill: colour(value), opacity: 0.18 }));
    if (from > 0) parts.push(shape("line", { x1: from, x2: from, y1: top, y2: top + HIGH.chart, class: "boundary" }));
  }
  for (const ply of disagreements(game)) {
    parts.push(shape("rect", { x: ply + 0.2, y: top + HIGH.chart - 6, width: 0.6, height: 6, class: "differ disagree" }));
  }
  for (const player of players) {
    const points = game.values.map((values, ply) => [ply, game.sides.length === 2 ? first(values) : values[player] ?? null]);
    const known = points.filter(([, value]) => value !== null);
    if (!known.length) continue;
    const line = known.map(([ply, value]) => `${ply + 0.5},${(middle - half * value).toFixed(1)}`).join(" ");
    parts.push(shape("polyline", { points: known.length > 1 ? line : `${line} ${known[0][0] + 1},${(middle - half * known[0][1]).toFixed(1)}`, class: "value", stroke: players.length > 1 ? colour(player) : null, style: players.length > 1 ? `stroke:${colour(player)}` : null }));
  }
  return parts;
}

// Plies at which the experts' policies play different moves; they are known after "Analyse game".
function disagreements(game) {
  return game.expert_moves.flatMap((moves, ply) => (moves && new Set(Object.values(moves)).size > 1 ? [ply] : []));
}

function legend(game, hasGates) {
  const { gates, plies } = game.strip;
  const differ = gates.length === 2 ? plies.filter(([one, other]) => one !== other).length : null;
  const names = gates.flatMap(({ names: each }) => each).filter((name, at, all) => all.indexOf(name) === at);
  return element("p", { class: "legend" },
    ...names.map((name) => {
      const index = gates.map(({ names: each }) => each.indexOf(name)).find((at) => at >= 0);
      return element("span", {}, element("i", { class: "swatch", style: `background:${colour(index)}` }), name);
    }),
    gates.length ? element("span", { class: "quiet" }, `by ${gates.map(({ spec }) => spec).join(" (above) and ")}${gates.length === 2 ? " (below)" : ""}`) : null,
    !gates.length && hasGates ? element("span", {}, "Choose a gate under “Game” to see the phase of every ply.") : null,
    differ === null ? null : element("span", { class: "differs" }, `they differ on ${differ} of ${counted(plies.length)}`),
    game.expert_moves.some(Boolean) ? element("span", { class: "differs" }, `experts disagree on ${disagreements(game).length} of ${counted(game.expert_moves.filter(Boolean).length)} (marked below)`) : null,
    game.sides.length === 2 && game.values.some((each) => first(each) !== null) ? element("span", { class: "quiet" }, `line: value for ${game.sides[0]}`) : null,
  );
}

function told(game) {
  const { gates, plies } = game.strip;
  const phases = gates.map((gate, number) => {
    const phase = plies[game.at]?.[number];
    return phase === undefined ? null : `${gate.names[phase]} by ${gate.spec}`;
  }).filter(Boolean);
  const split = game.splits[game.at];
  const parts = [`ply ${game.at} of ${game.ply}`, ...phases];
  if (split) parts.push(`the ${split.expert} expert answered for the root`);
  const moves = Object.entries(game.expert_moves[game.at] || {});
  if (moves.length) parts.push(`experts play ${moves.map(([name, move]) => `${move} (${name})`).join(", ")}`);
  return parts.join("; ");
}
