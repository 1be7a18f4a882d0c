"use strict";
// The page asks the service and draws what it says. Names go into the page as text alone, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const WAIT = 120; // milliseconds after the last letter
const ROWS = 1000; // groups in the table at most
const at = (id) => document.getElementById(id);
const state = { middle: null, chosen: [], groups: [], found: null, all: 0, points: [], point: -1, picked: -1, turn: { search: 0, set: 0, node: 0, groups: 0 } };

function element(kind, text, parent) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = String(text);
  if (parent) parent.append(made);
  return made;
}

function drawn(kind, settings, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(settings)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}

function button(text, parent, act) {
  const made = element("button", text, parent);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

async function fetched(path, sent) {
  const headers = {};
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (sent) headers["Content-Type"] = "application/json";
  const settings = { method: sent ? "POST" : "GET", headers, body: sent && JSON.stringify(sent) };
  const answer = await fetch(path, settings);
  if (answer.ok) return answer;
  if (answer.status === 401) at("door").hidden = false;
  const problem = await answer.json();
  throw Object.assign(new Error(problem.error), { code: problem.code, retry: answer.headers.get("Retry-After") });
}

const asked = async (path, sent) => (await fetched(path, sent)).json();

function tell(error) {
  at("problem").textContent = error ? error.message : "";
  at("problem").hidden = !error;
}

// Runs the work unless a later one of the same kind has begun meanwhile; what went wrong is told.
async function newest(kind, work, show) {
  const turn = ++state.turn[kind];
  try {
    const found = await work();
    if (turn !== state.turn[kind]) return;
    tell(null);
    show(found);
  } catch (error) {
    if (turn === state.turn[kind]) tell(error);
  }
}

// ---- search

let typing;
function search() {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const prefix = at("prefix").value.trim();
    if (!prefix) { showMatches([]); return; }
    newest("search", () => asked(`/v1/nodes?top=12&prefix=${encodeURIComponent(prefix)}`), (found) => showMatches(found.nodes));
  }, WAIT);
}

function showMatches(nodes) {
  const list = at("matches");
  list.replaceChildren();
  nodes.forEach((one, place) => {
    const item = element("li", one.node, list);
    item.id = `match-${place}`;
    item.setAttribute("role", "option");
    item.node = one.node;
    item.addEventListener("mousedown", (event) => { event.preventDefault(); choose(one.node); });
  });
  list.hidden = !nodes.length;
  at("prefix").setAttribute("aria-expanded", String(Boolean(nodes.length)));
  pick(nodes.length ? 0 : -1);
}

function pick(place) {
  const items = [...at("matches").children];
  state.picked = place;
  items.forEach((item, i) => item.setAttribute("aria-selected", String(i === place)));
  if (items[place]) {
    at("prefix").setAttribute("aria-activedescendant", items[place].id);
    items[place].scrollIntoView({ block: "nearest" });
  } else at("prefix").removeAttribute("aria-activedescendant");
}

function keyed(event) {
  const items = at("matches").children;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && items.length) {
    event.preventDefault();
    pick((state.picked + step + items.length) % items.length);
  } else if (event.key === "Enter" && items[state.picked]) {
    event.preventDefault();
    choose(items[state.picked].node);
  } else if (event.key === "Escape") showMatches([]);
}

function choose(node) {
  showMatches([]);
  at("prefix").value = "";
  if (!state.chosen.length) add(node);
  look(node);
}

// ---- a node and its neighbours

function look(node) {
  const name = encodeURIComponent(node);
  newest("node", () => asked(`/v1/neighbourhood?node=${name}`), (found) => { state.middle = found; draw(); });
  ownGroups(name, state.turn.node);
}

async function ownGroups(name, turn) {
  const list = at("own-groups");
  list.replaceChildren();
  try {
    const found = await asked(`/v1/groups?top=12&with=${name}`);
    if (turn !== state.turn.node) return;
    for (const group of found.groups) {
      const words = `${group.nodes.join(", ")} · ${percent(group.probability)}`;
      button(words, element("li", undefined, list), () => { state.chosen = [...group.nodes]; changed(); });
    }
    if (!found.groups.length) element("li", "none was found", list);
  } catch (error) {
    if (turn === state.turn.node) element("li", error.message, list);
  }
}

function draw() {
  const picture = at("drawing");
  const { places, pairs, degree } = state.middle;
  const x = (one) => 118 * one.x, y = (one) => 98 * one.y;
  picture.replaceChildren();
  at("middle").textContent = String(places[0].node);
  const more = degree > places.length - 1 ? `; the ${places.length - 1} seen most with it are drawn` : "";
  at("degree").textContent = `Seen with ${degree.toLocaleString("en")} others${more}.`;
  for (const [a, b] of pairs) {
    const ends = { x1: x(places[a]), y1: y(places[a]), x2: x(places[b]), y2: y(places[b]) };
    drawn("line", a === 0 ? { ...ends, class: "spoke" } : ends, picture);
  }
  for (const one of places) {
    const chosen = state.chosen.includes(one.node);
    const spot = drawn("g", { tabindex: 0, role: "button", "aria-pressed": chosen, class: chosen ? "in" : "" }, picture);
    spot.setAttribute("aria-label", String(one.node));
    drawn("circle", { cx: x(one), cy: y(one), r: one === places[0] ? 9 : 6 }, spot);
    const words = String(one.node);
    const label = drawn("text", { x: x(one), y: y(one) + (one.y < 0 ? -11 : 17) }, spot);
    label.textContent = words.length > 18 ? `${words.slice(0, 17)}…` : words;
    drawn("title", {}, spot).textContent = words;
    const act = () => toggle(one.node);
    spot.addEventListener("click", act);
    spot.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
    });
  }
}

// ---- the set

function add(node) {
  if (!state.chosen.includes(node)) { state.chosen.push(node); changed(); }
}

function toggle(node) {
  const place = state.chosen.indexOf(node);
  if (place < 0) state.chosen.push(node); else state.chosen.splice(place, 1);
  changed(node);
}

function changed(focused) {
  const list = at("chosen");
  list.replaceChildren();
  for (const node of state.chosen) {
    const made = button(`${node} ×`, element("li", undefined, list), () => toggle(node));
    made.setAttribute("aria-label", `take out ${node}`);
  }
  if (state.middle) {
    const inside = at("drawing").contains(document.activeElement);
    draw();
    if (inside) [...at("drawing").querySelectorAll("g")].find((g) => g.getAttribute("aria-label") === String(focused))?.focus();
  }
  markMap();
  at("similar").replaceChildren();
  if (!state.chosen.length) { state.turn.set++; showSet(null); return; }
  const nodes = [...state.chosen];
  newest("set", () => Promise.all([
    asked("/v1/energy", { sets: [nodes] }),
    asked("/v1/complete", { nodes, top: 10 }),
  ]), showSet);
  showSimilar(nodes, state.turn.set);
}

// Vectors are of sets of k nodes: with more or fewer there is nothing to compare.
async function showSimilar(nodes, turn) {
  if (nodes.length !== state.k) {
    element("li", `for sets of ${state.k} nodes`, at("similar"));
    return;
  }
  try {
    const query = nodes.map((node) => `node=${encodeURIComponent(node)}`).join("&");
    const found = await asked(`/v1/similar?top=5&${query}`);
    if (turn !== state.turn.set) return;
    for (const one of found.similar) button(one.nodes.join(", "), element("li", undefined, at("similar")), () => take(one.nodes));
  } catch (error) {
    if (turn === state.turn.set) element("li", error.message, at("similar"));
  }
}

function take(nodes) {
  state.chosen = [...nodes];
  changed();
  look(nodes[0]);
}

function showSet(found) {
  const [scored, completed] = found || [null, { completions: [] }];
  const energy = scored && scored.energies[0], chances = scored && scored.probabilities;
  at("energy").textContent = energy === null ? (scored ? "not connected" : "–") : energy.toFixed(2);
  at("probability").textContent = chances ? percent(chances[0]) : "–";
  const list = at("completions");
  list.replaceChildren();
  for (const one of completed.completions) {
    const chance = one.probability === null ? "" : ` · ${percent(one.probability)}`;
    button(`${one.node}${chance}`, element("li", undefined, list), () => { add(one.node); look(one.node); }).node = one.node;
  }
}

const percent = (chance) => `${(100 * chance).toFixed(chance < 0.1 ? 1 : 0)} %`;

// ---- groups and the model

function loadGroups() {
  const sort = at("sort").value;
  const letters = state.all > ROWS ? at("filter").value.trim() : "";
  const turn = ++state.turn.groups;
  asked(`/v1/groups?top=${ROWS}&sort=${sort}&containing=${encodeURIComponent(letters)}`).then((found) => {
    if (turn !== state.turn.groups) return;
    if (!letters) state.all = found.found;
    state.groups = found.groups;
    state.found = found.found;
    showGroups();
    if (!state.points.length) loadMap();
  }).catch((error) => {
    at("groups-note").textContent = error.message;
    if (error.code === "searching" && turn === state.turn.groups) setTimeout(loadGroups, 1000 * Number(error.retry));
  });
}

// Groups that are here are filtered at once; where there are more of them, the service looks through all.
let filtering;
function filterGroups() {
  if (state.found === null) return; // they are still searched for
  showGroups();
  clearTimeout(filtering);
  if (state.all > ROWS) filtering = setTimeout(loadGroups, WAIT);
}

function showGroups() {
  const wanted = at("filter").value.trim().toLowerCase();
  const rows = state.groups.filter((group) => group.nodes.some((node) => String(node).toLowerCase().includes(wanted)));
  const body = at("rows");
  body.replaceChildren();
  for (const group of rows.slice(0, 200)) {
    const row = element("tr", undefined, body);
    element("td", percent(group.probability), row);
    element("td", group.nodes.length, row);
    const cell = element("td", undefined, row);
    button(group.nodes.join(", "), cell, () => take(group.nodes));
  }
  const shown = Math.min(rows.length, 200);
  at("groups-note").textContent = `${shown} of ${state.found.toLocaleString("en")} groups; the file has all.`;
}

// ---- the map of groups

function loadMap() {
  asked("/v1/map").then((found) => {
    state.points = found.points;
    const picture = at("map");
    picture.replaceChildren();
    found.points.forEach((one, place) => {
      const size = Math.min(2 + one.nodes.length / 2, 6);
      const spot = drawn("circle", { cx: 100 * one.x, cy: 100 * one.y, r: size, opacity: 0.25 + 0.6 * one.probability }, picture);
      spot.dataset.place = place;
      drawn("title", {}, spot).textContent = one.nodes.join(", ");
    });
    const all = found.groups.toLocaleString("en");
    at("map-note").textContent = found.points.length
      ? `${found.points.length} of ${all} groups, near each other where their vectors are alike; click one to take it.`
      : "There are no groups that have a vector.";
    markMap();
  }).catch((error) => { at("map-note").textContent = error.message; });
}

function pointAt(place) {
  at("map").querySelector(".here")?.classList.remove("here");
  state.point = place;
  const spot = at("map").children[place], one = state.points[place];
  if (!spot) return;
  spot.classList.add("here");
  at("map-here").textContent = `${one.nodes.join(", ")} · ${percent(one.probability)}`;
}

// The nearest point in the direction of an arrow, as the crow flies but with a penalty for going sideways.
function towards(key) {
  const [right, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const here = state.points[Math.max(state.point, 0)];
  let best = -1, least = Infinity;
  state.points.forEach((one, place) => {
    const x = one.x - here.x, y = one.y - here.y;
    const ahead = right * x + down * y, aside = Math.abs(right * y) + Math.abs(down * x);
    if (ahead > 1e-9 && ahead + 3 * aside < least) { best = place; least = ahead + 3 * aside; }
  });
  return best;
}

function mapKeyed(event) {
  if (event.key.startsWith("Arrow") && state.points.length) {
    event.preventDefault();
    const next = state.point < 0 ? 0 : towards(event.key);
    if (next >= 0) pointAt(next);
  } else if ((event.key === "Enter" || event.key === " ") && state.points[state.point]) {
    event.preventDefault();
    take(state.points[state.point].nodes);
  }
}

function mapClicked(event) {
  const place = event.target.closest("circle")?.dataset.place;
  if (place === undefined) return;
  pointAt(Number(place));
  take(state.points[place].nodes);
}

// Groups that hold all of the set stand out.
function markMap() {
  state.points.forEach((one, place) => {
    const holds = state.chosen.length > 0 && state.chosen.every((node) => one.nodes.includes(node));
    at("map").children[place].classList.toggle("in", holds);
  });
}

async function download() {
  try {
    const table = await (await fetched(`/v1/groups.csv?sort=${at("sort").value}`)).blob();
    const link = element("a");
    link.href = URL.createObjectURL(table);
    link.download = "groups.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) { tell(error); }
}

function worded(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null) return "–";
  return Number.isInteger(value) || typeof value === "string" ? value : value.toFixed(3);
}

function loadModel() {
  asked("/v1/model").then(({ model }) => {
    tell(null);
    at("door").hidden = true;
    state.k = model.k;
    const nodes = model.nodes.toLocaleString("en"), pairs = model.pairs.toLocaleString("en");
    at("about").textContent = `${nodes} nodes and ${pairs} pairs; model ${model.version}`;
    const words = { version: "version", data: "trained on data", nodes: "nodes", pairs: "pairs", counts: "pairs have counts",
      features: "features of a node", k: "nodes in a vector's set", dim: "numbers in a vector", encoder: "encoder", noise: "told from noise",
      seed: "seed", steps: "steps of training", loss: "loss at the end", worlds: "worlds planted to learn groups", updates: "updates since" };
    at("facts").replaceChildren();
    for (const [key, title] of Object.entries(words)) {
      element("dt", title, at("facts"));
      element("dd", worded(model[key]), at("facts"));
    }
    loadGroups();
  }).catch(tell);
}

at("prefix").addEventListener("input", search);
at("prefix").addEventListener("keydown", keyed);
at("prefix").addEventListener("blur", () => showMatches([]));
at("filter").addEventListener("input", filterGroups);
at("sort").addEventListener("change", loadGroups);
at("download").addEventListener("click", download);
at("map").addEventListener("keydown", mapKeyed);
at("map").addEventListener("click", mapClicked);
at("door").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", at("token").value.trim());
  loadModel();
});
loadModel();
