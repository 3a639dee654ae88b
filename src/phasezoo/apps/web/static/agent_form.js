// The dialog for an agent's options: a form that the server describes, which writes the agent's text.

import { byId, element, refill } from "./dom.js";

// What people change first; the other options are folded.
const FIRST = ["net", "experts", "nodes", "simulations", "movetime_ms", "batch_size", "temperature", "gate", "search_gate", "command", "model", "seed"];

export class AgentForm {
  constructor(ask) {
    this.ask = ask;
    this.dialog = byId("agent");
    byId("agent-cancel").onclick = () => this.dialog.close();
    byId("agent-form").onsubmit = (event) => {
      event.preventDefault();
      this.tried(() => this.finish());
    };
  }

  // A list of agents with a button that opens the form for the chosen one; "" is a person.
  field(agents, text, attributes) {
    const input = element("select", attributes);
    for (const each of agents) choose(input, each);
    choose(input, text);
    const button = element("button", { type: "button", "aria-label": "Options of the agent", title: "Options of the agent", onclick: (event) => {
      event.preventDefault();
      this.open(input);
    } }, "…");
    return { input, group: element("span", { class: "agentfield" }, input, button) };
  }

  open(input) {
    this.input = input;
    byId("agent-text").closest("details").open = false;
    this.dialog.showModal();
    return this.fill(input.value || "random");
  }

  async tried(work) {
    byId("agent-error").textContent = "";
    try {
      await work();
    } catch (error) {
      byId("agent-error").textContent = error.message;
    }
  }

  fill(text) {
    byId("agent-text").value = this.text = text;
    this.name = null;
    return this.tried(async () => {
      const { name, names, options } = await this.ask("form", { agent: text });
      this.name = element("select", { name: "agent", onchange: () => this.fill(this.name.value) },
        ...names.map((each) => element("option", { selected: each === name }, each)));
      const shown = options.filter((each) => FIRST.includes(each.name) || each.value !== null);
      const rest = options.filter((each) => !shown.includes(each));
      shown.sort((one, other) => place(one) - place(other));
      refill(byId("agent-rows"),
        element("label", {}, "Agent ", this.name),
        ...shown.map(row),
        rest.length ? element("details", {}, element("summary", {}, `${rest.length} more options`), element("div", { class: "rows" }, ...rest.map(row))) : null,
      );
    });
  }

  async finish() {
    const options = {};
    for (const each of byId("agent-rows").querySelectorAll("[data-option]")) {
      if (each.value.trim()) options[each.dataset.option] = each.value.trim();
    }
    const typed = byId("agent-text").value.trim();
    const isTyped = !this.name || typed !== this.text;
    choose(this.input, isTyped && !typed ? "" : await this.ask("spell", isTyped ? { text: typed } : { name: this.name.value, options }));
    this.dialog.close();
    this.input.dispatchEvent(new Event("change"));
    this.input.focus();
  }
}

// Choose an agent's text in a list, which gets it if it is not there.
export function choose(list, text) {
  if (![...list.options].some(({ value }) => value === text)) list.append(element("option", { value: text }, labelOf(text)));
  list.value = text;
}

function labelOf(text) {
  const [name, ...rest] = text.split(":");
  return rest.length ? `${name} (${rest.join(":").split(",").join(", ")})` : name || "a person";
}

const place = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

function row({ name, words, default: usual, choices, value }) {
  const empty = usual === null ? "" : `default: ${usual}`;
  const field = choices.length
    ? element("select", { "data-option": name }, element("option", { value: "" }, empty), ...choices.map((each) => element("option", { selected: each === value }, each)))
    : element("input", { "data-option": name, value, placeholder: empty, spellcheck: "false" });
  field.title = words;
  return element("label", {}, name, " ", field);
}
