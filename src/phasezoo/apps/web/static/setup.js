// The dialog for a new game.

import { byId, element, refill } from "./dom.js";

export const PERSON = "";

export class Setup {
  constructor(begin, form) {
    this.form = form;
    this.dialog = byId("setup");
    byId("setup-cancel").onclick = () => this.dialog.close();
    byId("setup-form").onsubmit = async (event) => {
      event.preventDefault();
      byId("setup-error").textContent = "";
      byId("setup-go").disabled = true;
      try {
        await begin(this.read());
        this.dialog.close();
      } catch (error) {
        byId("setup-error").textContent = error.message;
      }
      byId("setup-go").disabled = false;
    };
  }

  learn(hello) {
    this.games = hello.games;
  }

  open(kind, error = "") {
    this.fill(kind && this.games[kind] ? kind : "chess" in this.games ? "chess" : Object.keys(this.games)[0]);
    byId("setup-error").textContent = error;
    this.dialog.showModal();
  }

  fill(kind) {
    const game = this.games[kind];
    fillList(byId("gates"), game.gates);
    this.kind = element("select", { name: "kind", onchange: () => this.fill(this.kind.value) },
      ...Object.keys(this.games).map((name) => element("option", { selected: name === kind }, name)));
    this.players = game.sides.map((side, player) => this.form.field(
      [PERSON, ...game.agents], player === 0 ? PERSON : game.agents[0] || PERSON, { name: `player-${player}`, "aria-label": side },
    ));
    this.position = element("textarea", { name: "position", rows: "1", spellcheck: "false", autocomplete: "off", placeholder: "the usual start" });
    this.seed = element("input", { name: "seed", type: "number", min: "0", placeholder: "drawn" });
    this.gate = element("input", { name: "gate", list: "pz-gates", placeholder: "the experts' gate", spellcheck: "false" });
    this.other = element("input", { name: "other_gate", list: "pz-gates", placeholder: "none", spellcheck: "false" });
    this.options = element("input", { name: "options", spellcheck: "false", placeholder: game.options.map((name) => `${name}=…`).join(" ") });
    this.pace = element("input", { name: "pace", type: "number", min: "0", max: "10", step: "0.1", value: "0.5" });
    refill(byId("setup-rows"),
      row("Game", this.kind),
      ...this.players.map(({ group }, player) => row(game.sides[player], group)),
      game.position ? row(`Position (${game.position})${game.pgn ? " or game (PGN)" : ""}`, this.position) : null,
      game.draws ? row("Seed", this.seed) : null,
      game.options.length ? row("Options", this.options) : null,
      row("Gate", this.gate),
      row("compared with", this.other),
      row("Seconds per agent move", this.pace),
    );
    this.kind.focus();
  }

  read() {
    return {
      game: this.kind.value,
      players: this.players.map(({ input }) => input.value || null),
      position: this.position.value.trim() || null,
      seed: this.seed.value === "" ? null : Number(this.seed.value),
      options: readOptions(this.options.value),
      gate: this.gate.value.trim() || null,
      other_gate: this.other.value.trim() || null,
      pace: Number(this.pace.value) || 0,
    };
  }
}

function row(label, input) {
  return element("label", {}, label, " ", input);
}

export function fillList(list, values) {
  refill(list, ...values.map((value) => element("option", { value })));
}

// "start=uniform fog=true" as names and values.
function readOptions(text) {
  const found = {};
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [name, ...rest] = word.split("=");
    const value = rest.join("=");
    try {
      found[name] = JSON.parse(value);
    } catch {
      found[name] = value;
    }
  }
  return found;
}
