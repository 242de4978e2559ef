/** Bars of shares, one below the other; each part has a colour and a letter, which the legend explains. */
import { scaleLinear } from 'd3-scale'
import { type ChartWords, frame, round } from './chart.js'
import { html, type Markup } from './markup.js'

const rowHeight = 42

export interface BarRow {
  readonly name: string
  /** 0 to 1, one per key; empty: there is nothing to draw. */
  readonly shares: readonly number[]
}

/** @param id - unique in the page. */
export function stackedBars(
  id: string,
  { caption, description, note }: ChartWords,
  keys: readonly { readonly name: string; readonly letter: string }[],
  rows: readonly BarRow[],
): Markup {
  const height = rows.length * rowHeight + 4
  const x = scaleLinear([0, 1], [2, frame.width - 2])
  const bars = rows.map(({ name, shares }, index) => {
    let from = 0
    const parts = shares.map((share, at) => {
      const start = x(from)
      from += share
      const width = x(from) - start
      const label = `${keys[at]?.letter} ${Math.round(share * 100)}%`
      const text = width > 44 ? label : width > 13 ? (keys[at]?.letter ?? '') : ''
      return html`<g class="c${at}"><rect class="part" x="${round(start)}" y="${index * rowHeight + 18}" width="${round(width)}" height="20"/><text class="in" x="${round(start + width / 2)}" y="${index * rowHeight + 32}" text-anchor="middle">${text}</text></g>`
    })
    return html`<text class="name" x="2" y="${index * rowHeight + 12}">${name}</text>${parts}`
  })
  const items = keys.map(
    ({ name, letter }, at) => html`<li class="c${at}"><b>${letter}</b>${name}</li>`,
  )
  return html`<figure><figcaption>${caption}</figcaption>
<svg class="chart" viewBox="0 0 ${frame.width} ${height}" role="img" aria-labelledby="${id}t ${id}d"><title id="${id}t">${caption}</title><desc id="${id}d">${description}</desc>${bars}</svg>
<ul class="legend">${items}</ul>${note ? html`<p class="note">${note}</p>` : null}</figure>
`
}
