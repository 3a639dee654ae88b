// The page: one game at a time, whose secret name stands in the address, so that it is found again.

import { AgentForm, choose } from "./agent_form.js";
import { Board } from "./board.js";
import { byId, element, refill, signed } from "./dom.js";
import { showMoves } from "./moves.js";
import { showBar, showSearch } from "./search.js";
import { fillList, PERSON, Setup } from "./setup.js";
import { StoredRuns } from "./storage.js";
import { showStrip } from "./strip.js";
import { Wire } from "./wire.js";

let hello = null;
let game = null;
let watched = null; // the game that was asked for last, shown or not
let wanted = null; // the ply that was asked for and is not shown yet
let failed = null; // an error that nothing has mended and nobody has closed yet
let closedTrouble = null; // the game's trouble whose message was closed
let noted = null;
const NOTED_MS = 5000;
const analysts = {}; // the agent that analyses, by kind of game

const board = new Board(byId("board"), play);
const form = new AgentForm((...question) => wire.ask(...question));
const setup = new Setup(begin, form);
const storage = new StoredRuns((...question) => wire.ask(...question), enter);
const wire = new Wire({ pushed, opened, closed });

async function opened() {
  say("connected", true);
  hello = await wire.ask("hello");
  setup.learn(hello);
  storage.learn(hello);
  const name = location.hash.slice(1);
  if (!name) {
    if (!byId("setup").open) setup.open();
    return;
  }
  watched = name;
  try {
    await wire.ask("join", { game: name });
  } catch (error) {
    setup.open(null, error.message);
  }
}

function closed() {
  say("no connection: trying again", false);
}

function say(text, good) {
  byId("link").textContent = text;
  byId("link").classList.toggle("bad", !good);
}

function tell(text) {
  if (byId("said").textContent !== text) byId("said").textContent = text;
}

// What was done stays for a while, whatever else comes meanwhile.
function note(text) {
  noted = text;
  tell(text);
  setTimeout(() => {
    if (noted === text) noted = null;
  }, NOTED_MS);
}

async function begin(wanted) {
  const made = await wire.ask("new", wanted);
  enter(made.game);
}

// Watch another game in place of this one.
function enter(name) {
  if (watched !== name) leave();
  location.hash = name;
}

function leave() {
  if (watched) wire.ask("leave", { game: watched }).catch(() => {});
  game = failed = watched = null;
  document.querySelector("main").inert = true; // until it is shown, which may fail
  byId("title").textContent = "";
}

// Also by the browser's Back and Forward.
addEventListener("hashchange", () => {
  const name = location.hash.slice(1);
  if (!name || watched === name) return;
  leave();
  watched = name;
  ask("join", { game: name }, false);
});

function pushed(message) {
  if (message.push === "trouble") {
    fail(message.message);
    return;
  }
  if (message.game !== location.hash.slice(1)) return;
  const isNew = !game || game.game !== message.game;
  if (isNew || message.at !== game.at) noted = null;
  game = message;
  if (isNew || wanted === game.at || wanted > game.ply) wanted = null;
  if (isNew) begun();
  show();
  if (isNew) byId("board").scrollIntoView({ block: "nearest" });
}

// What changes from game to game alone.
function begun() {
  const known = hello.games[game.kind];
  fillList(byId("gates"), known.gates);
  refill(byId("look-field"), form.field(known.agents, analysts[game.kind] || known.agents[0], {
    id: "pz-look-agent", "aria-label": "Analyse with", onchange: (event) => {
      analysts[game.kind] = event.target.value;
      if (game.looks) look(true);
    },
  }).group);
  byId("copy-position").hidden = !known.position;
  const taken = [TEXTS[known.position], known.pgn ? "PGN" : null].filter(Boolean);
  byId("position").placeholder = taken.join(" or ");
  byId("position-row").firstElementChild.textContent = known.pgn ? "Position or game" : "Position";
  byId("position-row").hidden = byId("set").hidden = !taken.length;
  byId("copy-pgn").hidden = !known.pgn;
  byId("flip").hidden = !known.flips;
  byId("viewer-row").hidden = !known.hidden;
  refill(byId("viewer"), element("option", { value: "" }, "everybody"), ...game.sides.map((side, player) => element("option", { value: player }, side)));
  refill(byId("players"), ...game.sides.map((side, player) => element("label", {}, side, " ",
    form.field([PERSON, ...known.agents], game.players[player] || PERSON, { "aria-label": side, onchange: (event) => assign(player, event.target.value) }).group)));
  byId("gate").value = byId("other-gate").value = "";
  makeKeys();
}

function show() {
  document.querySelector("main").inert = false;
  byId("title").textContent = game.title ? `${game.kind}: ${game.title}` : game.kind;
  document.title = `${game.kind} – phasezoo`;
  board.show(game);
  showArrows();
  showBar(byId("bar"), game);
  showSearch(byId("search"), game);
  showStrip(byId("strip"), game, hello.games[game.kind].gates.length > 1, goTo, here);
  showMoves(byId("moves"), game, hello.games[game.kind].pgn, game.over ? ended() : game.recorded, goTo, (position) => ask("show", { position }));
  showPlayers();
  showChosen();
  showControls();
  byId("viewer").value = game.viewer ?? "";
  tell(noted || game.board.alt);
  if (!game.trouble) closedTrouble = null;
  showError();
}

// An error stays until it is closed, or until something else that was asked for succeeds.
function showError() {
  const trouble = game && game.trouble !== closedTrouble ? game.trouble : null;
  const text = failed || trouble || "";
  const place = byId("error").querySelector("p");
  if (place.textContent !== text) place.textContent = text;
  byId("error").hidden = !text;
}

function closeError() {
  failed = null;
  closedTrouble = game && game.trouble;
  showError();
}

function showArrows() {
  const analysis = byId("arrows").checked ? game.analyses.find(({ moves, past }) => moves.length && !past) : null;
  board.point_out(analysis ? analysis.moves : [], 0);
}

function showPlayers() {
  const top = game.sides.length === 2 ? (game.flipped ? [0] : [1]) : [];
  const bottom = game.sides.map((_, player) => player).filter((player) => !top.includes(player));
  refill(byId("player-top"), ...top.map(playerLine));
  refill(byId("player-bottom"), ...bottom.map(playerLine));
}

// The lists of agents stand where the server says, after a refusal too.
function showChosen() {
  byId("players").querySelectorAll("select").forEach((list, player) => choose(list, game.players[player] || PERSON));
}

async function assign(player, agent) {
  await ask("assign", { player, agent: agent || null });
  showChosen();
}

function playerLine(player) {
  const moves = game.waits.includes(player);
  const thinks = game.thinking.includes(player);
  const live = game.analyses.find((each) => each.player === player && each.live);
  return element("p", { class: moves ? "moving" : null },
    element("b", {}, game.sides[player]), live ? ` ${signed(live.value)} ` : " ",
    element("span", { class: game.players[player] ? "agent" : "quiet", title: game.players[player] }, game.names[player]),
    thinks ? element("span", { class: "pulse", title: "thinking" }) : null);
}

function ended() {
  const { result, reason, winners } = game.over;
  const who = winners && winners.length ? ` (${winners.map((player) => game.sides[player]).join(", ")})` : "";
  return `${result ?? ""}${who} ${(reason ?? "").replaceAll("_", " ")}`;
}

function showControls() {
  const known = hello.games[game.kind];
  byId("first").disabled = byId("back").disabled = game.at === 0;
  byId("forth").disabled = byId("last").disabled = game.at === game.ply;
  byId("undo").disabled = game.ply === 0;
  const hasAgents = game.players.some((each) => each);
  byId("run").disabled = !hasAgents || Boolean(game.over);
  byId("run").textContent = game.plays ? "Pause" : "Go on";
  byId("hurry").disabled = !game.thinking.some((player) => player >= 0); // the analyst plays nothing
  byId("look").setAttribute("aria-pressed", game.looks ? "true" : "false");
  byId("look").textContent = game.looks ? "Stop" : "Analyse";
  byId("review").disabled = known.at_once || !game.ply;
  byId("review").setAttribute("aria-pressed", game.reviewed ? "true" : "false");
  byId("review").textContent = game.reviewed ? "Stop" : "Analyse game";
  const acts = game.board.actor !== null && game.board.actor !== undefined;
  for (const button of byId("keys").querySelectorAll("[data-action]")) {
    button.disabled = !acts || !board.isLegal(Number(button.dataset.action));
  }
  fillOthers();
}

// Buttons for the keys of the game, and for the further parts of actions that have them.
function makeKeys() {
  const root = byId("keys");
  const keys = game.board.keys || [];
  refill(root, element("div", { class: "pad" }, ...keys.map(({ label, action, key }) => element("button", {
    type: "button", "data-action": action, "aria-label": label, title: `key ${key === " " ? "space" : key}`, onclick: () => play(action),
  }, label))), element("div", { id: "pz-parts", class: "rows" }), element("div", { id: "pz-others", class: "others" }));
  root.hidden = !keys.length;
}

// Actions that cannot be pointed at are listed by name.
function fillOthers() {
  const { parts, legal = [], ways = [], keys = [] } = game.board;
  const chosen = byId("parts");
  if (parts && chosen.children.length !== parts.length - 1) {
    refill(chosen, ...parts.slice(1).map((count, number) => element("label", {}, `Word ${number + 1} `,
      element("select", {}, ...Array.from({ length: count }, (_, value) => element("option", {}, String(value)))))));
  }
  const pointed = new Set([...ways.map(([action]) => action), ...keys.map(({ action }) => action)]);
  const left = board.hasOwnParts ? [] : legal.filter(([action]) => !pointed.has(action));
  const signature = JSON.stringify(left);
  const root = byId("others");
  if (root.dataset.signature !== signature) {
    root.dataset.signature = signature;
    const few = left.length <= 40;
    const pick = few ? null : element("select", { "aria-label": "action" }, ...left.map(([action, name]) => element("option", { value: action }, name)));
    refill(root, ...(few ? left.map(([action, name]) => element("button", { type: "button", onclick: () => play(action) }, name))
      : [pick, element("button", { type: "button", onclick: () => play(Number(pick.value)) }, "Play")]));
  }
  byId("keys").hidden = !(keys.length || left.length || parts);
}

// With the further parts that are chosen: first + choices of the first × (second + …).
function whole(action) {
  const { parts } = game.board;
  if (!parts) return action;
  const words = [...byId("parts").querySelectorAll("select")].map(({ value }) => Number(value));
  let [index, step] = [action, parts[0]];
  words.forEach((word, number) => {
    index += step * word;
    step *= parts[number + 1];
  });
  return index;
}

function play(action) {
  ask("play", { ply: game.at, action: whole(action) });
}

const look = (on) => ask("look", { on, agent: byId("look-agent").value, player: game.viewer ?? 0 });

function goTo(ply) {
  wanted = Math.min(game.ply, Math.max(0, ply));
  // The last ply goes without its number: another line may be on its way to the board.
  ask("show", { at: wanted === game.ply ? null : wanted });
}

// Where who presses keys faster than pictures come believes to be.
const here = () => wanted ?? game.at;

async function ask(what, fields = {}, named = true) {
  try {
    const answer = await wire.ask(what, named ? { game: game.game, ...fields } : fields);
    if (what !== "show") failed = null;
    showError();
    return answer;
  } catch (error) {
    fail(error.message);
    return undefined;
  }
}

function fail(text) {
  if (byId("setup").open) {
    byId("setup-error").textContent = text;
    return;
  }
  failed = text;
  showError();
}

async function copy(kind) {
  const text = await ask("text", { kind });
  if (text === undefined) return;
  try {
    await navigator.clipboard.writeText(text);
    note(`The ${kind === "position" ? "position" : kind.toUpperCase()} was copied.`);
  } catch {
    // No clipboard, as where the page is not served from this machine: keep it as a file.
    const link = element("a", { href: URL.createObjectURL(new Blob([text])), download: `${game.kind}.${kind === "position" ? "txt" : kind}` });
    link.click();
    note("There is no clipboard here: it was saved as a file.");
  }
}

// A position or PGN that was pasted, dropped or typed.
const LONGEST_TEXT = 200_000; // letters that the server takes in one message
const TEXTS = { FEN: "FEN", columns: "the columns played so far", JSON: "the JSON of a state" };

let refused = ""; // the last text in the box that could not be read

async function paste(text) {
  const fields = { kind: game ? game.kind : "chess" in hello.games ? "chess" : Object.keys(hello.games)[0], position: text.trim() };
  if (text.length > LONGEST_TEXT) {
    fail(`The text has ${text.length.toLocaleString("en")} letters; at most ${LONGEST_TEXT.toLocaleString("en")} are read. Start the server with --runs DIR for larger files.`);
    return;
  }
  const box = byId("position");
  const found = await ask("paste", game ? { ...fields, game: game.game } : fields, false);
  if (!found) {
    if (!box.value.trim() || box.value === refused) box.value = text; // to be corrected there
    refused = text;
    return;
  }
  if (box.value.trim() === fields.position || box.value === refused) box.value = "";
  byId("setup").close();
  if (!game || found.game !== game.game) enter(found.game);
}

addEventListener("paste", (event) => {
  if (event.target.closest?.("input, textarea")) return;
  const text = event.clipboardData.getData("text/plain");
  if (text) paste(text);
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  const text = file ? await file.text() : event.dataTransfer.getData("text/plain");
  if (text) paste(text);
});

byId("new").onclick = () => setup.open(game && game.kind);
byId("runs").onclick = () => storage.open();
byId("first").onclick = () => goTo(0);
byId("back").onclick = () => goTo(here() - 1);
byId("forth").onclick = () => goTo(here() + 1);
byId("last").onclick = () => goTo(game.ply);
byId("undo").onclick = () => ask("undo");
byId("flip").onclick = () => ask("show", { flipped: !game.flipped });
byId("run").onclick = () => ask("run", { on: !game.plays });
byId("hurry").onclick = () => ask("hurry");
byId("look").onclick = () => look(!game.looks);
byId("review").onclick = () => ask("review", { on: !game.reviewed, agent: byId("look-agent").value });
byId("error").querySelector("button").onclick = closeError;
byId("arrows").onchange = showArrows;
byId("set").onclick = () => paste(byId("position").value);
byId("copy-position").onclick = () => copy("position");
byId("copy-pgn").onclick = () => copy("pgn");
byId("copy-json").onclick = () => copy("json");
byId("viewer").onchange = (event) => ask("show", { viewer: event.target.value === "" ? null : Number(event.target.value) });
for (const id of ["gate", "other-gate"]) {
  byId(id).onchange = () => ask("gates", { gate: byId("gate").value.trim(), other_gate: byId("other-gate").value.trim() });
}

const SHORTCUTS = {
  "[": "back", "]": "forth", ArrowLeft: "back", ArrowRight: "forth", ArrowUp: "first", ArrowDown: "last",
  Home: "first", End: "last", u: "undo", f: "flip", p: "run", m: "hurry",
};

addEventListener("keydown", (event) => {
  const inField = event.target.closest("input, select, textarea, dialog, [role=slider]");
  if (event.key === "Escape" && !event.target.closest("dialog")) closeError();
  if (!game || inField || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = (game.board.keys || []).find((each) => each.key === event.key);
  if (key && game.board.actor !== null && board.isLegal(key.action)) {
    event.preventDefault();
    play(key.action);
    return;
  }
  if (key && key.key.startsWith("Arrow")) {
    event.preventDefault();
    return;
  }
  const button = SHORTCUTS[event.key] && byId(SHORTCUTS[event.key]);
  if (!button) return;
  event.preventDefault();
  if (!button.disabled) button.click();
});

// The wheel over the board steps through the game, a ply for a notch.
const NOTCH = 50; // pixels; fine wheels and touchpads send many small steps
let turned = 0;
byId("board").addEventListener("wheel", (event) => {
  if (!game || event.ctrlKey) return; // with Ctrl the browser zooms
  event.preventDefault();
  turned += event.deltaMode ? Math.sign(event.deltaY) * NOTCH : event.deltaY;
  if (Math.abs(turned) < NOTCH) return;
  goTo(here() + Math.sign(turned));
  turned = 0;
}, { passive: false });

// Light or dark: as the system has it, until somebody chooses.
const theme = localStorage.getItem("pz-theme");
if (theme) document.documentElement.dataset.theme = theme;
byId("theme").onclick = () => {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("pz-theme", document.documentElement.dataset.theme);
};
