// The list of moves: the first line, and its variations indented. Moves are numbered in pairs where
// the game has such notation; in others players may move several times in a row.

import { element, refill, signed } from "./dom.js";
import { first } from "./search.js";

export function showMoves(list, game, inPairs, ended, goTo, switchTo) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.position : null;
  const plies = new Map(game.line.map((position, ply) => [position, ply]));
  const shown = game.line[game.at];
  // Without variations the line is all there is.
  const tree = game.tree.length ? game.tree : game.moves.map((name, ply) => [game.line[ply + 1], game.line[ply], name]);
  const children = new Map();
  for (const [position, before, name] of tree) {
    if (!children.has(before)) children.set(before, []);
    children.get(before).push({ position, name });
  }

  const move = ({ position, name }, ply, isFirst) => {
    const counted = ply + game.plies_before;
    const second = inPairs && counted % 2;
    const number = inPairs ? `${Math.floor(counted / 2) + 1}${second ? "…" : "."}` : `${ply + 1}.`;
    return element("li", {}, element("button", {
      type: "button", class: position === shown ? "now" : null, "data-position": position,
      "aria-current": position === shown ? "step" : null,
      onclick: () => (plies.has(position) ? goTo(plies.get(position)) : switchTo(position)),
    }, isFirst || !second ? element("small", {}, `${number} `) : null, name), valueAfter(game, plies.get(position)));
  };
  const lineFrom = (before, ply, first = null) => {
    const items = [];
    let isFirst = true;
    for (let options = first ? [first] : children.get(before) || []; options.length; ply += 1) {
      const [main, ...others] = options;
      items.push(move(main, ply, isFirst));
      isFirst = others.length > 0;
      for (const other of others) {
        items.push(element("li", { class: "variation" }, element("ol", { class: "moves", "aria-label": `variation at move ${other.name}` }, ...lineFrom(before, ply, other))));
      }
      before = main.position;
      options = children.get(before) || [];
    }
    return items;
  };

  refill(list, ...lineFrom(game.line[0], 0));
  if (ended && game.at === game.ply) list.append(element("li", { class: "over" }, ended));
  if (focused !== null) list.querySelector(`[data-position="${focused}"]`)?.focus({ preventScroll: true });
  const now = list.querySelector(".now");
  if (now) list.scrollTop += now.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
}

// The value of a position of the line for the first of two players, if it was searched.
function valueAfter(game, ply) {
  if (ply === undefined || game.sides.length !== 2 || !game.values[ply]) return null;
  const value = first(game.values[ply]);
  return value === null ? null : element("small", { class: "value", title: `value for ${game.sides[0]} after the move` }, signed(value));
}
