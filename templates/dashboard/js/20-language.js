/* English or Chinese, dark or light; both remembered where the browser allows it. */
"use strict";
matrix.remember = (key, value) => { try { localStorage.setItem("matrix." + key, value); } catch { /* not kept */ } };
matrix.recall = (key) => { try { return localStorage.getItem("matrix." + key); } catch { return null; } };

matrix.translate = (within = document) => {
  for (const element of within.querySelectorAll("[data-t]")) {
    element.textContent = matrix.text(element.dataset.t, ...JSON.parse(element.dataset.v ?? "[]"));
  }
  for (const name of ["placeholder", "title", "aria-label"]) {
    for (const element of within.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(name, matrix.text(element.getAttribute(`data-t-${name}`)));
    }
  }
  for (const word of within.querySelectorAll(".r")) word.querySelector("u").textContent = matrix.text("short." + word.dataset.q);
  for (const word of within.querySelectorAll("td .w[data-q]")) word.textContent = matrix.text("short." + word.dataset.q);
};

matrix.ready(() => {
  const html = document.documentElement;
  const theme = matrix.recall("theme");
  if (theme) html.dataset.theme = theme;
  const dark = () => (html.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const switchTheme = document.getElementById("theme");
  switchTheme.setAttribute("aria-pressed", dark());
  switchTheme.addEventListener("click", () => {
    html.dataset.theme = dark() ? "light" : "dark";
    switchTheme.setAttribute("aria-pressed", dark());
    matrix.remember("theme", html.dataset.theme);
  });

  const speak = (language) => {
    matrix.language = language;
    html.lang = language === "zh" ? "zh-Hans" : "en";
    matrix.translate();
  };
  const asked = matrix.state.get("lang") || matrix.recall("language") || (navigator.language.startsWith("zh") ? "zh" : "en");
  if (asked === "zh") speak("zh");
  document.getElementById("language").addEventListener("click", () => {
    speak(matrix.language === "en" ? "zh" : "en");
    matrix.remember("language", matrix.language);
    if (matrix.state.get("lang")) { matrix.state.set("lang", matrix.language); matrix.state.write(); }
  });
});
