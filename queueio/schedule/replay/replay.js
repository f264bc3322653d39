"use strict";
// Plays a tape: `at` events have happened. All that is shown is worked out anew from the columns,
// by binary search, so that going back is as quick as going on. Texts are set as text only.
(() => {
  const tape = JSON.parse(document.getElementById("tape").textContent);
  const texts = tape.strings, events = tape.events, stays = tape.stays, N = events.actor.length;
  const SVG = "http://www.w3.org/2000/svg";
  const SPEEDS = [1, 2, 5, 10, 30, 100, 1000, 10000], SHOWN = 50, FLYING = 12, LISTED = 100;
  const EPOCHS = ["#78716c", "#1d4ed8", "#b45309", "#047857", "#7e22ce", "#be123c", "#0e7490", "#4d7c0f"];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const byId = id => document.getElementById(id);
  let at = 0, playing = false, speed = 5, followed = -1, way = new Set(), last = 0, due = 0, queue = 0;

  // ---- small things

  function made(parent, name, attributes = {}, text = null) {
    const element = parent.namespaceURI === SVG || name === "svg"
      ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== null) element.textContent = text;
    parent.append(element);
    return element;
  }
  /** How many of a rising column are below a value. */
  function below(column, value) {
    let low = 0, high = column.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const colour = epoch => epoch ? EPOCHS[1 + (epoch - 1) % (EPOCHS.length - 1)] : EPOCHS[0];
  const fit = (text, letters) => text.length <= letters ? text : "…" + text.slice(1 - letters);

  // ---- what was when

  function level(q, place) {
    const [places, sizes, closed] = tape.levels[q], n = below(places, place);
    return n ? { size: sizes[n - 1], closed: !!closed[n - 1] } : { size: 0, closed: false };
  }
  function standing(actor, place) {
    const [places, state, waits, what, why, line] = tape.standings[actor], n = below(places, place) - 1;
    if (n < 0) return null;
    return { state: texts[state[n]], waits: !!waits[n], what: texts[what[n]], why: texts[why[n]], line: texts[line[n]] };
  }
  const takenBy = new Map(), putBy = new Map(), children = new Map();
  const changes = tape.queues.map(() => []);
  const most = tape.levels.map(([, sizes]) => sizes.reduce((a, b) => Math.max(a, b), 1));
  for (let id = 0; id < stays.queue.length; id++) {
    const note = (map, key) => { if (!map.has(key)) map.set(key, []); map.get(key).push(id); };
    if (stays.put[id] >= 0) { note(putBy, stays.put[id]); changes[stays.queue[id]].push([stays.put[id], 0, id]); }
    if (stays.taken[id] >= 0) { note(takenBy, stays.taken[id]); changes[stays.queue[id]].push([stays.taken[id], 1, id]); }
    for (const parent of stays.parents[id]) note(children, parent);
  }
  const kept = changes.map((list, q) => {
    list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const every = Math.max(512, 4 * most[q]), snapshots = [], now = new Set();
    list.forEach(([, out, id], n) => {
      if (n % every === 0) snapshots.push([...now]);
      if (out) now.delete(id); else now.add(id);
    });
    return { every, snapshots, places: list.map(change => change[0]) };
  });
  /** The elements that are in a queue, those that came first before the others. */
  function inside(q, place) {
    const { every, snapshots, places } = kept[q], n = below(places, place), from = Math.floor(n / every);
    const now = new Set(snapshots[Math.min(from, snapshots.length - 1)] || []);
    for (let k = Math.min(from, Math.max(snapshots.length - 1, 0)) * every; k < n; k++) {
      const [, out, id] = changes[q][k];
      if (out) now.delete(id); else now.add(id);
    }
    if (tape.complete) return [...now];
    const size = level(q, place).size; // of a free run not all that left was seen
    return size ? [...now].slice(-size) : [];
  }

  // ---- the drawing: tanks, and the pipes between them, one layer after the other

  let spots = new Map(), drawn = null;
  function layers() {
    const nodes = [...tape.queues.keys()].map(q => "q" + q).concat([...tape.pipes.keys()].map(p => "p" + p));
    const before = new Map(nodes.map(node => [node, []])), near = new Map(nodes.map(node => [node, []]));
    tape.pipes.forEach((pipe, p) => {
      for (const q of pipe.takes) before.get("p" + p).push("q" + q);
      for (const q of pipe.puts) before.get("q" + q).push("p" + p);
      for (const q of [...pipe.takes, ...pipe.puts]) { near.get("p" + p).push("q" + q); near.get("q" + q).push("p" + p); }
    });
    const depth = new Map(), open = new Set();
    const deep = node => {
      if (depth.has(node)) return depth.get(node);
      if (open.has(node)) return 0; // a circle
      open.add(node);
      const found = Math.max(-1, ...before.get(node).map(deep)) + 1;
      depth.set(node, found);
      return found;
    };
    nodes.forEach(deep);
    for (const node of nodes) if (node[0] === "q" && depth.get(node) === 0) depth.set(node, 1);
    const seen = new Set(), rows = [];
    for (const start of nodes) {
      if (seen.has(start)) continue;
      const group = [start]; seen.add(start);
      for (const node of group) for (const other of near.get(node)) if (!seen.has(other)) { seen.add(other); group.push(other); }
      rows.push(group);
    }
    return { depth, rows };
  }
  function place(width) {
    const { depth, rows } = layers(), deepest = Math.max(1, ...depth.values()) + 1;
    const slot = width / deepest, wide = slot >= 132;
    const along = wide ? Math.min(slot, 210) : 120, across = wide ? 150 : Math.max(150, Math.min(200, width / 2));
    spots = new Map();
    let offset = 0, broad = 0;
    for (const group of rows) {
      const taken = new Map();
      let size = 1;
      for (const node of group) {
        const n = taken.get(depth.get(node)) || 0;
        taken.set(depth.get(node), n + 1);
        size = Math.max(size, n + 1);
        spots.set(node, [depth.get(node), offset + n]);
      }
      for (const node of group) { // in the middle of its group
        const spot = spots.get(node);
        spot[1] += (size - taken.get(spot[0])) / 2;
      }
      offset += size; broad = Math.max(broad, size);
    }
    if (!wide && offset * across > width) { // one pipeline below the other
      let top = 0;
      for (const group of rows) {
        const first = Math.min(...group.map(node => spots.get(node)[1] | 0));
        const own = Math.max(...group.map(node => depth.get(node))) + 1;
        for (const node of group) { const spot = spots.get(node); spot[1] -= first; spot[0] += top; }
        top += own;
      }
      offset = broad;
      const side = Math.max(0, (width - offset * across) / 2);
      for (const [node, [layer, row]] of spots) spots.set(node, [side + row * across + across / 2, layer * along + along / 2]);
      return [Math.max(width, offset * across), top * along];
    }
    const side = wide ? 0 : Math.max(0, (width - offset * across) / 2);
    for (const [node, [layer, row]] of spots) {
      const a = layer * along + along / 2, b = side + row * across + across / 2;
      spots.set(node, wide ? [a, b] : [b, a]);
    }
    return wide ? [deepest * along, offset * across] : [Math.max(width, offset * across), deepest * along];
  }
  const WIDE = 116, HIGH = 74;
  function build() {
    const stage = byId("stage"), [width, height] = place(Math.max(stage.clientWidth - 2, 280));
    stage.replaceChildren();
    if (!spots.size) { made(stage, "p", { class: "soft", style: "padding: 1rem" }, "No queue was seen in this run."); drawn = null; return; }
    const svg = made(stage, "svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "The pipeline: its queues and who moves elements between them" });
    drawn = { svg, tanks: [], pipes: [], lines: made(svg, "g"), flying: null };
    tape.pipes.forEach((pipe, p) => {
      const lines = [], line = (a, b) => {
        const [x, y] = spots.get(a), [u, v] = spots.get(b);
        lines.push(made(drawn.lines, "path", { class: "pipe", d: Math.abs(u - x) > Math.abs(v - y) ? `M${x} ${y} C${(x + u) / 2} ${y} ${(x + u) / 2} ${v} ${u} ${v}` : `M${x} ${y} C${x} ${(y + v) / 2} ${u} ${(y + v) / 2} ${u} ${v}` }));
      };
      pipe.takes.forEach(q => line("q" + q, "p" + p));
      pipe.puts.forEach(q => line("p" + p, "q" + q));
      drawn.pipes.push({ lines });
    });
    tape.queues.forEach((each, q) => drawn.tanks.push(buildTank(svg, each, q)));
    tape.pipes.forEach((pipe, p) => Object.assign(drawn.pipes[p], buildBox(svg, pipe, p)));
    drawn.flying = made(svg, "g");
  }
  function buildTank(svg, each, q) {
    const [x, y] = spots.get("q" + q), g = made(svg, "g", { transform: `translate(${x - WIDE / 2} ${y - HIGH / 2})` });
    made(g, "title", {}, each.name + (each.kept ? `, min_after_dequeue ${each.kept}` : ""));
    made(g, "rect", { class: "tank", width: WIDE, height: HIGH, rx: 4 });
    const water = made(g, "rect", { class: "level", x: 1, width: WIDE - 2, height: 0 });
    const room = each.capacity >= 0 ? each.capacity : most[q];
    if (each.kept) {
      const line = HIGH * (1 - Math.min(1, each.kept / room));
      made(g, "line", { class: "kept", x1: 0, x2: WIDE, y1: line, y2: line });
    }
    made(g, "text", { class: "middle", x: WIDE / 2, y: -7 }, fit(each.name, 21));
    const tokens = made(g, "g"), label = made(g, "text", { class: "middle soft", x: WIDE / 2, y: HIGH + 14 });
    return { g, water, tokens, label, room, rect: g.querySelector(".tank") };
  }
  function buildBox(svg, pipe, p) {
    const [x, y] = spots.get("p" + p), shown = pipe.actors.slice(0, 5), wide = Math.max(64, 22 * Math.min(pipe.actors.length, 6) + 8);
    const g = made(svg, "g", { transform: `translate(${x - wide / 2} ${y - 16})` });
    made(g, "title", {}, pipe.actors.map(a => `${tape.actors[a].letter} ${tape.actors[a].full}`).join("\n"));
    const box = made(g, "rect", { class: "box", width: wide, height: 32, rx: 16 });
    const chips = shown.map((a, n) => {
      const cx = wide / 2 + (n - (Math.min(pipe.actors.length, 6) - 1) / 2) * 22;
      const chip = made(g, "circle", { class: "chip", cx, cy: 16, r: 9 });
      made(g, "text", { class: "letter", x: cx, y: 20 }, tape.actors[a].letter);
      return [a, chip];
    });
    if (pipe.actors.length > 5) made(g, "text", { class: "soft", x: wide / 2 + 2.5 * 22 - 8, y: 20 }, "+" + (pipe.actors.length - 5));
    const name = made(g, "text", { class: "middle soft", x: wide / 2, y: -6 }, pipe.takes.length ? (pipe.puts.length ? "" : pipe.actors.length > 1 ? `${pipe.actors.length} threads` : fit(tape.actors[pipe.actors[0]].name, 20)) : "source");
    const state = made(g, "text", { class: "middle soft", x: wide / 2, y: 46 });
    return { box, chips, name, state };
  }
  function token(parent, id, x, y) {
    const epoch = id < 0 ? 0 : stays.epoch[id];
    const dot = made(parent, "circle", { class: "token" + (way.has(id) ? " followed" : ""), cx: x, cy: y, r: way.has(id) ? 5.5 : 4.2, fill: colour(epoch) });
    if (id >= 0) {
      dot.dataset.stay = id;
      made(dot, "title", {}, [texts[stays.key[id]], texts[stays.shown[id]]].filter(Boolean).join("\n"));
    }
    return dot;
  }
  function paintTank(q) {
    const tank = drawn.tanks[q], now = level(q, at), height = HIGH * Math.min(1, now.size / Math.max(1, tank.room));
    tank.water.setAttribute("y", HIGH - height); tank.water.setAttribute("height", height);
    tank.rect.setAttribute("class", now.closed ? "tank closed" : "tank");
    tank.label.textContent = `${now.size.toLocaleString("en")}${tape.queues[q].capacity >= 0 ? " / " + tape.queues[q].capacity.toLocaleString("en") : ""}${now.closed ? ", closed" : ""}`;
    const held = inside(q, at), here = held.slice(0, SHOWN);
    for (const id of held.slice(SHOWN)) if (way.has(id)) here[here.length - 1] = id;
    tank.tokens.replaceChildren();
    here.forEach((id, n) => token(tank.tokens, id, 8 + (n % 10) * 11.1, HIGH - 8 - Math.floor(n / 10) * 13));
  }
  function paintBox(p) {
    const pipe = drawn.pipes[p], flows = at > 0 && events.pipe[at - 1] === p && events.count[at - 1] > 0;
    pipe.box.setAttribute("class", flows ? "box flows" : "box");
    pipe.lines.forEach(line => line.setAttribute("class", flows ? "pipe flows" : "pipe"));
    let waits = 0;
    for (const [actor, chip] of pipe.chips) {
      const now = standing(actor, at);
      chip.setAttribute("class", !now || now.state === "done" ? "chip done" : now.waits ? "chip waits" : "chip");
      waits += !!(now && now.waits);
    }
    pipe.state.textContent = waits ? (pipe.chips.length > 1 ? `${waits} of ${tape.pipes[p].actors.length} wait` : "waits") : "";
  }
  /** Tokens on their way: out of tanks in the first half of `seconds`, into others in the second. */
  function fly(event, seconds) {
    const p = events.pipe[event];
    if (!drawn || p < 0 || !events.count[event] || calm.matches || document.hidden) return;
    const pipe = tape.pipes[p], middle = spots.get("p" + p), moves = [];
    const add = (ids, queues, out) => {
      if (!ids.length && queues.length) ids = Array(Math.min(3, events.count[event])).fill(-1);
      ids.slice(0, FLYING).forEach((id, n) => {
        const tank = spots.get("q" + (id < 0 ? queues[0] : stays.queue[id]));
        moves.push({ id, from: out ? tank : middle, to: out ? middle : tank, begin: (out || !pipe.takes.length ? 0 : .45) + n * .02 });
      });
    };
    add(takenBy.get(event) || [], pipe.takes, true);
    add(putBy.get(event) || [], pipe.puts, false);
    const dots = moves.map(move => token(drawn.flying, move.id, ...move.from)), began = performance.now();
    dots.forEach(dot => { dot.style.display = "none"; dot.style.pointerEvents = "none"; });
    const step = now => {
      const part = (now - began) / 1000 / seconds;
      moves.forEach((move, n) => {
        const done = clamp((part - move.begin) / .5, 0, 1);
        dots[n].style.display = done > 0 && done < 1 ? "" : "none";
        dots[n].setAttribute("cx", move.from[0] + (move.to[0] - move.from[0]) * done);
        dots[n].setAttribute("cy", move.from[1] + (move.to[1] - move.from[1]) * done);
      });
      if (part < 1.3) requestAnimationFrame(step); else dots.forEach(dot => dot.remove());
    };
    requestAnimationFrame(step);
  }

  // ---- words

  function paintNow() {
    const now = byId("now"), event = at - 1;
    now.replaceChildren();
    byId("line").textContent = event < 0 ? "" : texts[events.line[event]];
    byId("place").textContent = event < 0 ? `beginning, ${N.toLocaleString("en")} events` : `${at.toLocaleString("en")} of ${N.toLocaleString("en")} · ${events.seconds[event].toFixed(3)} s${tape.complete ? " (virtual)" : ""}`;
    byId("scrub").value = at;
    byId("scrub").setAttribute("aria-valuetext", byId("place").textContent);
    if (event < 0) { now.textContent = N ? "Nothing has happened yet." : "Nothing happened in this run."; return; }
    const actor = events.actor[event];
    if (actor >= 0) { made(now, "b", {}, `${tape.actors[actor].letter} ${tape.actors[actor].name}`); now.append(": "); }
    now.append(texts[events.told[event]]);
    tape.levels.forEach(([places, sizes, closed], q) => {
      const n = below(places, event);
      if (places[n] !== event) return;
      const was = n ? sizes[n - 1] : 0, ends = closed[n] && !(n && closed[n - 1]);
      now.append(" ");
      made(now, "span", { class: "change" }, `[${tape.queues[q].name} ${was}→${sizes[n]}${ends ? ", closes" : ""}]`);
    });
    if (events.error[event]) { now.append(" "); made(now, "span", { class: "error" }, "! " + texts[events.error[event]]); }
  }
  function paintThreads() {
    const list = byId("threads");
    list.replaceChildren();
    tape.actors.forEach((actor, a) => {
      const now = standing(a, at);
      if (!now) return;
      const item = made(list, "li", { class: now.waits ? "waits" : now.state === "done" ? "" : "busy" });
      made(item, "b", {}, `${actor.letter} ${actor.name}`);
      item.append(` ${now.state} `);
      if (now.why) made(item, "span", { class: "why" }, now.why);
      if (now.what) made(item, "div", { class: "soft" }, now.what);
      if (now.line) made(item, "div", { class: "soft mono" }, now.line);
    });
  }
  const called = id => [texts[stays.key[id]], texts[stays.shown[id]]].filter(Boolean).join(" · ") || "an element";
  function paintElements() {
    const list = byId("elements"), at_ = document.activeElement, stay = list.contains(at_) ? at_.dataset.stay : null;
    list.replaceChildren();
    if (!tape.queues.length) return;
    const held = inside(queue, at), size = level(queue, at).size;
    byId("held").textContent = tape.complete ? `${size} in it` : `${size} in it, ${held.length} of them were looked at`;
    for (const id of held.slice(0, LISTED)) {
      const item = made(list, "li", { style: `border-color: ${colour(stays.epoch[id])}` });
      made(item, "button", { "data-stay": id }, called(id));
    }
    if (held.length > LISTED) made(list, "li", { class: "soft" }, `and ${held.length - LISTED} more`);
    // Who steps with the keyboard stays at the element, or at the list when the element has left.
    if (stay) (list.querySelector(`[data-stay="${stay}"]`) || list).focus({ preventScroll: true });
  }
  function follow(id) {
    followed = id; way = new Set();
    const up = [id], down = [id];
    while (id >= 0 && up.length) { const one = up.pop(); if (!way.has(one)) { way.add(one); up.push(...stays.parents[one]); } }
    const seen = new Set();
    while (id >= 0 && down.length) { const one = down.pop(); if (!seen.has(one)) { seen.add(one); way.add(one); down.push(...(children.get(one) || [])); } }
    // Who takes a file out of its queue makes many elements of it: the others' ways are not this one's.
    paintWay(); paint();
  }
  function paintWay() {
    const list = byId("way");
    list.replaceChildren();
    byId("nobody").hidden = followed >= 0; byId("leave").hidden = followed < 0;
    const jump = (item, verb, event) => {
      if (event < 0) return;
      const who = events.actor[event] < 0 ? "" : ` by ${tape.actors[events.actor[event]].letter}`;
      item.append(` ${verb} at `);
      made(item, "button", { "data-event": event }, `${event + 1}${who}`);
    };
    const ids = [...way].sort((a, b) => stays.put[a] - stays.put[b]);
    for (const id of ids.slice(0, LISTED)) {
      const item = made(list, "li", {});
      made(item, "b", {}, tape.queues[stays.queue[id]].name); item.append(" ");
      made(item, "span", { class: "mono" }, called(id));
      if (stays.epoch[id]) item.append(` (epoch ${stays.epoch[id]})`);
      jump(item, "in", stays.put[id]); jump(item, "out", stays.taken[id]);
      const out = stays.taken[id];
      if (out >= 0 && !children.has(id) && events.pipe[out] >= 0 && !tape.pipes[events.pipe[out]].puts.length)
        made(item, "div", {}, `→ delivered in a batch of ${events.count[out]}: ${texts[events.line[out]] || texts[events.told[out]]}`);
    }
    if (ids.length > LISTED) made(list, "li", { class: "soft" }, `and ${ids.length - LISTED} more`);
  }
  function paint() {
    paintNow();
    if (drawn) { tape.queues.forEach((_, q) => paintTank(q)); tape.pipes.forEach((_, p) => paintBox(p)); }
    paintHead();
    if (!playing || speed <= 30) { paintThreads(); paintElements(); }
  }

  // ---- the chart: each pixel shows the least and the most of its time, so a near view is exact

  const TALL = 58, LOW = 25, LEFT = 8;
  const scale = place => tape.complete ? place : place > 0 ? events.seconds[place - 1] : 0;
  const whole = () => [0, Math.max(tape.complete ? N : N ? events.seconds[N - 1] : 1, 1e-6)];
  let view = whole(), chartWidth = 300;
  const toX = value => LEFT + (value - view[0]) / (view[1] - view[0]) * (chartWidth - 2 * LEFT);
  const placeAt = value => tape.complete ? Math.round(value) : below(events.seconds, value);
  function paintChart() {
    const canvas = byId("chart").querySelector("canvas"), ratio = devicePixelRatio || 1;
    chartWidth = byId("chart").clientWidth;
    const height = tape.queues.length * TALL + tape.actors.length * LOW + 8;
    canvas.width = chartWidth * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
    const pen = canvas.getContext("2d"), css = getComputedStyle(document.documentElement), of = name => css.getPropertyValue(name).trim();
    pen.scale(ratio, ratio); pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "top";
    const first = placeAt(view[0]), past = Math.min(N, placeAt(view[1]) + 1);
    tape.queues.forEach((each, q) => {
      const top = q * TALL + 16, high = TALL - 20, room = Math.max(1, each.capacity >= 0 ? each.capacity : most[q]);
      const y = size => top + high * (1 - Math.min(1, size / room)), [places, sizes] = tape.levels[q];
      pen.fillStyle = of("--soft"); pen.fillText(`${fit(each.name, Math.floor(chartWidth / 9))} (0 to ${room.toLocaleString("en")})`, LEFT + 4, top - 14);
      pen.fillStyle = of("--raised"); pen.fillRect(LEFT, top, chartWidth - 2 * LEFT, high);
      pen.fillStyle = of("--water"); pen.strokeStyle = of("--edge"); pen.beginPath();
      let size = level(q, first + 1).size, x = Math.floor(toX(scale(first))), low = size, up = size;
      const column = to => { // from x to there: first all that happened in x's pixel, then its last size
        const from = clamp(x, LEFT, chartWidth - LEFT), past_ = clamp(to, from + 1, chartWidth - LEFT + 1);
        pen.fillRect(from, y(size), past_ - from, top + high - y(size));
        pen.moveTo(from + .5, y(up)); pen.lineTo(from + .5, y(low)); pen.moveTo(from, y(size)); pen.lineTo(past_, y(size));
      };
      for (let n = below(places, first + 1); n < places.length && places[n] <= past; n++) {
        const here = Math.floor(toX(scale(places[n] + 1)));
        if (here > x) { column(here); x = here; low = up = size; }
        size = sizes[n]; low = Math.min(low, size); up = Math.max(up, size);
      }
      column(toX(scale(past)));
      pen.stroke();
      if (each.kept) {
        pen.save(); pen.strokeStyle = of("--wait"); pen.setLineDash([4, 3]); pen.beginPath();
        pen.moveTo(LEFT, y(each.kept)); pen.lineTo(chartWidth - LEFT, y(each.kept)); pen.stroke(); pen.restore();
      }
    });
    tape.actors.forEach((actor, a) => {
      const top = tape.queues.length * TALL + a * LOW + 4, [places, state, waits] = tape.standings[a];
      pen.fillStyle = of("--soft"); pen.fillText(`${actor.letter} ${fit(actor.name, Math.floor(chartWidth / 9))}`, LEFT + 4, top);
      pen.fillStyle = of("--raised"); pen.fillRect(LEFT, top + 13, chartWidth - 2 * LEFT, LOW - 16);
      pen.fillStyle = of("--wait");
      let drawnTo = -1;
      for (let n = Math.max(below(places, first + 1) - 1, 0); n < places.length && places[n] <= past; n++) {
        if (!waits[n]) continue;
        const from = Math.max(toX(scale(places[n] + 1)), LEFT), end = n + 1 < places.length ? places[n + 1] + 1 : N;
        const to = Math.min(Math.max(toX(scale(end)), from + 1), chartWidth - LEFT);
        if (to > drawnTo) { pen.fillRect(Math.max(from, drawnTo), top + 13, Math.max(to - Math.max(from, drawnTo), 0), LOW - 16); drawnTo = to; }
      }
    });
    paintHead();
  }
  function paintHead() {
    const x = toX(scale(at)), head = byId("head");
    head.style.left = x + "px"; head.style.display = x < LEFT - 1 || x > chartWidth ? "none" : "";
  }
  function zoom(by, middle = clamp(scale(at), ...view)) {
    const [low, high] = whole(), least = tape.complete ? Math.min(10, high) : high / 20000;
    const wide = clamp((view[1] - view[0]) * by, least, high - low);
    const part = (middle - view[0]) / (view[1] - view[0]), from = clamp(middle - wide * part, low, high - wide);
    view = [from, from + wide];
    paintChart();
  }
  function keepInView() {
    const here = scale(at);
    if (here >= view[0] && here <= view[1]) return;
    const wide = view[1] - view[0], [low, high] = whole(), from = clamp(here - wide / 10, low, Math.max(low, high - wide));
    view = [from, from + wide];
    paintChart();
  }

  // ---- playing

  function seek(place) { at = clamp(place, 0, N); due = 0; keepInView(); paint(); }
  function step(by) { pause(); seek(at + by); if (by === 1 && at > 0) fly(at - 1, .8); }
  function pause() { if (playing) { playing = false; byId("play").textContent = "Play"; paint(); } }
  function play() {
    if (playing) { pause(); return; }
    if (at >= N) at = 0;
    playing = true; last = performance.now(); due = 0;
    byId("play").textContent = "Pause";
    requestAnimationFrame(frame);
  }
  function frame(now) {
    if (!playing) return;
    due += Math.min(now - last, 250) / 1000 * speed; last = now;
    const whole_ = Math.floor(due);
    if (whole_) {
      due -= whole_; at = Math.min(N, at + whole_);
      keepInView(); paint();
      if (speed <= 10) fly(at - 1, .9 / speed);
    }
    if (at >= N) pause(); else requestAnimationFrame(frame);
  }
  function setSpeed(value) { speed = value; byId("speed").value = String(value); }

  // ---- hands

  byId("end").textContent = tape.end ? `The run ${/^[a-z]/.test(tape.end) ? "" : "ended: "}${tape.end}` : "";
  if (!tape.complete) byId("looks").textContent = "Seen while it ran free: each call, and ten times a second who waits and what is in the queues. A wait that came and went between two such looks is not drawn.";
  byId("end").className = /DEADLOCK|Error|failed|stopped/.test(tape.end) ? "bad" : "";
  byId("scrub").max = N;
  SPEEDS.forEach(each => made(byId("speed"), "option", { value: each }, `${each.toLocaleString("en")} a second`));
  setSpeed(SPEEDS.find(each => N / each <= 60) || SPEEDS[SPEEDS.length - 1]);
  tape.queues.forEach((each, q) => made(byId("queue"), "option", { value: q }, each.name));
  queue = Math.max(0, tape.queues.length - 1);
  byId("queue").value = String(queue);
  const passes = [...new Set(stays.epoch)].filter(Boolean).sort((a, b) => a - b);
  if (passes.length) {
    byId("epochs").textContent = "epoch";
    for (const each of passes.slice(0, 7)) { made(byId("epochs"), "span", { class: "dot", style: `background: ${colour(each)}` }); byId("epochs").append(String(each)); }
    if (passes.length > 7) byId("epochs").append(` … ${passes[passes.length - 1]}, in these colours over again`);
  }
  const press = { first: () => { pause(); seek(0); }, back: () => step(-1), play, forth: () => step(1), last: () => { pause(); seek(N); },
    nearer: () => zoom(.5), farther: () => zoom(2), whole: () => { view = whole(); paintChart(); }, leave: () => follow(-1) };
  for (const [id, act] of Object.entries(press)) byId(id).addEventListener("click", act);
  byId("scrub").addEventListener("input", change => { pause(); seek(Number(change.target.value)); });
  byId("speed").addEventListener("change", change => setSpeed(Number(change.target.value)));
  byId("queue").addEventListener("change", change => { queue = Number(change.target.value); paintElements(); });
  document.addEventListener("click", click => {
    const chosen = click.target.closest("[data-stay]"), jump = click.target.closest("[data-event]");
    if (chosen) follow(Number(chosen.dataset.stay));
    if (jump) { pause(); seek(Number(jump.dataset.event) + 1); }
  });
  const faster = by => setSpeed(SPEEDS[clamp(SPEEDS.indexOf(speed) + by, 0, SPEEDS.length - 1)]);
  const keys = { " ": play, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: press.first, End: press.last,
    "+": press.nearer, "-": press.farther, "0": press.whole, ",": () => faster(-1), ".": () => faster(1), Escape: press.leave };
  document.addEventListener("keydown", key => {
    if (key.ctrlKey || key.metaKey || key.altKey || !keys[key.key]) return;
    if (/SELECT|INPUT/.test(key.target.tagName) && key.key !== "Escape" || key.target.tagName === "BUTTON" && key.key === " ") return;
    key.preventDefault(); keys[key.key]();
  });
  const chart = byId("chart"), valueAt = event => view[0] + (event.clientX - chart.getBoundingClientRect().left - LEFT) / (chartWidth - 2 * LEFT) * (view[1] - view[0]);
  const drag = event => { if (event.buttons & 1) { pause(); seek(placeAt(valueAt(event))); } };
  chart.addEventListener("pointerdown", drag); chart.addEventListener("pointermove", drag);
  chart.addEventListener("wheel", wheel => { wheel.preventDefault(); zoom(wheel.deltaY < 0 ? .7 : 1.4, clamp(valueAt(wheel), ...view)); }, { passive: false });
  const again = () => { build(); paintChart(); paint(); };
  addEventListener("resize", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  again();
})();
