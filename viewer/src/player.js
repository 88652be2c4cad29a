// SPDX-License-Identifier: Apache-2.0
// Time: play, pause, scrub, speed, loop. Listeners are called when the time changes.
import {byId, el} from "./dom.js";

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  constructor(begin, end, axis) {
    Object.assign(this, {begin, end, axis, t: begin, playing: false, speed: 1, loop: true, listeners: []});
    // very short and very long motions, and what is no time, are shown in about five seconds
    const length = end - begin;
    if (length > 0 && (length < 1 || length > 60 || axis.name !== "time")) {
      const want = length / 5;
      this.speed = Number(want.toPrecision(1));
    }
    this.build();
  }

  listen(fn) { this.listeners.push(fn); fn(this.t); }

  seek(t) {
    this.t = Math.min(this.end, Math.max(this.begin, t));
    this.range.value = String(this.length > 0 ? (this.t - this.begin) / this.length * 1000 : 0);
    const name = this.axis.name === "time" ? "" : `${this.axis.name} `, unit = this.axis.unit ? ` ${this.axis.unit}` : "";
    const text = `${name}${this.t.toFixed(this.digits)}${unit}`;
    this.readout.textContent = `${name}${this.t.toFixed(this.digits)} / ${this.end.toFixed(this.digits)}${unit}`;
    this.range.setAttribute("aria-valuetext", text);
    for (const fn of this.listeners) fn(this.t);
  }

  /** the end has moved; follow: and the time goes with it */
  extend(end, follow) {
    this.end = end;
    this.seek(follow ? end : this.t);
  }

  get length() { return this.end - this.begin; }
  get digits() { return this.length < 0.5 ? 4 : this.length < 5 ? 3 : 2; }

  play() {
    if (this.playing) return;
    if (this.t >= this.end) this.seek(this.begin);
    this.playing = true;
    this.last = null;
    this.showState();
    const tick = (now) => {
      if (!this.playing) return;
      if (this.last !== null) this.advance((now - this.last) / 1000 * this.speed);
      this.last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  advance(dt) {
    let t = this.t + Math.min(dt, this.length || dt);
    if (t >= this.end) {
      if (this.loop && this.length > 0) t = this.begin + (t - this.end) % this.length;
      else { t = this.end; this.pause(); }
    }
    this.seek(t);
  }

  pause() { this.playing = false; this.showState(); }
  toggle() { if (this.playing) this.pause(); else this.play(); }
  step(n) { this.pause(); this.seek(this.t + n * this.length / 400); }
  setSpeed(v) { this.speed = v; this.fillSpeeds(); }
  faster(n) {
    const list = this.speedList(), i = list.indexOf(this.speed);
    this.setSpeed(list[Math.min(list.length - 1, Math.max(0, i + n))]);
  }

  speedList() { return [...new Set([...speeds, this.speed])].sort((a, b) => a - b); }

  fillSpeeds() {
    this.select.replaceChildren(...this.speedList().map((v) =>
      el("option", {value: String(v), text: `${v}×`, selected: v === this.speed})));
    this.select.value = String(this.speed);
  }

  showState() {
    this.button.textContent = this.playing ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.button.setAttribute("aria-pressed", String(this.playing));
    this.loopButton.setAttribute("aria-pressed", String(this.loop));
  }

  build() {
    const button = (text, label, fn, more = {}) =>
      el("button", {type: "button", text, "aria-label": label, title: label, on: {click: fn}, ...more});
    this.button = button("▶", "Play", () => this.toggle(), {id: "play", className: "main"});
    this.loopButton = button("⟳", "Loop (L)", () => { this.loop = !this.loop; this.showState(); }, {id: "loop"});
    this.range = el("input", {type: "range", id: "scrub", min: "0", max: "1000", step: "any", value: "0",
      "aria-label": this.axis.name === "time" ? "Time" : this.axis.name, on: {input: () => this.seek(this.begin + this.range.value / 1000 * this.length)}});
    this.readout = el("output", {id: "readout"});
    this.select = el("select", {id: "speed", "aria-label": "Speed", title: "Speed ([ and ])",
      on: {change: () => this.setSpeed(Number(this.select.value))}});
    byId("transport").append(button("|◂", "To the start (Home)", () => this.seek(this.begin)),
      button("◂", "One step back (←)", () => this.step(-1)), this.button,
      button("▸", "One step on (→)", () => this.step(1)), this.range, this.readout, this.select, this.loopButton);
    this.fillSpeeds();
    this.showState();
  }
}
