// Keeps an open page up to date. The server says that something has changed; the
// page is then read again and its parts are replaced where they differ. What a
// person typed, opened, focused or scrolled to stays. Without this file every
// page has its Refresh link.
(() => {
  "use strict";
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  const all = (q, r = document) => [...r.querySelectorAll(q)];
  const regions = ["#banners", "#nav", "#main", "#shown", "#symbols"];
  const lists = !main.dataset.live.includes("intent="); // a page about one intent is renewed whole
  const asked = new URL(location.href);
  asked.hash = "";

  let source = null;    // the stream, while there is one
  let heard = 0;        // when it last said anything
  let timer = 0;        // of the next try
  let wait = 15000;     // before it
  let reading = false;  // the page is being read
  let again = false;    // it changed meanwhile
  let missed = false;   // it changed while a form was filled in
  let held = null;      // a newer page whose list is not shown yet
  let over = false;     // signed out, or gone: nothing is asked for any more

  const line = (text) => all("[data-live-line]").forEach((e) => { e.hidden = !text; if (e.textContent !== text) e.textContent = text; });
  const say = (text) => document.dispatchEvent(new CustomEvent("console:say", { detail: text }));
  const clock = () => document.querySelector("#shown time .nb")?.textContent ?? "";

  // The bar at the foot of the window: what waits to be shown, or that nothing
  // will be. It is never over the text that has the focus.
  const bar = document.createElement("div");
  bar.className = "news";
  bar.hidden = true;
  bar.setAttribute("role", "region");
  bar.setAttribute("aria-label", "News of this page");
  document.body.append(bar);
  const announce = (text, label, act) => {
    if (bar.dataset.said !== text) say(text);
    bar.dataset.said = text;
    bar.replaceChildren(text);
    if (label) {
      const b = document.createElement(typeof act === "string" ? "a" : "button");
      b.className = "btn";
      b.textContent = label;
      if (typeof act === "string") { b.href = act; b.target = "_blank"; b.rel = "noopener"; } else { b.type = "button"; b.addEventListener("click", act); }
      bar.append(" ", b);
    }
    bar.hidden = false;
  };
  const quiet = () => { bar.hidden = true; bar.dataset.said = ""; };

  // A form counts as filled in from the first change on until it is as it came
  const changed = (c) => c.type === "hidden" || c.disabled ? false
    : c.type === "checkbox" || c.type === "radio" ? c.checked !== c.defaultChecked
    : c.type === "file" ? c.value !== ""
    : c.tagName === "SELECT" ? c.selectedIndex !== Math.max(0, [...c.options].findIndex((o) => o.defaultSelected))
    : c.value !== c.defaultValue;
  const filled = () => all("main input, main textarea, main select").filter(changed);
  const dirty = () => filled().length > 0;
  const ticking = () => filled().every((c) => c.type === "checkbox" && c.closest("[data-list]"));
  const busy = () => dirty() || (getSelection()?.isCollapsed === false && main.contains(getSelection().anchorNode));

  // morph makes a into what b is, and keeps the nodes that stay what they are
  const kept = (n) => n.nodeType === 1 && (n.dataset.added !== undefined || n.dataset.keep !== undefined);
  const alike = (a, b) => a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "");
  const morph = (a, b) => {
    if (a.nodeType !== 1) { if (a.nodeValue !== b.nodeValue) a.nodeValue = b.nodeValue; return; }
    if (kept(a) || a.isEqualNode(b)) return;
    for (const { name } of [...a.attributes]) if (!b.hasAttribute(name) && !(name === "open" && a.nodeName === "DETAILS")) a.removeAttribute(name);
    for (const { name, value } of [...b.attributes]) if (a.getAttribute(name) !== value) a.setAttribute(name, value);
    let at = a.firstChild;
    const skip = () => { while (at && at.nodeType === 1 && at.dataset.added !== undefined) at = at.nextSibling; };
    for (const want of [...b.childNodes]) {
      skip();
      let got = at;
      if (want.id && at?.id !== want.id) {
        got = [...a.children].find((e) => e.id === want.id);
        if (got) a.insertBefore(got, at);
      }
      if (alike(got, want)) { morph(got, want); at = got.nextSibling; continue; }
      const fresh = document.importNode(want, true);
      const stays = !at || (at.id && [...b.children].some((e) => e.id === at.id));
      if (stays) a.insertBefore(fresh, at); else { const next = at.nextSibling; at.replaceWith(fresh); at = next; }
    }
    for (let next; at; at = next) { next = at.nextSibling; if (!kept(at)) at.remove(); }
  };

  // What a list shows, row by row, without what only tells the time
  const signature = (row) => {
    const c = row.cloneNode(true);
    all("[data-rel], [data-added]", c).forEach((e) => { e.textContent = ""; });
    return c.textContent.replace(/\s+/g, " ");
  };
  const rowsOf = (doc) => new Map(all("main [data-list] > tr", doc).map((r, i) => [r.id || r.querySelector("a[href]")?.getAttribute("href") || String(i), signature(r)]));
  const difference = (doc) => {
    const was = rowsOf(document), is = rowsOf(doc);
    const count = (list, words) => (list.length ? [`${list.length} ${words}`] : []);
    const fresh = [...is.keys()].filter((k) => !was.has(k)), gone = [...was.keys()].filter((k) => !is.has(k));
    const moved = [...is.keys()].filter((k) => was.has(k) && was.get(k) !== is.get(k));
    const parts = [...count(fresh, "new"), ...count(moved, "changed"), ...count(gone, "no longer here")];
    if (!parts.length && [...was.keys()].join() !== [...is.keys()].join()) parts.push("another order");
    return parts.join(", ");
  };

  const show = (doc, list) => {
    const heading = () => document.querySelector("main h1")?.textContent + [...all("main .meta .st, main .head .st")].map((e) => e.textContent.trim()).join();
    const before = heading();
    if (!list) { // the list stays as it is, and the form that acts on its rows; everything round them is renewed
      for (const q of ["main [data-list]", "main #selecting"]) {
        const mine = all(q);
        all(q, doc).forEach((t, i) => { if (mine[i]) t.replaceWith(document.importNode(mine[i], true)); });
      }
    }
    for (const q of regions) {
      const a = document.querySelector(q), b = doc.querySelector(q);
      if (a && b) morph(a, b);
    }
    document.title = doc.title;
    document.dispatchEvent(new Event("console:shown"));
    if (heading() !== before) say("This page has changed: " + (document.querySelector("main .st")?.textContent.trim() ?? document.title));
  };
  const showHeld = () => {
    const doc = held;
    held = null;
    quiet();
    show(doc, true);
    say("The list is as of " + clock());
    document.querySelector("[data-list] a")?.focus();
  };

  const end = (text, label, href) => {
    over = true;
    source?.close();
    source = null;
    clearTimeout(timer);
    line(text);
    announce(text + " This page stays as it was at " + clock() + ".", label, href);
  };

  // read asks for the page and shows it; false means that it could not be had
  const read = async () => {
    const answer = await fetch(asked, { headers: { "Countersign-Refresh": "1" }, cache: "no-store", credentials: "same-origin" });
    const text = await answer.text();
    if (answer.status === 401 || answer.redirected && new URL(answer.url).pathname === "/signin") {
      end("You are signed out.", "Sign in, in a new tab", "/signin");
      return true;
    }
    if (answer.status === 404 || answer.status === 403) {
      end("This page cannot be shown any more.", "Open it again, in a new tab", asked.href);
      return true;
    }
    if (!answer.ok || answer.redirected) return false;
    const doc = new DOMParser().parseFromString(text, "text/html");
    if (!doc.querySelector("main[data-live]")) return false;
    if (busy()) { missed = true; paused(); return true; }
    const news = difference(doc);
    if (news && lists && document.querySelector("main [data-list]")) {
      held = doc.cloneNode(true);
      show(doc, false);
      announce("The list has changed: " + news + ".", "Show them", showHeld);
    } else {
      if (held) quiet();
      held = null;
      show(doc, true);
    }
    return true;
  };
  const paused = () => {
    if (!dirty()) { line("Paused while text is selected"); return; }
    const [doing, since] = ticking() ? ["rows are ticked", "you ticked rows. They stay ticked"] : ["a form is filled in", "you began to fill in a form. What you filled in stays"];
    line("Paused while " + doing);
    if (missed) announce("Something on this page has changed since " + since + ".", "Look, in a new tab", asked.href);
  };
  const refresh = async () => {
    if (over || document.hidden) return;
    if (busy()) { missed = true; paused(); return; }
    if (reading) { again = true; return; }
    reading = true;
    let ok = false;
    try { ok = await read(); } catch { ok = false; }
    reading = false;
    if (over) return;
    if (!ok) { line("Not up to date: the server does not answer; trying again"); wait = Math.min(wait * 2, 60000); later(); return; }
    wait = 15000;
    if (!busy()) line(source ? "Live" : "Looks again every 15 s");
    if (again) { again = false; refresh(); }
  };

  // The stream, and what stands in for it
  const later = () => { clearTimeout(timer); timer = setTimeout(async () => { await refresh(); if (!over && !source) open(); }, wait); };
  const close = () => { source?.close(); source = null; clearTimeout(timer); };
  const open = () => {
    close();
    if (over || document.hidden) return;
    const mine = source = new EventSource(main.dataset.live);
    const alive = () => { heard = Date.now(); if (!busy()) line("Live"); };
    mine.addEventListener("beat", alive);
    mine.addEventListener("changed", () => { heard = Date.now(); refresh(); });
    mine.addEventListener("ended", () => end("You are signed out.", "Sign in, in a new tab", "/signin"));
    mine.onerror = () => { if (source !== mine) return; close(); later(); };
    heard = Date.now();
  };
  setInterval(() => { if (source && Date.now() - heard > 45000) { close(); later(); } }, 5000);

  document.addEventListener("visibilitychange", () => {
    if (over) return;
    if (document.hidden) { close(); line("Paused: this tab is in the background"); } else { refresh(); open(); }
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (e) => { if (e.persisted && !over) { refresh(); open(); } });
  const settled = () => {
    if (over) return;
    if (busy()) { paused(); return; }
    if (missed) { missed = false; if (!held) quiet(); refresh(); } else line(source ? "Live" : "");
  };
  main.addEventListener("input", settled);
  document.addEventListener("selectionchange", () => { if (missed) settled(); });
  document.addEventListener("console:over", refresh);
  open();
})();
