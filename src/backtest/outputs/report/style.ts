/** The one style sheet of a report. Colours are distinguishable with all kinds of colour vision, and never alone. */

export interface Theme {
  readonly background: string
  readonly card: string
  readonly text: string
  readonly muted: string
  readonly rule: string
  /** Against background and card at least 4.5:1, so that text in the background's colour can stand on them. */
  readonly colours: readonly string[]
}

export const lightTheme: Theme = {
  background: '#ffffff',
  card: '#f5f6f8',
  text: '#1a1d21',
  muted: '#535a64',
  rule: '#d3d7dd',
  colours: ['#005a9e', '#ad3e00', '#006b4a', '#93306f', '#6f5800', '#006675', '#545b66'],
}

export const darkTheme: Theme = {
  background: '#121519',
  card: '#1b1f25',
  text: '#e8eaed',
  muted: '#a8b0ba',
  rule: '#3a414b',
  colours: ['#7db8f5', '#ff9c5c', '#4fd0a2', '#f09bd0', '#dcc257', '#6fd3e3', '#b9c0ca'],
}

/** Lines differ in these as well; as many as a plan has variants, again from the first. */
export const dashes = [
  '',
  '7 3',
  '2 2',
  '9 3 2 3',
  '4 4',
  '12 4',
  '1 3',
  '6 2 2 2 2 2',
  '3 1',
  '14 3 3 3',
]

const variables = (theme: Theme) =>
  `--bg:${theme.background};--card:${theme.card};--fg:${theme.text};--muted:${theme.muted};--rule:${theme.rule};` +
  theme.colours.map((colour, index) => `--c${index}:${colour}`).join(';')

export const style = `
:root{color-scheme:light dark;${variables(lightTheme)}}
@media (prefers-color-scheme:dark){:root{${variables(darkTheme)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:84rem;padding:1rem .75rem 3rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:.25rem 0 .75rem}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.25rem 0 .75rem;max-width:70ch}
.note{color:var(--muted);font-size:.875rem}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.5rem 1rem;margin:0}
dl.facts dt{color:var(--muted);font-size:.8125rem}
dl.facts dd{margin:0;font-weight:600}
dl.words dt{font-weight:600;margin-top:.5rem}
dl.words dd{margin:0;max-width:75ch}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19.5rem),1fr));gap:.75rem;align-items:start}
figure{margin:0;padding:.5rem;background:var(--card);border-radius:.5rem;min-width:0}
figcaption{font-size:.875rem;font-weight:600;padding:0 .25rem .25rem}
figure .note{margin:.25rem;font-size:.8125rem}
svg.shapes{position:absolute}
svg.chart{display:block;width:100%;height:auto}
svg text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--muted)}
svg .rule{stroke:var(--rule);stroke-width:1}
svg .zero{stroke:var(--muted);stroke-width:1}
svg .line{fill:none;stroke:var(--c);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
.mark{fill:var(--c);stroke:var(--card);stroke-width:.75}
.mark.open{fill:var(--card);stroke:var(--c);stroke-width:1.5}
svg .box{fill:var(--c);fill-opacity:.35;stroke:var(--c)}
svg .whisker{stroke:var(--c);stroke-width:1.5}
svg .median{stroke:var(--fg);stroke-width:2}
svg .part{fill:var(--c);stroke:var(--card);stroke-width:1}
svg text.in{fill:var(--bg);font-weight:600}
svg text.name{fill:var(--fg)}
${lightTheme.colours.map((_, index) => `.c${index}{--c:var(--c${index})}`).join('')}
.legend{display:flex;flex-wrap:wrap;gap:.125rem 1rem;list-style:none;margin:.25rem 0 .5rem;padding:0;font-size:.875rem}
.legend li{display:flex;align-items:center;gap:.4rem;min-width:0}
.legend svg{width:40px;height:14px;flex:none}
.legend b{flex:none;min-width:1.4em;text-align:center;border-radius:.2rem;background:var(--c);color:var(--bg)}
.scroll{overflow-x:auto;max-width:100%;border:1px solid var(--rule);border-radius:.5rem}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
table{overflow-wrap:normal;border-collapse:collapse;font-size:.875rem;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.4rem .6rem;color:var(--muted)}
th,td{padding:.3rem .6rem;text-align:right;white-space:nowrap;border-top:1px solid var(--rule)}
thead th{white-space:normal;min-width:4.5rem;vertical-align:bottom;color:var(--muted);font-weight:600}
th[scope=row]{text-align:left;white-space:normal;min-width:6rem;max-width:11rem;position:sticky;left:0;background:var(--bg)}
th:first-child{text-align:left}
td.text{text-align:left;white-space:normal}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.35rem 0;font-weight:600}
pre{overflow-x:auto;font-size:.8125rem;background:var(--card);padding:.75rem;border-radius:.5rem;overflow-wrap:normal}
code{font-size:.875em}
@media print{
:root{${variables(lightTheme)}}
body{max-width:none;font-size:10pt}
figure,tr{break-inside:avoid}
h2,h3{break-after:avoid}
.grid{grid-template-columns:1fr 1fr}
.scroll{overflow:visible;border:0}
table{font-size:7.5pt}
th,td,th[scope=row],thead th{white-space:normal;padding:.1rem .25rem;min-width:0;position:static}
details::details-content{content-visibility:visible;block-size:auto}
}
`
