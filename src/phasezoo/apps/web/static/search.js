// What those who think have found: value, visits, lines, and how leaves were split over experts.

import { colour, element, percent, refill, signed } from "./dom.js";

export function showSearch(root, game) {
  if (!game.analyses.length) {
    refill(root, element("p", { class: "quiet" }, game.thinking.length ? "thinking …" : game.over && game.at === game.ply ? "The game is over here." : "Nobody has searched this position. Choose an agent and press Analyse."));
    return;
  }
  refill(root, ...game.analyses.map((analysis) => showAnalysis(analysis, game)));
}

function showAnalysis(analysis, game) {
  const who = game.sides[analysis.player] || `Player ${analysis.player}`;
  return element("article", { class: "analysis", "aria-busy": analysis.live ? "true" : "false" },
    element("h3", {}, `${who}: `, element("span", { class: "agent", title: analysis.agent }, analysis.agent || ""), analysis.past ? element("small", {}, " before the last move") : null, analysis.live ? element("span", { class: "pulse", title: "thinking" }) : null),
    element("p", { class: "facts" }, ...facts(analysis)),
    split(analysis),
    analysis.moves.length ? table(analysis) : null,
    lines(analysis),
  );
}

function facts(analysis) {
  const found = [fact("value", signed(analysis.value), "for who searches, from −1 to 1")];
  if (analysis.proven) found.push(fact("proven", analysis.proven));
  if (analysis.nodes) found.push(fact("nodes", analysis.nodes.toLocaleString("en")));
  if (analysis.simulations && analysis.simulations !== analysis.nodes) found.push(fact("simulations", analysis.simulations.toLocaleString("en")));
  if (analysis.nodes && analysis.seconds > 0.05) found.push(fact("a second", Math.round((analysis.nodes || analysis.simulations) / analysis.seconds).toLocaleString("en")));
  if (analysis.depth) found.push(fact("depth", analysis.seldepth ? `${analysis.depth}/${analysis.seldepth}` : analysis.depth));
  if (analysis.seconds !== undefined) found.push(fact("seconds", analysis.seconds.toFixed(1)));
  if (analysis.mean_rows) found.push(fact("rows a call", analysis.mean_rows.toFixed(1)));
  if (analysis.phases) found.push(fact("phase", analysis.phases[analysis.phase]));
  if (analysis.expert) found.push(fact("expert", analysis.expert));
  if (analysis.ended && !analysis.live) found.push(fact("ended by", analysis.ended));
  return found;
}

function fact(name, value, title) {
  return element("span", { title }, element("small", {}, name), ` ${value}`);
}

// How the leaves were split over the experts.
function split(analysis) {
  const rows = Object.entries(analysis.experts || {});
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  const order = analysis.phases || [];
  rows.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const told = rows.map(([name, count]) => `${name} ${percent(count / total)}`).join(", ");
  return element("div", { class: "split" },
    element("div", { class: "splitbar", role: "img", "aria-label": `leaves by expert: ${told}` },
      ...rows.map(([name, count]) => element("i", { style: `flex:${count};background:${colour(Math.max(order.indexOf(name), 0))}`, title: `${name}: ${count} rows` }))),
    element("p", { class: "legend" }, "leaves by expert: ", ...rows.map(([name, count]) => element("span", {},
      element("i", { class: "swatch", style: `background:${colour(Math.max(order.indexOf(name), 0))}` }), `${name} ${count} (${percent(count / total)})`)),
    analysis.off_phase ? element("span", {}, `${analysis.off_phase} by another phase's expert`) : null,
    analysis.regated ? element("span", {}, `${analysis.regated} where the two gates differ`) : null),
  );
}

function table(analysis) {
  const hasPriors = analysis.moves.some((move) => move.prior !== null);
  return element("table", { class: "visits" },
    element("thead", {}, element("tr", {}, ...["move", "share", "visits", "Q", hasPriors ? "prior" : null].filter((each) => each !== null).map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...analysis.moves.slice(0, 6).map((move) => element("tr", { class: move.action === analysis.action ? "best" : null },
      element("th", { scope: "row" }, move.name),
      element("td", { class: "share" }, element("div", { class: "meter" }, element("i", { style: `width:${100 * move.share}%` }), hasPriors ? element("b", { style: `left:${100 * move.prior}%`, title: "prior" }) : null)),
      element("td", {}, `${move.visits.toLocaleString("en")}`),
      element("td", {}, signed(move.q)),
      hasPriors ? element("td", {}, percent(move.prior ?? 0)) : null,
    ))));
}

function lines(analysis) {
  if (!analysis.lines.length) return null;
  return element("ol", { class: "lines", "aria-label": "best lines" }, ...analysis.lines.map((line) => element("li", {},
    line.q === null ? null : element("b", {}, signed(line.q)), ` ${line.moves.join(" ")}`)));
}

// The value of the position for the first of two players, and where it comes from; else null.
export function valueOfFirst(game) {
  if (game.sides.length !== 2) return null;
  const analysis = game.analyses.find(({ value }) => value !== null && value !== undefined);
  if (analysis) return analysis.player === 0 ? analysis.value : -analysis.value;
  for (let ply = game.at - 1; ply >= 0; ply -= 1) {
    const value = first(game.values[ply]);
    if (value !== null) return value;
  }
  return null;
}

export function first(values) {
  if (values[0] !== null && values[0] !== undefined) return values[0];
  return values[1] === null || values[1] === undefined ? null : -values[1];
}

export function showBar(bar, game) {
  // It is there from the beginning, so that the board does not move when the first value comes.
  bar.hidden = game.sides.length !== 2;
  const value = valueOfFirst(game);
  const share = 50 + 50 * (value ?? 0);
  bar.querySelector("i").style.height = `${game.flipped ? 100 - share : share}%`;
  bar.classList.toggle("turned", Boolean(game.flipped));
  bar.querySelector("b").textContent = value === null ? "" : signed(value);
  bar.setAttribute("aria-label", value === null ? "value: not known yet" : `value ${signed(value)} for ${game.sides[0]}, from −1 to 1`);
}
