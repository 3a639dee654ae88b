// What those who think have found: value, visits, lines, and how leaves were split over experts.

import { colour, element, percent, refill, signed } from "./dom.js";

export function showSearch(root, game) {
  if (!game.thoughts.length) {
    refill(root, element("p", { class: "quiet" }, game.thinking.length ? "thinking …" : game.over && game.at === game.ply ? "The game is over here." : "Nobody has searched this position. Choose an agent and press Analyse."));
    return;
  }
  refill(root, ...game.thoughts.map((thought) => showThought(thought, game)));
}

function showThought(thought, game) {
  const who = game.sides[thought.player] || `Player ${thought.player}`;
  return element("article", { class: "thought", "aria-busy": thought.live ? "true" : "false" },
    element("h3", {}, `${who}: `, element("span", { class: "agent", title: thought.agent }, thought.agent || ""), thought.past ? element("small", {}, " before the last move") : null, thought.live ? element("span", { class: "pulse", title: "thinking" }) : null),
    element("p", { class: "facts" }, ...facts(thought)),
    split(thought),
    thought.moves.length ? table(thought) : null,
    lines(thought),
  );
}

function facts(thought) {
  const found = [fact("value", signed(thought.value), "for who searches, from −1 to 1")];
  if (thought.proven) found.push(fact("proven", thought.proven));
  if (thought.nodes) found.push(fact("nodes", thought.nodes.toLocaleString("en")));
  if (thought.simulations && thought.simulations !== thought.nodes) found.push(fact("simulations", thought.simulations.toLocaleString("en")));
  if (thought.nodes && thought.seconds > 0.05) found.push(fact("a second", Math.round((thought.nodes || thought.simulations) / thought.seconds).toLocaleString("en")));
  if (thought.depth) found.push(fact("depth", thought.seldepth ? `${thought.depth}/${thought.seldepth}` : thought.depth));
  if (thought.seconds !== undefined) found.push(fact("seconds", thought.seconds.toFixed(1)));
  if (thought.mean_rows) found.push(fact("rows a call", thought.mean_rows.toFixed(1)));
  if (thought.phases) found.push(fact("phase", thought.phases[thought.phase]));
  if (thought.expert) found.push(fact("expert", thought.expert));
  if (thought.ended && !thought.live) found.push(fact("ended by", thought.ended));
  return found;
}

function fact(name, value, title) {
  return element("span", { title }, element("small", {}, name), ` ${value}`);
}

// How the leaves were split over the experts.
function split(thought) {
  const rows = Object.entries(thought.experts || {});
  const total = rows.reduce((sum, [, count]) => sum + count, 0);
  if (!total) return null;
  const order = thought.phases || [];
  rows.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const told = rows.map(([name, count]) => `${name} ${percent(count / total)}`).join(", ");
  return element("div", { class: "split" },
    element("div", { class: "splitbar", role: "img", "aria-label": `leaves by expert: ${told}` },
      ...rows.map(([name, count]) => element("i", { style: `flex:${count};background:${colour(Math.max(order.indexOf(name), 0))}`, title: `${name}: ${count} rows` }))),
    element("p", { class: "legend" }, "leaves by expert: ", ...rows.map(([name, count]) => element("span", {},
      element("i", { class: "swatch", style: `background:${colour(Math.max(order.indexOf(name), 0))}` }), `${name} ${count} (${percent(count / total)})`)),
    thought.off_phase ? element("span", {}, `${thought.off_phase} by another phase's expert`) : null,
    thought.regated ? element("span", {}, `${thought.regated} where the two gates differ`) : null),
  );
}

function table(thought) {
  const hasPriors = thought.moves.some((move) => move.prior !== null);
  return element("table", { class: "visits" },
    element("thead", {}, element("tr", {}, ...["move", "share", "visits", "Q", hasPriors ? "prior" : null].filter((each) => each !== null).map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...thought.moves.slice(0, 6).map((move) => element("tr", { class: move.action === thought.action ? "best" : null },
      element("th", { scope: "row" }, move.name),
      element("td", { class: "share" }, element("div", { class: "meter" }, element("i", { style: `width:${100 * move.share}%` }), hasPriors ? element("b", { style: `left:${100 * move.prior}%`, title: "prior" }) : null)),
      element("td", {}, `${move.visits.toLocaleString("en")}`),
      element("td", {}, signed(move.q)),
      hasPriors ? element("td", {}, percent(move.prior ?? 0)) : null,
    ))));
}

function lines(thought) {
  if (!thought.lines.length) return null;
  return element("ol", { class: "lines", "aria-label": "best lines" }, ...thought.lines.map((line) => element("li", {},
    line.q === null ? null : element("b", {}, signed(line.q)), ` ${line.moves.join(" ")}`)));
}

// The value of the position for the first of two players, and where it comes from; else null.
export function valueOfFirst(game) {
  if (game.sides.length !== 2) return null;
  const thought = game.thoughts.find(({ value }) => value !== null && value !== undefined);
  if (thought) return thought.player === 0 ? thought.value : -thought.value;
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
