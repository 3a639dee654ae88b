// Runs and finished games: what lies in the folders that the server was told of.

import { charts } from "./charts.js";
import { byId, element, refill } from "./dom.js";

const KINDS = { report: "report", training: "training", store: "games", pgn: "PGN", recording: "recording" };
const FOLLOW_MS = 3000;

export class StoredRuns {
  constructor(ask, opened) {
    Object.assign(this, { ask, opened, turn: 0 });
    this.dialog = byId("library");
    byId("library-close").onclick = () => this.dialog.close();
    this.dialog.addEventListener("close", () => this.forget());
    byId("root").onchange = () => this.list();
    byId("filter").oninput = () => this.show();
  }

  learn(hello) {
    this.roots = hello.storage;
  }

  open() {
    const chosen = byId("root").value;
    refill(byId("root"), ...this.roots.map((root) => element("option", { selected: root === chosen }, root)));
    this.dialog.showModal();
    return this.list();
  }

  get root() {
    return byId("root").value;
  }

  // Show no more of what was chosen: answers that are still on their way are not looked at.
  forget() {
    clearTimeout(this.timer);
    this.turn += 1;
  }

  // What a request answers; undefined if it fails, or if something else was chosen meanwhile.
  async tried(work) {
    const { turn } = this;
    byId("library-error").textContent = "";
    try {
      const found = await work();
      return turn === this.turn ? found : undefined;
    } catch (error) {
      if (turn === this.turn) byId("library-error").textContent = error.message;
      return undefined;
    }
  }

  async list() {
    this.forget();
    refill(byId("details"), element("p", { class: "quiet" }, "Choose something on the left."));
    const { turn } = this;
    const found = await this.tried(() => this.ask("storage", { root: this.root }));
    if (turn !== this.turn) return;
    this.items = found || [];
    this.show();
  }

  show() {
    const wanted = byId("filter").value.toLowerCase();
    const found = (this.items || []).filter(({ path }) => path.toLowerCase().includes(wanted));
    refill(byId("items"), ...found.map((item) => element("li", {}, item.kind === "report"
      ? element("a", { href: this.link(item.path), target: "_blank", rel: "noopener" }, ...this.words(item))
      : element("button", { type: "button", onclick: (event) => this.choose(item, event.currentTarget) }, ...this.words(item)))));
    if (!found.length) refill(byId("items"), element("li", { class: "quiet" }, "Nothing here: start the server with --runs DIR."));
  }

  words({ path, kind }) {
    return [element("small", {}, KINDS[kind]), " ", path];
  }

  link(path) {
    return `/report/${encodeURIComponent(this.root)}/${path.split("/").map(encodeURIComponent).join("/")}`;
  }

  choose(item, button) {
    this.forget();
    for (const each of byId("items").querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    if (item.kind === "training") return this.follow(item);
    return this.games(item, 0);
  }

  // The games of a store or file, a page at a time.
  async games(item, first) {
    this.forget();
    const found = await this.tried(() => this.ask("games", { root: this.root, path: item.path, first }));
    if (!found) return;
    const begin = (number) => this.begin(item, number);
    const last = first + found.games.length;
    refill(byId("details"),
      element("p", {}, `${found.total.toLocaleString("en")} ${found.total === 1 ? "game" : "games"} in ${item.path}`),
      element("table", { class: "games" },
        element("thead", {}, element("tr", {}, ...["game", "players", "plies", "returns"].map((name) => element("th", { scope: "col" }, name)))),
        element("tbody", {}, ...found.games.map((each) => element("tr", { onclick: () => begin(each.number) },
          element("td", {}, element("button", { type: "button", "aria-label": `open game ${each.number + 1}` }, String(each.number + 1))),
          element("td", {}, each.players ? each.players.map((name) => name || "?").join(" – ") : each.title || ""),
          element("td", {}, each.plies === null ? "" : String(each.plies)),
          element("td", {}, each.returns ? each.returns.map((value) => (value > 0 ? "+1" : value < 0 ? "−1" : "0")).join(" ") : ""),
        )))),
      element("div", { class: "controls" },
        element("button", { type: "button", disabled: first === 0, onclick: () => this.games(item, Math.max(0, first - 200)) }, "Earlier"),
        element("button", { type: "button", disabled: last >= found.total, onclick: () => this.games(item, last) }, "Later")),
    );
  }

  async begin(item, number) {
    const made = await this.tried(() => this.ask("open", { root: this.root, path: item.path, number }));
    if (!made) return;
    this.dialog.close();
    this.opened(made.game);
  }

  // Numbers of a run, read anew every few seconds while they are looked at.
  async follow(item) {
    const found = await this.tried(() => this.ask("training", { root: this.root, path: item.path }));
    if (!found) return;
    const folder = item.path.split("/").slice(0, -1).join("/");
    const games = (this.items || []).find(({ path, kind }) => kind === "store" && path === [folder, "games"].filter(Boolean).join("/"));
    refill(byId("details"),
      element("p", {}, `${folder || this.root}: `, games ? element("button", { type: "button", onclick: () => this.games(games, 0) }, "its games") : null, element("span", { class: "pulse", title: "followed" })),
      ...charts(found),
    );
    this.timer = setTimeout(() => this.dialog.open && this.follow(item), FOLLOW_MS);
  }
}
