// SPDX-License-Identifier: Apache-2.0
// The text panels: summary, energy audit, constraint residuals, command, model text.
import {byId, el, show} from "./dom.js";

function table(title, note, head, rows) {
  return el("section", {className: "card"}, el("h2", {text: title}), note ? el("p", {className: "quiet", text: note}) : null,
    el("table", {}, ...(head.length > 2 ? [el("thead", {}, el("tr", {}, ...head.map((h) => el("th", {text: h}))))] : []),
      el("tbody", {}, ...rows.map(([name, ...values]) => el("tr", {}, el("th", {scope: "row", text: name}), ...values.map((v) => el("td", {text: v})))))));
}

const get = (o, path) => path.split(".").reduce((x, k) => (x === null || x === undefined ? undefined : x[k]), o);

const summaryRows = [
  ["Status", (r) => (r.raw.status || "–") + (r.summary?.message ? `: ${r.summary.message}` : "")],
  ["Grade", (r) => r.summary?.grade || "–"],
  ["Analysis", (r) => r.raw.analysis || "simulation"],
  ["Formulation", (r) => r.raw.formulation || "–"], ["Integrator", (r) => r.raw.integrator || "–"],
  ["Step", "step_s", "s"], ["Simulated time", "time_s", "s"], ["Bodies", "bodies"], ["Coordinates", "coordinates"],
  ["Constraints", "constraints"], ["Redundant constraints", "redundant"], ["Degrees of freedom", "dof"],
  ["Steps", "steps"], ["Rejected steps", "rejected"], ["Iterations", "iterations"], ["CPU time", "cpu_s", "s"],
  ["Faster than real time", "real_time_factor", "×"],
];
const energyRows = [["At the start", "energy.initial_J"], ["At the end", "energy.final_J"], ["Supplied", "energy.supplied_J"],
  ["Dissipated", "energy.dissipated_J"], ["Largest drift of the audit", "energy.max_drift_J"], ["Audit at the end", "energy.balance_error_J"],
  ["Largest drift, of the energy that moves", "drift_percent", "%"]];
const constraintRows = [["Positions", "constraint.position_max"], ["Velocities", "constraint.velocity_max"], ["Accelerations", "constraint.acceleration_max"]];

/** the settings of the methods and the parameters set by the caller, by name: [[name, value of each run ...]] */
function settingRows(runs) {
  const flat = runs.map((r) => {
    const s = r.raw.settings ?? {}, all = {tolerance: s.tolerance, substeps: s.substeps, ...s.options};
    for (const [name, value] of Object.entries(s.set ?? {})) all[`set ${name}`] = value;
    return all;
  });
  const names = [...new Set(flat.flatMap(Object.keys))].filter((n) => flat.some((f) => f[n] !== undefined && f[n] !== null));
  return names.map((n) => [n, ...flat.map((f) => (f[n] === undefined || f[n] === null ? "–" : typeof f[n] === "number" ? show(f[n]) : String(f[n])))]);
}

/** who supplied and who dissipated energy, where there are several: the six largest of any run */
function sourceRows(runs) {
  return [["supplied_by_J", "supplied"], ["dissipated_by_J", "dissipated"]].flatMap(([key, word]) => {
    const by = runs.map((r) => r.summary?.energy?.[key] ?? {}), most = (n) => Math.max(...by.map((b) => Math.abs(b[n] ?? 0)));
    const names = [...new Set(by.flatMap(Object.keys))].sort((a, b) => most(b) - most(a));
    return names.length < 2 ? [] : names.slice(0, 6).map((n) => [`${n}: ${word}`, ...by.map((b) => (typeof b[n] === "number" ? `${show(b[n])} J` : "–"))]);
  });
}

function rows(runs, list, unit) {
  return list.map(([name, key, own]) => [name, ...runs.map((r) => {
    if (typeof key === "function") return key(r);
    const v = get(r.summary, key);
    return v === undefined || v === null ? "–" : `${show(v)}${unit || own ? ` ${own ?? unit}` : ""}`;
  })]);
}

const timeRows = [["Period", "period_s", "s"], ["Periods", "periods"], ["Missed", "missed"], ["Skipped", "skipped"], ["Page faults", "page_faults"],
  ["Iterations of a step, at most", "fixed_iterations"], ["Steps that ended before convergence", "accepted_early"], ["Largest last correction of these", "left"],
  ...[["wake_us", "Wake-up"], ["step_us", "Step"]].flatMap(([key, name]) => [["half within", "p50"], ["99 % within", "p99"], ["99.99 % within", "p9999"], ["longest", "max"]]
    .map(([words, k]) => [`${name}, ${words}`, `${key}.${k}`, "µs"]))];

/** bars of a histogram [[from, to, count] ...], logarithmic; checked, since a result may be hostile */
function bars(title, bins) {
  const list = (Array.isArray(bins) ? bins : []).filter((b) => Array.isArray(b) && b.length === 3 && b.every(Number.isFinite)).slice(0, 200);
  const most = Math.max(1, ...list.map((b) => Math.log10(b[2] + 1)));
  return list.length ? [el("h3", {text: title}), el("table", {className: "bars"}, el("tbody", {}, ...list.map(([from, to, n]) =>
    el("tr", {}, el("th", {scope: "row", text: `${show(from, 3)} – ${show(to, 3)} µs`}), el("td", {}, el("progress", {max: most, value: Math.log10(n + 1)})), el("td", {text: String(n)})))))] : [];
}

/** how runs in real time kept their schedule */
function schedule(runs, head) {
  const timed = runs.filter((r) => r.summary?.periods !== undefined);
  if (!timed.length) return [];
  const card = table("Real time", "Counts are drawn on a logarithmic scale.", head, rows(runs, timeRows));
  for (const r of timed) card.append(...bars("Wake-up", r.summary.histograms?.wake_us), ...bars("Time of a step", r.summary.histograms?.step_us));
  return [card];
}

function command(run) {
  const text = run.raw.command || "–";
  const copy = el("button", {type: "button", text: "Copy", on: {click: async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; } catch { copy.textContent = "Select it and copy"; }
  }}});
  return el("section", {className: "card"}, el("h2", {text: "The command"}), el("pre", {className: "command", text}), copy);
}

export function summary(panel, data, plots) {
  const {runs} = data, head = ["", ...runs.map((r) => r.name)], settings = settingRows(runs);
  const energy = table("Energy audit", "E − E(0) − supplied + dissipated is zero for an exact solution; what is left measures the error of the run.",
    head, [...rows(runs, energyRows, "J"), ...sourceRows(runs)]);
  const names = runs[0].channels.map((c) => c.name).filter((n) => n.startsWith("energy."));
  if (names.length) energy.append(el("button", {type: "button", text: "Plot the energies", on: {click: () => { plots.choose(names); byId("tab-plots").click(); }}}));
  panel.append(table("Summary", "", head, rows(runs, summaryRows)), energy,
    table("Constraint residuals", "Largest absolute row over the run, by the joints' own equations (m or rad, and their rates).", head, rows(runs, constraintRows)),
    ...schedule(runs, head),
    ...(settings.length ? [table("Settings", "Of the methods, as they were in force.", head, settings)] : []),
    ...runs.map(command),
    el("p", {className: "quiet", text: `Recorded by Hooke ${runs[0].raw.hooke_version || "–"}; page by Hooke ${data.version}. Rows: ${runs.map((r) => r.rows).join(", ")}.`}));
}

/** the model's files besides the main one; checked, since a result may be hostile; empty for older results */
const otherFiles = (run) => (Array.isArray(run.raw.model_files) ? run.raw.model_files : []).filter((f) => typeof f?.name === "string" && typeof f.text === "string");

const size = (bytes) => (bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${show(bytes / 1e3, 3)} kB` : `${show(bytes / 1e6, 3)} MB`);

const code = (text, label) => el("pre", {className: "code", tabIndex: 0, role: "region", "aria-label": label, text});

/** one of the other files, folded, with a note when its text is not or only partly in the result */
function otherFile(f) {
  const bytes = Number(f.bytes), kept = Number(f.kept);
  const note = f.kind === "mesh" ? "A mesh: the animation holds its triangles."
    : kept < bytes ? (kept > 0 ? `The first ${size(kept)} of ${size(bytes)}; the result does not hold the rest.` : "The result does not hold this file: it has too many or too large ones.") : "";
  return el("details", {className: "file"}, el("summary", {}, el("span", {text: f.name}), el("span", {className: "quiet", text: Number.isFinite(bytes) ? size(bytes) : ""})),
    note ? el("p", {className: "quiet", text: note}) : null, f.text ? code(f.text, f.name) : null);
}

export function model(panel, data) {
  const seen = new Map();
  for (const run of data.runs) {
    const text = run.raw.model_text, files = otherFiles(run), title = run.raw.model_path || run.name;
    const card = el("section", {className: "card"}, el("h2", {text: title}));
    panel.append(card);
    const all = JSON.stringify([text, files]), same = seen.get(all);
    if (!text) card.append(el("p", {className: "quiet", text: "This result does not hold its model."}));
    else if (same) card.append(el("p", {className: "quiet", text: `The same model as in ${same}.`}));
    else card.append(code(text, title), ...files.map(otherFile));
    if (text && !same) seen.set(all, run.name);
  }
}

/** what the run itself warns of; checked, since a result may be hostile; empty for older results */
const warnings = (run) => (Array.isArray(run.summary?.warnings) ? run.summary.warnings : []).filter((w) => typeof w?.text === "string").slice(0, 8);

/** warnings at the top of the page */
export function notes(data) {
  const list = [];
  for (const r of data.runs) {
    if (r.thinned) list.push(`${r.name} has ${r.rows} rows; plots hold the smallest and largest values of every ${Math.round(2 * r.rows / r.kept)}${data.served ? "; zoom in for more" : ""}.`);
    if (r.fault) list.push(`${r.name}: the animation cannot be shown${r.scene ? " to its end" : ""}; in the file, ${r.fault} ${r.fault.startsWith("poses") ? "are no numbers" : "is not as it should be"}.`);
    for (const w of warnings(r)) list.push(`${r.name}: ${w.text}${w.hint ? ` (${w.hint})` : ""}.`);
    if (!data.live && r.raw.status && r.raw.status !== "ok") list.push(`${r.name}: the run did not end well (${r.raw.status}${r.summary?.message ? `: ${r.summary.message}` : ""}).`);
  }
  byId("notes").replaceChildren(...list.map((text) => el("p", {text})));
}
