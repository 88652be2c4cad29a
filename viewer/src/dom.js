// SPDX-License-Identifier: Apache-2.0
// Small helpers for elements. Text from results is only set as textContent, never as markup.

/** an element with properties and children; `text` becomes textContent */
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key === "text") e.textContent = value;
    else if (key === "on") for (const [name, fn] of Object.entries(value)) e.addEventListener(name, fn);
    else if (key in e && key !== "list") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

export const byId = (id) => document.getElementById(id);

/** a number as text, rounded for display */
export function show(x, digits = 6) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e9) return String(x);
  const a = Math.abs(x);
  return a !== 0 && (a < 1e-3 || a >= 1e6) ? x.toExponential(Math.min(digits, 4) - 1) : Number(x.toPrecision(digits)).toString();
}

/** offer a file to save */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const a = el("a", {href: url, download: name});
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 5000);
}

/** a file name from any text */
export const fileName = (text) => text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "") || "hooke";

/** a colour of the page's style */
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
