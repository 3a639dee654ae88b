// The board: the game's picture with places to point at on top. It knows no game: the server says
// which places there are, and which sequences of them (ways) mean which action.

import { byId, colour, element, refill, shape } from "./dom.js";

const DRAG = 6; // pixels that a pointer moves before it drags
const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Board {
  constructor(root, play) {
    this.root = root;
    this.play = play;
    this.picked = [];
    this.words = [];
    this.shown = null;
    this.picture = element("div", { class: "picture" });
    this.arrows = shape("svg", { class: "arrows", "aria-hidden": "true" });
    this.spots = element("div", { class: "spots", role: "group" });
    this.buttons = new Map();
    root.append(this.picture, this.arrows, this.spots);
    this.spots.addEventListener("keydown", (event) => this.walk(event));
    this.spots.addEventListener("pointerdown", (event) => this.grab(event));
    // A click leaves no focus on the board, so that the arrow keys step through the game; whoever comes
    // by keyboard walks with them from place to place.
    this.spots.addEventListener("mousedown", (event) => {
      event.preventDefault();
      document.activeElement?.blur();
    });
  }

  show(game) {
    const { board } = game;
    const before = this.shown;
    this.shown = game;
    this.ways = board.ways || [];
    const isNew = board.svg !== null;
    if (isNew) this.draw(board);
    this.place(board);
    this.spots.setAttribute("aria-label", `Board: ${board.alt}`);
    this.picture.setAttribute("aria-label", board.alt);
    const isStep = before && before.game === game.game && game.at === before.at + 1;
    if (isStep && isNew) this.animate(board);
    this.dragged = false;
    if (this.picked.length && !this.starts(this.picked).length) this.picked = [];
    this.mark();
  }

  draw(board) {
    this.picture.innerHTML = board.svg;
    const svg = this.picture.querySelector("svg");
    const [, , width, height] = (svg.getAttribute("viewBox") || "0 0 1 1").split(/[ ,]+/).map(Number);
    this.size = [width, height];
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    this.picture.setAttribute("role", "img");
    this.root.style.aspectRatio = `${width} / ${height}`;
    this.arrows.setAttribute("viewBox", `0 0 ${width} ${height}`);
    // A drawing of one's own says what may be clicked: <g data-action="3">.
    for (const part of svg.querySelectorAll("[data-action]")) {
      const action = Number(part.getAttribute("data-action"));
      part.setAttribute("role", "button");
      part.setAttribute("tabindex", "0");
      if (!part.hasAttribute("aria-label")) part.setAttribute("aria-label", `action ${action}`);
      const go = () => this.isLegal(action) && this.play(action);
      part.addEventListener("click", go);
      part.addEventListener("keydown", (event) => event.key === "Enter" && go());
    }
    this.hasOwnParts = svg.querySelector("[data-action]") !== null;
  }

  isLegal(action) {
    return (this.shown.board.legal || []).some(([each]) => each === action);
  }

  // Buttons are kept from picture to picture, so that the focus stays where it is.
  place(board) {
    const names = new Set(board.spots.map(([name]) => name));
    for (const [name, button] of this.buttons) {
      if (!names.has(name)) {
        button.remove();
        this.buttons.delete(name);
      }
    }
    this.boxes = new Map();
    for (const [name, label, left, top, width, height] of board.spots) {
      let button = this.buttons.get(name);
      if (!button) {
        button = element("button", { type: "button", class: "spot", "data-spot": name, tabindex: "-1" });
        button.addEventListener("click", (event) => event.detail === 0 && this.point(name));
        this.buttons.set(name, button);
        this.spots.append(button);
      }
      this.boxes.set(name, { left, top, width, height, label });
      const style = `left:${100 * left}%;top:${100 * top}%;width:${100 * width}%;height:${100 * height}%`;
      if (button.getAttribute("style") !== style) button.setAttribute("style", style);
    }
    const first = board.spots.find(([name]) => name === this.focused) || board.spots[0];
    if (first) this.focused = first[0];
  }

  middle(name) {
    const box = this.boxes.get(name);
    if (!box) return null;
    return [(box.left + box.width / 2) * this.size[0], (box.top + box.height / 2) * this.size[1]];
  }

  starts(path) {
    return this.ways.filter(([, way]) => path.every((name, k) => way[k] === name));
  }

  // Marks what is picked and where it may go on to, for eyes and for screen readers.
  mark() {
    const depth = this.picked.length;
    const next = new Set(this.starts(this.picked).map(([, way]) => way[depth]));
    const moved = new Set(this.shown.board.moved || []);
    for (const [name, button] of this.buttons) {
      const isPicked = this.picked.includes(name);
      const isNext = next.has(name) && depth > 0;
      const mayBegin = depth === 0 && next.has(name);
      const isTarget = isNext || (mayBegin && this.starts([name]).every(([, way]) => way.length === 1));
      button.classList.toggle("picked", isPicked);
      button.classList.toggle("target", isTarget);
      button.classList.toggle("grip", this.starts([name]).some(([, way]) => way.length > 1));
      button.classList.toggle("moved", moved.has(name));
      button.tabIndex = name === this.focused ? 0 : -1;
      const told = isPicked ? ", picked" : isTarget ? ", possible" : mayBegin ? ", can move" : "";
      const label = this.boxes.get(name).label + told;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
  }

  // A place was pointed at.
  point(name) {
    const path = [...this.picked, name];
    let found = this.starts(path);
    if (!found.length || this.picked.at(-1) === name) {
      this.picked = this.picked.at(-1) !== name && this.starts([name]).length ? [name] : [];
      found = this.picked.length ? this.starts(this.picked) : [];
      if (!found.some(([, way]) => way.length === 1)) {
        this.mark();
        return;
      }
    } else {
      this.picked = path;
    }
    const whole = found.filter(([, way]) => way.length === this.picked.length);
    if (whole.length) this.finish(whole);
    else this.mark();
  }

  async finish(whole) {
    this.picked = [];
    const actions = [...new Set(whole.map(([action]) => action))];
    const action = actions.length === 1 ? actions[0] : await this.choose(whole);
    this.mark();
    if (action !== null) this.play(action);
  }

  choose(ways) {
    const dialog = byId("choice");
    return new Promise((resolve) => {
      const settle = (action) => {
        dialog.close();
        resolve(action);
      };
      refill(dialog, ...ways.map(([action, , label, icon]) => element(
        "button", { type: "button", onclick: () => settle(action) },
        icon ? shape("svg", { viewBox: "0 0 100 100", class: "icon", "aria-hidden": "true" },
          shape("use", { href: `#${icon}` })) : null,
        label || String(action),
      )));
      dialog.oncancel = () => resolve(null);
      dialog.onclick = (event) => event.target === dialog && settle(null);
      dialog.showModal();
    });
  }

  grab(event) {
    const button = event.target.closest(".spot");
    if (!button || event.button > 0) return;
    const name = button.dataset.spot;
    const from = [event.clientX, event.clientY];
    const begins = this.starts([name]).some(([, way]) => way.length > 1);
    const thing = begins ? this.thingIn(name) : null;
    let dragging = false;
    this.focused = name;
    const move = (moved) => {
      const [x, y] = [moved.clientX - from[0], moved.clientY - from[1]];
      if (!dragging && begins && Math.hypot(x, y) > DRAG) {
        dragging = true;
        this.picked = [name];
        this.mark();
        if (thing) thing.parentNode.append(thing);
      }
      if (dragging && thing) {
        const matrix = thing.parentNode.getScreenCTM();
        thing.setAttribute("transform", `translate(${x / matrix.a} ${y / matrix.d})`);
      }
    };
    const up = (ended) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
      if (thing) thing.removeAttribute("transform");
      if (ended.type === "pointercancel") return;
      if (!dragging) {
        this.point(name);
        return;
      }
      const over = this.at(ended.clientX, ended.clientY);
      if (over && over !== name && this.starts([name, over]).length) {
        this.dragged = true;
        this.point(over);
      } else {
        this.picked = [];
        this.mark();
      }
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
  }

  at(x, y) {
    const found = document.elementsFromPoint(x, y).find((each) => each.classList.contains("spot"));
    return found ? found.dataset.spot : null;
  }

  // The drawings of what stands on a spot: the stamps whose middles lie in it, the last on top.
  thingsIn(name) {
    const spot = this.buttons.get(name).getBoundingClientRect();
    const inside = (each) => {
      const box = each.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const fits = box.width <= 1.3 * spot.width + 4 || box.height <= 1.3 * spot.height + 4;
      return fits && x >= spot.left && x <= spot.right && y >= spot.top && y <= spot.bottom;
    };
    return [...this.picture.querySelectorAll("use")].filter(inside);
  }

  thingIn(name) {
    return this.thingsIn(name).at(-1) || null;
  }

  // What was played into a spot comes down to where it lies.
  fall(name) {
    const top = (each) => each.getBoundingClientRect().top;
    const thing = this.thingsIn(name).sort((a, b) => top(a) - top(b))[0];
    if (!thing) return;
    const height = top(thing) + thing.getBoundingClientRect().height - this.buttons.get(name).getBoundingClientRect().top;
    const scale = thing.parentNode.getScreenCTM().a;
    thing.animate(
      [{ transform: `translateY(${-height / scale}px)` }, { transform: "none" }],
      { duration: 90 + 14 * Math.sqrt(height), easing: "cubic-bezier(.5, 0, 1, .8)" },
    );
  }

  // The arrow keys walk from spot to spot, unless the game itself is played with them.
  walk(event) {
    const step = STEPS[event.key];
    if (!step || (this.shown.board.keys || []).some(({ key }) => key === event.key)) {
      if (event.key === "Escape") {
        this.picked = [];
        this.mark();
      }
      return;
    }
    const here = this.middle(this.focused);
    let [best, least] = [null, Infinity];
    for (const name of this.buttons.keys()) {
      const [x, y] = this.middle(name);
      const ahead = (x - here[0]) * step[0] + (y - here[1]) * step[1];
      const aside = Math.abs((x - here[0]) * step[1]) + Math.abs((y - here[1]) * step[0]);
      if (ahead > 1 && ahead + 2 * aside < least) [best, least] = [name, ahead + 2 * aside];
    }
    event.preventDefault();
    if (!best) return;
    this.focused = best;
    this.mark();
    this.buttons.get(best).focus();
  }

  animate(board) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const path = board.moved || [];
    const [from, to] = [this.middle(path[0]), this.middle(path.at(-1))];
    if (path.length > 1 && from && to && !this.dragged) {
      const thing = this.thingIn(path.at(-1));
      const scale = thing && thing.parentNode.getScreenCTM().a / this.picture.firstChild.getScreenCTM().a;
      if (thing) {
        thing.animate(
          [{ transform: `translate(${(from[0] - to[0]) / scale}px, ${(from[1] - to[1]) / scale}px)` }, { transform: "none" }],
          { duration: 160, easing: "ease-out" },
        );
      }
    }
    if (board.falls && path.length === 1 && this.buttons.has(path[0])) this.fall(path[0]);
    for (const name of board.blast || []) {
      const middle = this.middle(name);
      if (!middle) continue;
      const radius = (this.boxes.get(name).width * this.size[0]) / 2;
      const burst = shape("circle", { cx: middle[0], cy: middle[1], r: radius, class: "burst" });
      this.arrows.append(burst);
      burst.animate(
        [{ opacity: 0.95, r: `${radius * 0.2}px` }, { opacity: 0, r: `${radius * 1.25}px` }],
        { duration: 750, easing: "ease-out" },
      ).finished.finally(() => burst.remove());
    }
  }

  // Arrows, or discs where a move is one place: the wider the more visited.
  point_out(moves, tint = 0) {
    const drawn = [];
    const unit = Math.min(...this.size) / 100;
    for (const move of moves.slice(0, 5)) {
      if (move.share < 0.04 || !move.path || !move.path.length) continue;
      const [from, to] = [this.middle(move.path[0]), this.middle(move.path.at(-1))];
      if (!from || !to) continue;
      const look = { stroke: colour(tint), fill: colour(tint), opacity: 0.25 + 0.6 * move.share };
      const wide = unit * (0.6 + 2.4 * move.share);
      if (move.path.length === 1) {
        const y = Math.min(to[1], this.size[1] * 0.97);
        drawn.push(shape("circle", { cx: to[0], cy: y, r: unit * (1.5 + 5 * move.share), ...look, stroke: "none" }));
        continue;
      }
      const [x, y] = [to[0] - from[0], to[1] - from[1]];
      const long = Math.hypot(x, y);
      const [u, v] = [x / long, y / long];
      const tip = wide * 2.2;
      const neck = [to[0] - u * tip, to[1] - v * tip];
      drawn.push(shape("g", look,
        shape("line", { x1: from[0] + u * unit * 3, y1: from[1] + v * unit * 3, x2: neck[0], y2: neck[1], "stroke-width": wide, "stroke-linecap": "round" }),
        shape("path", { stroke: "none", d: `M${to[0]} ${to[1]}L${neck[0] - v * tip * 0.75} ${neck[1] + u * tip * 0.75}L${neck[0] + v * tip * 0.75} ${neck[1] - u * tip * 0.75}z` }),
      ));
    }
    const bursts = [...this.arrows.querySelectorAll(".burst")];
    this.arrows.replaceChildren(...drawn, ...bursts);
  }
}
