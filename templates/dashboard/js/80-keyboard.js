/* Arrow keys walk over the squares: one stop for the tabulator instead of hundreds. */
"use strict";
matrix.ready(() => {
  const table = document.querySelector("table.squares, table.overview");
  if (!table) return;
  const links = () => [...table.querySelectorAll("td > a")];
  let current = table.querySelector("td > a[aria-current]") ?? links()[0];
  for (const link of links()) link.tabIndex = link === current ? 0 : -1;
  const stop = (link) => {
    current.tabIndex = -1;
    current = link;
    current.tabIndex = 0;
  };
  table.addEventListener("focusin", (event) => {
    const link = event.target.closest("td > a");
    if (link) stop(link);
  });
  const rowOf = (td, step) => {
    const rows = [...table.querySelectorAll("tbody tr")].filter((row) => !row.hidden && !row.parentElement.hidden);
    return rows[rows.indexOf(td.parentElement) + step];
  };
  table.addEventListener("keydown", (event) => {
    const td = event.target.closest("td");
    if (!td || event.ctrlKey || event.altKey || event.metaKey) return;
    const last = td.parentElement.cells.length - 1;
    const target = {
      ArrowLeft: () => td.parentElement.cells[Math.max(td.cellIndex - 1, 1)],
      ArrowRight: () => td.parentElement.cells[Math.min(td.cellIndex + 1, last)],
      ArrowUp: () => rowOf(td, -1)?.cells[td.cellIndex],
      ArrowDown: () => rowOf(td, 1)?.cells[td.cellIndex],
      Home: () => td.parentElement.cells[1],
      End: () => td.parentElement.cells[last],
    }[event.key]?.();
    if (target?.firstElementChild) {
      event.preventDefault();
      target.firstElementChild.focus();
    }
  });
});
