// SPDX-License-Identifier: Apache-2.0
// The page of `hooke report` and `hooke view`: puts data, stage, plots and panels together.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import {quantities} from "./beams.js";
import {load} from "./data.js";
import {Live} from "./live.js";
import {byId, el, fileName, save, show} from "./dom.js";
import {model, notes, summary} from "./panels.js";
import {Player} from "./player.js";
import {Plots, sample} from "./plots.js";
import {Stage} from "./stage.js";

const keyList = [["Space", "play or pause"], ["← →", "one step back or on"], ["Home End", "start or end"], ["[ ]", "slower or faster"],
  ["L", "loop"], ["1 2 3 4", "camera: 3-D, front, side, top"], ["F", "follow the next body"], ["T", "trails"], ["X", "see through"], ["C", "colour of what bends"],
  ["D", "dark or light"], ["/", "search channels"], ["Z", "whole time in the plots"], ["?", "this list"]];

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
}

function tabs(list) {
  const panels = byId("panels"), bar = byId("tabs");
  const pick = (name) => {
    for (const b of bar.children) {
      const on = b.id === `tab-${name}`;
      b.setAttribute("aria-selected", String(on));
      b.tabIndex = on ? 0 : -1;
    }
    for (const p of panels.children) p.hidden = p.id !== `panel-${name}`;
  };
  const made = Object.fromEntries(list.map(([name, title]) => {
    const panel = el("div", {id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`});
    panels.append(panel);
    bar.append(el("button", {type: "button", id: `tab-${name}`, role: "tab", text: title, "aria-controls": `panel-${name}`,
      on: {click: () => pick(name), keydown: (e) => {
        const next = {ArrowRight: e.target.nextElementSibling, ArrowLeft: e.target.previousElementSibling}[e.key];
        if (next) { next.click(); next.focus(); e.stopPropagation(); }
      }}}));
    return [name, panel];
  }));
  pick(list[0][0]);
  return made;
}

const newtons = (x) => (x >= 1e6 ? `${show(x / 1e6, 3)} MN` : x >= 1e3 ? `${show(x / 1e3, 3)} kN` : `${show(x, 3)} N`);

function tools(stage, runs) {
  const bar = byId("tools");
  const button = (text, title, fn, id) => el("button", {type: "button", id, text, title, on: {click: fn}});
  const check = (text, what, on) => {
    const box = el("input", {type: "checkbox", id: `show-${what}`, checked: on, on: {change: () => stage.toggle(what, box.checked)}});
    return el("label", {}, box, text);
  };
  const {inner, beams} = stage.mechanisms[0];
  const bodies = stage.runs[0].scene.bodies.map((b, i) => (inner.has(i) ? null : el("option", {value: String(i), text: b.name}))).filter(Boolean);
  const select = (id, label, first, fn) => {
    const s = el("select", {id, "aria-label": label, title: label, on: {change: () => fn(s.value)}}, ...first, ...bodies.map((b) => b.cloneNode(true)));
    return s;
  };
  const option = (value, text) => el("option", {value, text});
  const follow = select("follow", "Follow a body (F)", [option("-1", "camera stays")], (v) => stage.setFollow(Number(v), true));
  follow.value = String(stage.follow);
  const trails = select("trails", "Trails (T)", [option("", "no trails"), option("all", "all trails")], (v) => stage.setTrails(v));
  const arrows = el("input", {type: "range", id: "arrows", min: "0", max: "2", step: "0.05", value: String(stage.arrowScale), "aria-label": "Length of force arrows",
    on: {input: () => stage.setArrows(Number(arrows.value))}});
  // the largest force gives the arrows their scale
  const forces = stage.mechanisms[0].loads.length ? [el("label", {className: "set", title: "Length of arrows: red are forces of springs, tyres and loads, blue reactions of joints; the longest is the largest force of the run"},
    "forces", arrows, stage.largest > 0 ? el("span", {className: "quiet", text: `≤ ${newtons(stage.largest)}`}) : null)] : [];
  // what beams are coloured by
  const whose = stage.runs[0].scene.skins?.length || stage.runs[0].scene.plates?.length || stage.runs[0].scene.surfaces?.length ? "Colour of bodies that bend (C)" : "Colour of beams (C)";
  const by = el("select", {id: "colour", "aria-label": whose, title: whose, on: {change: () => stage.colour(by.value)}},
    ...beams.names.map((k) => option(k, quantities[k].text)), option("", "plain"));
  const colours = beams.coloured ? [el("label", {className: "set"}, beams.names.includes("strain") && !stage.runs[0].scene.surfaces?.length ? "beams" : "colour", by)] : [];
  bar.append(
    el("span", {className: "set"}, ...[["iso", "3-D", 1], ["front", "Front", 2], ["side", "Side", 3], ["top", "Top", 4]].map(([n, t, k]) => button(t, `Camera: ${n === "iso" ? t : t.toLowerCase()} (${k})`, () => stage.preset(n), `camera-${n}`))),
    el("span", {className: "set"}, follow, trails),
    el("span", {className: "set"}, check("joints", "joints", true), check("springs", "springs", true), check("see-through", "xray", false)),
    ...forces, ...colours,
    button("PNG", "Save the picture", async () => save(`${fileName(runs[0].label)}.png`, await stage.picture()), "save-picture"));
}

/** check boxes that show or hide each of several runs */
function runChooser(data, stage, plots) {
  if (data.runs.length < 2) return;
  byId("bar").insertBefore(el("span", {className: "set", id: "runs"}, ...data.runs.map((r) => {
    const box = el("input", {type: "checkbox", checked: true, on: {change: () => { stage?.showRun(r.index, box.checked); plots.showRun(r.index, box.checked); }}});
    return el("label", {title: r.raw.command}, box, sample(r), r.name);
  })), byId("theme"));
}

function cycle(select, by = 1) {
  if (!select) return;
  select.selectedIndex = (select.selectedIndex + by) % select.options.length;
  select.dispatchEvent(new Event("change"));
}

function keys(player, stage, plots) {
  const dialog = byId("keys");
  dialog.append(el("h2", {text: "Keys"}), el("dl", {}, ...keyList.flatMap(([k, t]) => [el("dt", {text: k}), el("dd", {text: t})])),
    el("p", {className: "quiet", text: "In the plots: drag to zoom, double-click for the whole, click to set the time. Arrows: red are forces of springs, tyres and loads, blue reactions of joints."}),
    el("form", {method: "dialog"}, el("button", {text: "Close"})));
  byId("help").addEventListener("click", () => dialog.showModal());
  const actions = {" ": () => player.toggle(), ArrowLeft: () => player.step(-1), ArrowRight: () => player.step(1), Home: () => player.seek(player.begin),
    End: () => player.seek(player.end), "[": () => player.faster(-1), "]": () => player.faster(1), l: () => byId("loop").click(),
    1: () => stage?.preset("iso"), 2: () => stage?.preset("front"), 3: () => stage?.preset("side"), 4: () => stage?.preset("top"),
    f: () => cycle(byId("follow")), t: () => cycle(byId("trails")), x: () => byId("show-xray")?.click(), c: () => cycle(byId("colour")), d: () => byId("theme").click(),
    "/": () => { byId("tab-plots").click(); plots.search.focus(); }, z: () => plots.zoom(null), "?": () => dialog.showModal()};
  document.addEventListener("keydown", (e) => {
    const on = e.target, typing = on.matches?.("input:not([type=checkbox]):not([type=range]), select, textarea");
    if (typing || e.ctrlKey || e.metaKey || e.altKey || dialog.open) return;
    if (e.key === " " && on.matches?.("button, input, summary")) return;
    if (on.matches?.("input[type=range], pre") && /^(Arrow|Home|End)/.test(e.key)) return;
    const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (action) { e.preventDefault(); action(); }
  });
}

/** the verdict on a run: its grade with the drift of the energy audit, or its status where it has none or did not end well */
function badge(chip, run) {
  const {status} = run.raw, {grade, drift_percent: drift} = run.summary ?? {};
  const graded = status === "ok" && ["good", "doubtful", "wrong"].includes(grade);
  chip.textContent = !graded ? status || "" : Number.isFinite(drift) ? `${grade} · ${show(drift, 2)} %` : grade;
  chip.dataset.status = graded ? grade : status === "ok" ? "ok" : "bad";
  if (graded) chip.title = "Largest error of the energy audit, in per cent of the energy that moves";
}

function start() {
  const data = load(), first = data.runs[0];
  document.title = `${first.label} – Hooke`;
  byId("title").textContent = first.label;
  byId("method").textContent = [first.raw.formulation, first.raw.analysis || first.raw.integrator].filter(Boolean).join(" · ");
  badge(byId("status"), first);
  notes(data);
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(dark);
  const player = new Player(data.begin, data.end, first.axis);
  player.seek(data.begin);
  const panel = tabs([["plots", "Plots"], ["summary", "Summary"], ["model", "Model"]]);
  const plots = new Plots(data, player, panel.plots);
  const stage = Stage.create(data, player);
  if (stage) tools(stage, data.runs);
  summary(panel.summary, data, plots);
  model(panel.model, data);
  runChooser(data, stage, plots);
  keys(player, stage, plots);
  byId("theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme !== "dark");
    stage?.theme();
    plots.theme();
  });
  const live = data.live ? new Live(data, player, plots, stage) : null;
  // for tests and the browser's console
  window.hooke = {live, data, player, plots, stage, ready: 0,
    bodyPosition: (name, run = 0) => {
      const m = stage.mechanisms[run], i = m.run.scene.bodies.findIndex((b) => b.name === name);
      return m.bodies[i].position.toArray();
    }};
  // ready: the first picture has been drawn
  requestAnimationFrame(() => requestAnimationFrame(() => { window.hooke.ready = performance.now(); }));
}

try {
  start();
} catch (e) {
  byId("notes").replaceChildren(el("p", {text: e.message}));
  console.error(e);
}
