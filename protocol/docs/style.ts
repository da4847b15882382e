/** The style sheet of the reference page. It is a separate file, so that the page needs no inline style. */
export const docsStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fff, #14171c);
  --raised: light-dark(#f5f7fa, #1b2027);
  --line: light-dark(#dde3ea, #2d343e);
  --ink: light-dark(#18202a, #e4e9ef);
  --soft: light-dark(#566273, #9aa7b7);
  --link: light-dark(#0b5cad, #7db8ff);
  --get: light-dark(#0b6e4f, #5fd3a6);
  --post: light-dark(#0b5cad, #7db8ff);
  --put: light-dark(#8a5300, #f0b45c);
  --delete: light-dark(#b3261e, #ff9d94);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: minmax(17rem, 22rem) minmax(0, 1fr);
  background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.88em; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem 1rem; z-index: 2; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem 1.25rem; border-right: 1px solid var(--line); background: var(--raised); font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: 0.5rem; padding: 0.16rem 0.35rem; border-radius: 4px; color: var(--ink); text-decoration: none; line-height: 1.35; }
nav li a span:last-child { font-family: var(--mono); font-size: 11.5px; overflow-wrap: anywhere; }
nav li a:hover { background: light-dark(#e6ebf2, #262d37); }
nav .guide li a { padding-left: 0; }
.brand { margin: 0 0 0.75rem; font-weight: 650; font-size: 15px; }
.brand a { color: inherit; text-decoration: none; }
.version { color: var(--soft); font-weight: 400; font-size: 12px; }
.contents > summary { display: none; }
.tag { margin: 1rem 0 0.25rem; font-weight: 650; }
.tag a { color: inherit; text-decoration: none; }

.method { font: 700 10.5px/1.6 var(--mono); letter-spacing: 0.02em; flex: 0 0 auto; min-width: 4em; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }

main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 92rem; }
h1 { margin: 0 0 0.5rem; font-size: 2rem; line-height: 1.2; letter-spacing: -0.015em; }
h2 { margin: 3.5rem 0 0.75rem; font-size: 1.4rem; letter-spacing: -0.01em; }
h3 { margin: 0 0 0.4rem; font-size: 1rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; overflow-wrap: anywhere; }
h3 code { font-size: 1rem; font-weight: 600; }
h3 .method { font-size: 12.5px; min-width: 0; }
h4 { margin: 1.25rem 0 0.35rem; font-size: 12px; font-weight: 650; color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 1.25rem; margin: 1rem 0 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
article { padding: 1.5rem 0 1.75rem; border-top: 1px solid var(--line); }
article > p { margin: 0 0 0.25rem; max-width: 48rem; }
article:target h3 code { text-decoration: underline; text-decoration-color: var(--link); text-decoration-thickness: 2px; text-underline-offset: 5px; }
.anchor { color: var(--soft); text-decoration: none; opacity: 0; }
article:hover .anchor, .anchor:focus-visible { opacity: 1; }
.credential, .note { color: var(--soft); font-size: 13.5px; }
.note { font-weight: 400; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 30rem); gap: 0 2.5rem; }

table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
td, th { padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
tr:first-child > td, tr:first-child > th { border-top: 0; }
tbody th { width: 38%; }
thead th { white-space: nowrap; color: var(--soft); font-weight: 650; font-size: 12px; }
thead + tbody tr:first-child > * { border-top: 1px solid var(--line); }
.wide tbody th { width: 14rem; }
.catalogue { min-width: 44rem; }
.catalogue tbody th { width: auto; }
.catalogue td:nth-child(2), .catalogue td:nth-child(3) { white-space: nowrap; }
.scroll { overflow-x: auto; }
.required { display: block; color: var(--delete); font-size: 11.5px; }
.type { color: var(--soft); font-family: var(--mono); font-size: 12.5px; margin-right: 0.4rem; }
.fact { display: inline-block; max-width: 100%; margin: 0.1rem 0.15rem 0.1rem 0; padding: 0 0.4rem; border-radius: 4px; background: var(--raised); box-shadow: inset 0 0 0 1px var(--line); font-family: var(--mono); font-size: 11.5px; overflow-wrap: anywhere; }
details.reply > summary { cursor: pointer; color: var(--link); font-size: 13.5px; width: max-content; }
.errors { margin: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 0.9rem; font-family: var(--mono); font-size: 12px; }
.errors a { color: var(--soft); text-decoration: none; }
.errors a:hover { text-decoration: underline; }
tr:target > * { background: var(--raised); }
pre { margin: 0; padding: 0.8rem 0.9rem; max-height: 26rem; overflow: auto; border-radius: 6px; background: var(--raised); box-shadow: inset 0 0 0 1px var(--line); line-height: 1.5; font-size: 12.5px; }
pre code { font-size: inherit; }

@media (max-width: 75rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 55vh; border-right: 0; border-bottom: 1px solid var(--line); padding: 1rem; }
  .contents > summary { display: list-item; cursor: pointer; color: var(--link); }
  main { padding-top: 1.25rem; }
  h1 { font-size: 1.6rem; }
  h3 .anchor { display: none; }
  .wide:not(.catalogue) tbody th { width: 40%; }
}
@media print { nav, .skip, .anchor { display: none; } body { display: block; } }
`;
