// SPDX-License-Identifier: Apache-2.0
// A run that goes on: asks the server for what has come, and appends it. The time follows the end until somebody moves it.
import {byId} from "./dom.js";

const pause = 200; // ms between questions

export class Live {
  constructor(data, player, plots, stage) {
    Object.assign(this, {data, player, plots, stage, run: data.runs[0], following: true, asked: 0});
    this.chip = byId("status");
    this.say("running");
    // whoever plays or scrubs looks back; going to the end follows again
    player.listen(() => { if (!this.moving) this.following = player.t >= player.end - 1e-9; });
    this.next();
  }

  say(text) {
    this.chip.textContent = text;
    this.chip.dataset.status = text === "running" || text === "ok" ? "ok" : "bad";
  }

  next() { this.later = setTimeout(() => this.ask(), pause); }

  async ask() {
    const {run} = this;
    try {
      const answer = await fetch(`detail?rows=${run.rows}&frames=${run.frames?.time.length ?? 0}`);
      if (!answer.ok) throw new Error(answer.statusText);
      const more = await answer.json();
      this.asked += 1;
      if (more.t.length || more.frames.time.length) this.take(more);
      if (more.ended) { this.say(more.status); return; }
    } catch {
      this.say("no longer followed");
      return;
    }
    this.next();
  }

  take(more) {
    this.run.append(more);
    this.data.end = Math.max(this.data.end, this.run.end);
    this.plots.refresh();
    this.moving = true;
    this.player.extend(this.data.end, this.following && !this.player.playing);
    this.moving = false;
    if (this.stage) this.stage.dirty = true;
  }
}
