// The little that pages need beyond links and forms; every number comes from the server.
"use strict";

document.documentElement.classList.add("js");

const settle = (root) => {
  for (const slider of root.querySelectorAll("input[data-mirrors]")) mirror(slider);
  const progress = root.querySelector("progress[data-events]");
  if (progress) follow(progress);
  const here = root.querySelector(".tabs [aria-current]"); // on a phone the tabs scroll
  if (here) here.parentElement.scrollLeft += middle(here) - middle(here.parentElement);
};

const middle = (part) => {
  const box = part.getBoundingClientRect();
  return (box.left + box.right) / 2;
};

// A slider beside a number: the number is what the form sends.
const mirror = (slider) => {
  if (slider.dataset.ready) return;
  slider.dataset.ready = "1";
  const field = document.getElementById(slider.dataset.mirrors);
  const range = slider.dataset.log ? slider.dataset.log.split(",").map(Number) : null;
  const toField = (place) => {
    if (!range) return Number(Number(place).toPrecision(6));
    return Math.round(range[0] * (range[1] / range[0]) ** (place / 100));
  };
  const toSlider = (value) => (range ? (100 * Math.log(value / range[0])) / Math.log(range[1] / range[0]) : value);
  slider.value = toSlider(Number(field.value || 0));
  let asked = 0;
  slider.addEventListener("input", () => {
    const value = toField(slider.value);
    field.value = value === 0 && field.id === "field-margin" ? "" : value;
    if (field.id === "field-margin") shade(value);
    clearTimeout(asked);
    asked = setTimeout(() => field.dispatchEvent(new Event("change", { bubbles: true })), 120);
  });
  slider.addEventListener("change", (event) => event.stopPropagation());
  field.addEventListener("input", () => { slider.value = toSlider(Number(field.value || 0)); });
};

// The margin around zero while its slider moves; what it means for the verdict the server says.
const shade = (margin) => {
  const strip = document.querySelector(".strip[data-one]");
  if (!strip) return;
  const [zero, one] = [Number(strip.dataset.zero), Number(strip.dataset.one)];
  const low = Math.max(0, zero - margin * one);
  const high = Math.min(100, zero + margin * one);
  for (const band of strip.querySelectorAll("rect.margin")) {
    band.setAttribute("x", `${low}%`);
    band.setAttribute("width", `${high - low}%`);
  }
  strip.querySelector(".feet .told").textContent = margin ? `margin ±${numbers.given(margin)}` : "";
};

// Progress of a study, sent by the server as it happens.
const follow = (progress) => {
  const source = new EventSource(progress.dataset.events);
  const write = (id, text) => {
    const place = document.getElementById(id);
    if (place && place.textContent !== String(text)) place.textContent = text;
  };
  let wasRunning = progress.hasAttribute("data-running");
  const unfinished = progress.value < progress.max;
  source.addEventListener("progress", (event) => {
    const now = JSON.parse(event.data);
    progress.value = now.done;
    progress.max = now.total;
    write("done", now.done.toLocaleString("en-US"));
    write("failed", now.failed);
    const failed = document.getElementById("failed");
    if (failed) failed.parentElement.hidden = !now.failed;
    write("state", now.running ? "running" : now.done >= now.total ? "finished" : "not finished");
    const finished = unfinished && now.done >= now.total; // by whomever
    if ((wasRunning || finished) && !now.running) { source.close(); location.reload(); }
    wasRunning = now.running;
  });
  source.addEventListener("over", () => source.close());
  addEventListener("pagehide", () => source.close());
};

// Files dropped anywhere on the form are files chosen in it.
const dropping = (form) => {
  const field = form.querySelector("input[type=file]");
  const stop = (event) => { event.preventDefault(); };
  addEventListener("dragover", (event) => { stop(event); form.classList.add("over-it"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("over-it"); });
  addEventListener("drop", (event) => {
    stop(event);
    form.classList.remove("over-it");
    if (event.dataTransfer.files.length) {
      field.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  field.addEventListener("change", () => { if (field.files.length) form.requestSubmit(); });
};

// Work that takes longer: ask for the job until it is done, then show the page. Not for the page
// itself: what was handed out once may be out of date for a page that is long in coming.
const await_page = async (place) => {
  for (;;) {
    await new Promise((resume) => setTimeout(resume, 700));
    const words = document.querySelector("[role=status]");
    try {
      const answer = await fetch(place.dataset.again);
      const now = answer.ok ? await answer.json() : { state: "unknown" };
      if (!["waiting", "running"].includes(now.state)) return location.reload();
      words.textContent = `${now.state === "waiting" ? "Waiting for its turn" : "Running"} for ${Math.round(now.seconds)} s. Other pages stay usable.`;
    } catch (error) { // the page is being left, or the server is away for a moment
      words.textContent = "The server does not answer; asking again.";
    }
  }
};

document.addEventListener("DOMContentLoaded", () => {
  settle(document);
  const form = document.getElementById("drop");
  if (form) dropping(form);
  const files = document.querySelector("#new-study input[type=file]");
  if (files) files.addEventListener("change", () => { if (files.files.length) files.form.requestSubmit(); });
  const place = document.querySelector("[data-again]");
  if (place) await_page(place);
  for (const one of document.querySelectorAll("form[data-reload]")) {
    // the sliders of another unit have other ranges: a new page
    one.elements[one.dataset.reload].addEventListener("change", (event) => {
      event.stopPropagation();
      location.assign(`${one.getAttribute("action")}?${one.dataset.reload}=${encodeURIComponent(event.target.value)}`);
    });
  }
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status !== 202) return;
  event.detail.shouldSwap = false; // still at it
  const asker = event.detail.requestConfig.elt;
  setTimeout(() => htmx.trigger(asker, asker.matches("form") ? "submit" : "again"), 800);
});
document.addEventListener("htmx:configRequest", (event) => {
  const kept = event.detail.parameters; // an address without what was left empty is easier to read
  for (const [name, value] of [...kept.entries()]) if (value === "") kept.delete(name);
});
// What is wrong is said beside the field it is about, as on a page that came whole.
const explain = () => {
  const place = document.querySelector("[data-problems]");
  if (!place) return;
  const problems = JSON.parse(place.dataset.problems);
  for (const old of document.querySelectorAll(".field > .wrong")) old.remove();
  for (const field of document.querySelectorAll(".field[id^=field-], .field [id^=field-]")) {
    const name = field.id.slice("field-".length);
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    if (!problems[name]) continue;
    const said = document.createElement("span");
    said.className = "wrong";
    said.id = `wrong-${name}`;
    said.textContent = problems[name];
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", said.id);
    field.closest(".field").append(said);
  }
};

document.addEventListener("htmx:afterSettle", () => {
  settle(document);
  explain();
  const answer = document.getElementById("answer");
  const slider = document.getElementById("margin-slider");
  if (answer && slider && answer.dataset.top) {
    const now = Number(document.getElementById("field-margin").value || 0);
    slider.max = Math.max(Number(answer.dataset.top), now);
    slider.step = answer.dataset.step;
    slider.value = now;
  }
});
