// SPDX-License-Identifier: Apache-2.0
// Plots over time: one chart per unit, tied to the time cursor. Drag to zoom, double-click to go
// back, click to set the time. When the page is served, zooming in fetches rows that were thinned out.
import uPlot from "uplot";
import {byId, css, el, fileName, save, show} from "./dom.js";

const colours = ["#4c78a8", "#e8743b", "#54a24b", "#b279a2", "#e0ac2b", "#3fa7a0", "#d6616b", "#8c6d5a", "#7b6fd0", "#7f8ea3"];
const dashes = [undefined, [7, 4], [2, 3], [9, 3, 2, 3]];
const styles = ["solid", "dashed", "dotted", "double"];
const most = 30;

/** values for a plot: those that are not finite, or too large to draw, become gaps */
function drawable(x) {
  const ok = (v) => Math.abs(v) < 1e300;
  return x.every(ok) ? x : Array.from(x, (v) => (ok(v) ? v : null));
}

/** the energies to show first: without the potential energy where it is far larger than the others */
function energies(run) {
  const [k, p] = ["kinetic", "potential"].map((n) => run.byName.get(`energy.${n}`)?.values());
  const most = (x) => x.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  return k && p && most(p) > 20 * most(k) ? /^energy\.(kinetic|supplied|dissipated)$/ : /^energy\.(kinetic|potential|total)$/;
}

const swingOf = (run, name) => {
  const x = run.byName.get(name)?.values() ?? [0];
  return x.reduce((m, v) => Math.max(m, v), -Infinity) - x.reduce((m, v) => Math.min(m, v), Infinity);
};

/** the heights; or all coordinates of the first place, when its height hardly changes */
function places(run, heights) {
  const swing = (name) => swingOf(run, name);
  const all = heights.slice(0, 1).flatMap((n) => ["x", "y", "z"].map((k) => n.slice(0, -1) + k)).filter((n) => run.byName.has(n));
  return all.length && swing(heights[0]) < 0.01 * Math.max(...all.map(swing)) ? all : heights;
}

/** channels shown at first: forces of prescribed motions, joint angles or the heaviest body's place, forces, values of nodes that change, energies */
export function firstChoice(run) {
  const names = run.channels.map((c) => c.name), pick = (test, n) => names.filter((s) => test.test(s)).slice(0, n);
  const up = run.scene ? run.scene.gravity.reduce((best, g, i, all) => (Math.abs(g) > Math.abs(all[best]) ? i : best), 2) : 2;
  const chosen = [
    ...pick(/^joint\..*\.drive(\.|$)/, 3),
    ...(pick(/^joint\..*\.(angle|position)$/, 4)),
    ...pick(/^force\..*\.force$/, 4),
    ...pick(/^node\./, Infinity).filter((n) => !n.endsWith(".rate") && swingOf(run, n) > 0).slice(0, 3),
    ...pick(energies(run), 3),
  ];
  if (chosen.length < 5) chosen.unshift(...places(run, pick(new RegExp(`^(body|marker)\\..*\\.position\\.${"xyz"[up]}$`), 3)));
  return chosen.length ? chosen : names.slice(0, 3);
}

/** a short line in the style of a run */
export const sample = (run) => {
  const line = el("span", {className: "sample", "aria-hidden": "true"});
  line.style.borderTopStyle = styles[run.index % styles.length];
  return line;
};

/** the kind of a channel without a unit: channels of one kind share a chart, as do all names without dots */
const kindOf = (name) => (/^energy\./.test(name) ? "energy" : name.split(".").slice(1).filter((w) => !/^[xyzw]$/.test(w)).pop() ?? "");

/** labels of an axis: as many decimals as its step needs, the same for all */
export function ticks(values, step) {
  const most = values.reduce((m, v) => Math.max(m, Math.abs(v ?? 0)), 0), small = most > 0 && (most < 1e-3 || most >= 1e6);
  const scale = small ? 10 ** Math.floor(Math.log10(most)) : 1;
  const decimals = Math.min(12, (/\.(\d+)$/.exec((step / scale).toFixed(12).replace(/0+$/, ""))?.[1] ?? "").length);
  return values.map((v) => (v === null ? "" : Math.abs(v) < 1e-9 * step ? "0" : small ? v.toExponential(Math.max(0, decimals + Math.floor(Math.log10(Math.abs(v) / scale) + 1e-9))) : v.toFixed(decimals)));
}

/** the range of an axis; a change in the last digits only is shown as a straight line */
export function span(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high)), middle = (low + high) / 2;
  if (high - low < least) return [middle - least, middle + least];
  return uPlot.rangeNum(low, high, 0.1, true);
}

export class Plots {
  constructor(data, player, panel) {
    Object.assign(this, {data, player, chosen: [], charts: [], range: null, hiddenRuns: new Set()});
    this.all = [...new Map(data.runs.flatMap((r) => r.channels).map((c) => [c.name, c])).values()];
    this.build(panel);
    this.choose(firstChoice(data.runs[0]));
    player.listen((t) => this.cursor(t));
    new ResizeObserver(() => this.resize()).observe(this.list);
  }

  build(panel) {
    this.search = el("input", {type: "search", id: "search", placeholder: `Search ${this.all.length} channels`, autocomplete: "off",
      "aria-label": "Search channels", "aria-controls": "matches",
      on: {input: () => this.match(), click: () => this.match(), keydown: (e) => this.searchKey(e),
        blur: (e) => { if (!this.matches.contains(e.relatedTarget)) this.matches.hidden = true; }}});
    this.matches = el("div", {id: "matches", role: "listbox", "aria-label": "Channels", hidden: true, on: {keydown: (e) => this.searchKey(e)}});
    this.list = el("div", {id: "charts"});
    const button = (text, title, fn, id) => el("button", {type: "button", id, text, title, on: {click: fn}});
    panel.append(
      el("div", {className: "row"}, this.search,
        button("CSV", "Save the plotted channels as CSV", () => this.saveCsv(), "save-csv"),
        button("Whole", "Show the whole time (double-click a plot)", () => this.zoom(null), "unzoom"),
        button("Clear", "Remove all plots", () => this.choose([]), "clear")),
      this.matches, this.list);
    document.addEventListener("pointerdown", (e) => {
      if (!this.matches.contains(e.target) && e.target !== this.search) this.matches.hidden = true;
    });
  }

  // --- choosing channels -----------------------------------------------------------------------

  match() {
    const words = this.search.value.toLowerCase().split(/[\s*]+/).filter(Boolean);
    const found = this.all.filter((c) => words.every((w) => c.name.toLowerCase().includes(w) || c.text.toLowerCase().includes(w)));
    const rows = found.slice(0, 200).map((c) => el("button", {type: "button", role: "option", className: "match", title: c.text, tabIndex: -1,
      "aria-selected": String(this.chosen.includes(c.name)), "data-name": c.name,
      on: {click: (e) => { this.flip(c.name); e.currentTarget.setAttribute("aria-selected", String(this.chosen.includes(c.name))); }}},
    el("span", {text: c.name}), el("span", {className: "quiet", text: c.unit === "1" ? "" : c.unit})));
    if (found.length > rows.length) rows.push(el("p", {className: "quiet", text: `and ${found.length - rows.length} more`}));
    if (!found.length) rows.push(el("p", {className: "quiet", text: "no channel has these words in its name"}));
    this.matches.replaceChildren(...rows);
    this.matches.hidden = false;
  }

  searchKey(e) {
    const rows = [...this.matches.querySelectorAll("button")], at = rows.indexOf(document.activeElement);
    if (e.key === "ArrowDown" && this.matches.hidden) this.match();
    else if (e.key === "Escape") { this.matches.hidden = true; this.search.focus(); }
    else if (e.key === "ArrowDown") rows[Math.min(rows.length - 1, at + 1)]?.focus();
    else if (e.key === "ArrowUp") { if (at <= 0) this.search.focus(); else rows[at - 1].focus(); }
    else if (e.key === "Enter" && at < 0) rows[0]?.click();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  flip(name) {
    const has = this.chosen.includes(name);
    this.choose(has ? this.chosen.filter((n) => n !== name) : [...this.chosen, name]);
  }

  choose(names) {
    this.chosen = names.filter((n, i) => names.indexOf(n) === i && this.all.some((c) => c.name === n)).slice(0, most);
    this.draw();
  }

  showRun(i, on) { if (on) this.hiddenRuns.delete(i); else this.hiddenRuns.add(i); this.draw(); }

  // --- charts ------------------------------------------------------------------------------------

  /** chosen channels by unit */
  groups() {
    const groups = new Map();
    for (const name of this.chosen) {
      const {unit} = this.all.find((c) => c.name === name), key = unit === "1" ? `1 ${kindOf(name)}` : unit;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(name);
    }
    return groups;
  }

  draw() {
    for (const c of this.charts) c.plot.destroy();
    this.charts = [];
    const parts = [];
    for (const [unit, names] of this.groups()) {
      const chart = this.makeChart(unit, names);
      if (chart) { this.charts.push(chart); parts.push(chart.box); }
    }
    if (!parts.length) parts.push(el("p", {className: "quiet", text: "No channel is chosen. Search above."}));
    this.list.replaceChildren(...parts);
    for (const c of this.charts) this.mount(c);
    this.resize();
    this.cursor(this.player.t);
  }

  makeChart(unit, names) {
    const series = [];
    for (const run of this.data.runs) {
      if (this.hiddenRuns.has(run.index)) continue;
      names.forEach((name, i) => {
        const channel = run.byName.get(name);
        if (channel) series.push({channel, name, run, colour: colours[i % colours.length]});
      });
    }
    if (!series.length) return null;
    const many = this.data.runs.length > 1;
    for (const s of series) s.value = el("span", {className: "value", title: many ? s.run.name : null});
    // one legend entry per channel, with its value in each run
    const legend = el("ul", {className: "legend"}, ...names.filter((n) => series.some((s) => s.name === n)).map((name) => {
      const own = series.filter((s) => s.name === name), swatch = el("span", {className: "swatch"});
      swatch.style.background = own[0].colour;
      return el("li", {}, swatch, el("span", {className: "name", text: name, title: own[0].channel.text}),
        ...own.flatMap((s) => (many ? [sample(s.run), s.value] : [s.value])),
        el("button", {type: "button", className: "x", text: "×", "aria-label": `Remove ${name}`, on: {click: () => this.flip(name)}}));
    }));
    const here = el("div", {className: "now"}), mount = el("div", {className: "plot"});
    const chart = {unit, series, here, mount};
    chart.box = el("figure", {className: "chart"},
      el("figcaption", {}, el("strong", {text: unit.startsWith("1 ") ? "–" : unit, title: unit.startsWith("1 ") ? "no unit" : "unit"}), legend,
        el("button", {type: "button", className: "x", text: "PNG", title: "Save this plot as a picture", on: {click: () => this.savePng(chart)}})), mount);
    return chart;
  }

  mount(chart) {
    const tables = chart.series.map((s) => [s.run.time, drawable(s.channel.values())]);
    const same = tables.every((t) => t[0] === tables[0][0]);
    const table = same ? [tables[0][0], ...tables.map((t) => t[1])] : uPlot.join(tables.map((t) => [Array.from(t[0]), Array.from(t[1])]));
    const line = css("--line"), text = css("--text");
    const axis = {stroke: text, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, font: "11px system-ui, sans-serif"};
    const size = this.chartSize(), {begin, end} = this.data;
    // a single time gets a range around it
    const x = end > begin ? {time: false} : {time: false, range: [begin - 0.5, end + 0.5]};
    chart.plot = new uPlot({
      ...size, legend: {show: false}, padding: [8, 20, 0, 0],
      cursor: {sync: {key: "hooke", setSeries: false}, drag: {x: true, y: false, setScale: true}, points: {size: 5}},
      scales: {x, y: {range: (_, low, high) => span(low, high)}},
      axes: [{...axis, ...this.axisLabel(), size: 26, values: (_, v, i, space, step) => ticks(v, step)},
        {...axis, size: (_, labels) => Math.max(62, 20 + 6.4 * (labels ?? []).reduce((m, s) => Math.max(m, s.length), 0)), values: (_, v, i, space, step) => ticks(v, step)}],
      series: [{}, ...chart.series.map((s) => ({stroke: s.colour, width: 1.4, dash: dashes[s.run.index % dashes.length], spanGaps: !same, points: {show: s.run.time.length === 1, size: 7, fill: s.colour}}))],
      hooks: {setScale: [(u, key) => { if (key === "x") this.zoomed(u); }]},
    }, table, chart.mount);
    chart.whole = table;
    const over = chart.plot.over;
    over.append(chart.here);
    let down = null;
    over.addEventListener("pointerdown", (e) => { down = e.clientX; });
    over.addEventListener("click", (e) => {
      if (down === null || Math.abs(e.clientX - down) > 3) return;
      this.player.seek(chart.plot.posToVal(e.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("dblclick", () => this.zoom(null));
    if (this.range) chart.plot.setScale("x", {min: this.range[0], max: this.range[1]});
  }

  /** the numbers of the runs have become more */
  refresh() {
    this.syncing = true;
    for (const c of this.charts) {
      if (c.detailed) continue;
      c.whole = [c.series[0].run.time, ...c.series.map((s) => drawable(s.channel.values()))];
      c.plot.setData(c.whole, !this.range);
    }
    this.syncing = false;
  }

  /** the label of the axis below, where it is not time */
  axisLabel() {
    const {name, unit} = this.data.runs[0].axis;
    return name === "time" ? {} : {label: unit ? `${name} (${unit})` : name, labelSize: 18, labelFont: "11px system-ui, sans-serif"};
  }

  chartSize() {
    const width = Math.max(200, this.list.clientWidth - 4);
    return {width, height: Math.max(120, Math.min(240, Math.round(width * 0.36)))};
  }

  resize() {
    for (const c of this.charts) if (this.list.clientWidth > 0) c.plot.setSize(this.chartSize());
    this.cursor(this.player.t);
  }

  // --- time and zoom -------------------------------------------------------------------------------

  cursor(t) {
    for (const c of this.charts) {
      if (!c.plot) continue;
      const x = c.plot.valToPos(t, "x"), inside = x >= 0 && x <= c.plot.over.clientWidth;
      c.here.style.transform = `translateX(${Math.round(x)}px)`;
      c.here.hidden = !inside;
      for (const s of c.series) s.value.textContent = show(s.channel.at(t), 5);
    }
  }

  /** apply the zoom of one chart to the others */
  zoomed(u) {
    if (this.syncing) return;
    const {min, max} = u.scales.x;
    if (!Number.isFinite(min) || !Number.isFinite(max)) return;
    this.zoom(min <= this.data.begin && max >= this.data.end ? null : [min, max], u);
  }

  zoom(range, by) {
    this.syncing = true;
    this.range = range;
    const [min, max] = range ?? [this.data.begin, this.data.end];
    for (const c of this.charts) {
      if (!range && c.detailed) { c.detailed = false; c.plot.setData(c.whole, false); }
      if (c.plot !== by) c.plot.setScale("x", {min, max});
    }
    this.syncing = false;
    this.cursor(this.player.t);
    if (range && this.data.served) {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.detail(min, max), 150);
    }
  }

  /** fetch the rows that the page leaves out from the server */
  async detail(min, max) {
    if (!this.data.runs.some((r) => r.thinned)) return;
    for (const c of this.charts) {
      try {
        const tables = await Promise.all(c.series.map(async (s) => {
          const answer = await fetch(`detail?run=${s.run.index}&channel=${s.channel.index}&from=${min}&to=${max}`);
          if (!answer.ok) throw new Error(answer.statusText);
          const {t, x} = await answer.json();
          return [t, x];
        }));
        if (!this.range || this.range[0] !== min || this.range[1] !== max) return;
        this.syncing = true;
        c.detailed = true;
        c.series.forEach((s, i) => { s.detail = tables[i]; });
        c.plot.setData(uPlot.join(tables), false);
        c.plot.setScale("x", {min, max});
        this.syncing = false;
      } catch { return; }
    }
  }

  // --- files -------------------------------------------------------------------------------------

  savePng(chart) {
    const from = chart.plot.ctx.canvas, to = el("canvas", {width: from.width, height: from.height + 24}), ctx = to.getContext("2d");
    ctx.fillStyle = css("--panel");
    ctx.fillRect(0, 0, to.width, to.height);
    ctx.drawImage(from, 0, 24);
    ctx.font = "12px system-ui, sans-serif";
    let x = 8;
    for (const s of chart.series) {
      ctx.fillStyle = s.colour;
      ctx.fillText(s.name, x, 16);
      x += ctx.measureText(s.name).width + 16;
    }
    to.toBlob((blob) => save(`${fileName(chart.series[0].name)}.png`, blob));
  }

  /** times and columns of a run within the zoom: all rows that the page has or has fetched */
  rowsOf(run, channels) {
    const series = this.charts.flatMap((c) => (c.detailed ? c.series : [])).filter((s) => s.run === run && s.detail);
    const details = channels.map((c) => series.find((s) => s.channel === c)?.detail), same = details[0]?.[0];
    const closer = run.thinned && this.range && details.every((d) => d && d[0].length === same.length && d[0].every((t, i) => t === same[i]));
    const [times, columns] = closer ? [same, details.map((d) => d[1])] : [run.time, channels.map((c) => c.values())];
    const keep = Array.from(times.keys()).filter((i) => !this.range || (times[i] >= this.range[0] && times[i] <= this.range[1]));
    return {table: [keep.map((i) => times[i]), ...columns.map((x) => keep.map((i) => x[i]))], thinned: run.thinned && !closer};
  }

  /** one table for several runs: the times of all of them, nan where a run has no value */
  csvTable() {
    const quote = (s) => (/[",\r\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
    const number = (x) => (x === null || x === undefined || Number.isNaN(x) ? "nan" : Number.isFinite(x) ? String(x) : x > 0 ? "inf" : "-inf");
    const many = this.data.runs.length > 1, names = [this.data.runs[0].axis.name === "time" ? "t" : this.data.runs[0].axis.name], tables = [];
    let thinned = false;
    for (const run of this.data.runs) {
      const channels = this.chosen.map((n) => run.byName.get(n)).filter(Boolean);
      if (!channels.length || this.hiddenRuns.has(run.index)) continue;
      const rows = this.rowsOf(run, channels);
      names.push(...channels.map((c) => quote(many ? `${c.name} (${run.name})` : c.name)));
      tables.push(rows.table);
      thinned ||= rows.thinned;
    }
    const [times, ...columns] = tables.length > 1 ? uPlot.join(tables) : tables[0] ?? [[]];
    const lines = Array.from(times, (t, i) => [t, ...columns.map((x) => x[i])].map(number).join(","));
    return {text: `${[names.join(","), ...lines].join("\n")}\n`, thinned};
  }

  csv() { return this.csvTable().text; }

  saveCsv() {
    const {text, thinned} = this.csvTable();
    save(`${fileName(this.data.runs[0].label)}${thinned ? "-thinned" : ""}.csv`, new Blob([text], {type: "text/csv"}));
  }

  theme() { this.draw(); }
}
