/* What every page needs: data that the script files hand over, words, and the state in the URL. */
"use strict";
document.documentElement.classList.add("js");

const matrix = {
  root: document.documentElement.dataset.root,
  language: "en",
  texts: { en: {}, zh: {} },
  cube: null,
  pages: [],
  /** Run once the page and its data stand. */
  ready(start) { matrix.pages.push(start); },
};
function matrixStrings(texts) { matrix.texts = texts; }
function matrixVerdicts(cube) { matrix.cube = cube; }

/** A text in the chosen language, {0} … replaced. */
matrix.text = (key, ...values) =>
  (matrix.texts[matrix.language][key] ?? key).replace(/\{(\d+)\}/g, (_, position) => values[position] ?? "");

/** An element with attributes and children; strings become text, never markup. */
matrix.element = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

/** An element whose text follows the language. */
matrix.word = (key, ...values) =>
  matrix.element("span", { "data-t": key, "data-v": values.length ? JSON.stringify(values.map(String)) : null }, matrix.text(key, ...values));

/** Filters and the chosen cell live behind the hash: #torch-1.8.0/opset-11/shim?route=shim,custom&fold=1 */
matrix.state = {
  anchor: "",
  filters: new URLSearchParams(),
  read() {
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash.split("?")[0]) + (hash.includes("?") ? hash.slice(hash.indexOf("?")) : ""); } catch { /* as it stands */ }
    const [anchor, ...rest] = hash.split("?");
    this.anchor = anchor;
    this.filters = new URLSearchParams(rest.join("?"));
  },
  hash(anchor = this.anchor) {
    const filters = this.filters.toString().replaceAll("%2C", ",");
    return "#" + anchor + (filters ? "?" + filters : "");
  },
  write() { history.replaceState(null, "", this.hash()); },
  get(name) { return this.filters.get(name) ?? ""; },
  set(name, value) {
    if (value) this.filters.set(name, value);
    else this.filters.delete(name);
  },
};
matrix.state.read();

document.addEventListener("DOMContentLoaded", () => {
  for (const start of matrix.pages) start();
});
