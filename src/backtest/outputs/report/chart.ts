/** What all charts share: a frame of a phone's width, scales with their ticks, the looks of a variant. */
import { type ScaleContinuousNumeric, scaleLinear, scaleSymlog } from 'd3-scale'
import { symbol, symbolsFill } from 'd3-shape'
import { html, type Markup } from './markup.js'
import { dashes, lightTheme } from './style.js'

/** Units of the drawing: about one pixel each on a phone. */
export const frame = { width: 320, height: 216, left: 50, right: 308, top: 10, bottom: 178 }

export interface Axis {
  readonly label: string
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
}

export interface ChartWords {
  readonly caption: string
  /** What is to be seen, in a sentence. */
  readonly description: string
  readonly note?: string
}

/** A figure: its caption, the drawing with its two axes, a note. `id` is unique in the page. */
export function figure(
  id: string,
  words: ChartWords,
  axes: { readonly x: Axis; readonly y: Axis },
  drawing: readonly Markup[],
): Markup {
  const { left, right, bottom, width, height } = frame
  const grid = axes.y.ticks.map(
    ({ at, text }) =>
      html`<line class="rule" x1="${left}" x2="${right}" y1="${round(at)}" y2="${round(at)}"/><text x="${left - 5}" y="${round(at + 4)}" text-anchor="end">${text}</text>`,
  )
  const marks = axes.x.ticks.map(
    ({ at, text }) =>
      html`<line class="rule" x1="${round(at)}" x2="${round(at)}" y1="${bottom}" y2="${bottom + 4}"/><text x="${round(within(at, text))}" y="${bottom + 17}" text-anchor="middle">${text}</text>`,
  )
  return html`<figure><figcaption>${words.caption}</figcaption>
<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}t ${id}d"><title id="${id}t">${words.caption}</title><desc id="${id}d">${words.description}</desc>
${grid}${marks}<line class="zero" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text x="${(left + right) / 2}" y="${height - 4}" text-anchor="middle">${axes.x.label}</text>${drawing}</svg>
${words.note ? html`<p class="note">${words.note}</p>` : null}</figure>
`
}

/** Text in the middle of a tick, moved so that it stays inside the drawing. */
function within(at: number, text: string): number {
  const half = text.length * 3.2
  return Math.min(Math.max(at, half), frame.width - half)
}

/** One decimal: a tenth of a pixel. */
export const round = (value: number): number => Math.round(value * 10) / 10 + 0

/**
 * A scale for basis points, upwards: even up to 100 of them, logarithmic on both sides of zero beyond.
 * `isLogarithmic` is to be said beside the chart.
 */
export function bpsScale(low: number, high: number) {
  const reach = Math.max(Math.abs(low), Math.abs(high))
  const isLogarithmic = reach > 100
  const range = [frame.bottom, frame.top]
  if (!isLogarithmic) {
    const scale = scaleLinear(
      [Math.min(low, 0), Math.max(high, 0) || (low < 0 ? 0 : 1)],
      range,
    ).nice(5)
    return { scale, isLogarithmic, ticks: ticksOf(scale, 5) }
  }
  const scale = scaleSymlog([Math.min(low, 0), Math.max(high, 0)], range).constant(1)
  const powers = [1, 10, 100, 1_000, 10_000, 100_000].filter((power) => power <= reach)
  const values = [...powers.map((power) => -power).reverse(), 0, ...powers]
  const [from = 0, to = 0] = scale.domain()
  const ticks = values
    .filter((value) => value >= from && value <= to)
    .map((value) => ({ at: scale(value), text: value.toLocaleString('en-US').replace('-', '−') }))
  return { scale, isLogarithmic, ticks: spaced(ticks) }
}

/** The ticks that leave enough room after the tick before them. */
function spaced(ticks: Axis['ticks']): Axis['ticks'] {
  const kept: { at: number; text: string }[] = []
  for (const tick of ticks) {
    const before = kept.at(-1)
    if (!before || Math.abs(before.at - tick.at) >= 14) kept.push(tick)
  }
  return kept
}

export function ticksOf(
  scale: ScaleContinuousNumeric<number, number>,
  count: number,
  format = scale.tickFormat(count),
): Axis['ticks'] {
  return scale.ticks(count).map((value) => ({ at: scale(value), text: format(value) }))
}

/** Numbers too large or small for an axis are written as multiples of a power of a thousand. */
export function powerOfThousand(largest: number): number {
  if (!(largest > 0) || (largest >= 0.01 && largest < 1_000_000)) return 0
  return Math.floor(Math.log10(largest) / 3) * 3
}

/** Colour and dash of the variant at this place in the plan. */
export function lineStyle(index: number) {
  return {
    colour: `c${index % lightTheme.colours.length}`,
    dash: dashes[index % dashes.length] ?? '',
  }
}

/** Where colours begin again, markers are open; beyond that, both begin again. */
const markerKinds = 2 * lightTheme.colours.length

/** Once in a page: the shapes that `markerAt` refers to. */
export function markerShapes(): Markup {
  const shapes = Array.from({ length: markerKinds }, (_, index) => {
    const shape = symbol(symbolsFill[index % symbolsFill.length], 34).digits(1)() ?? ''
    const kind = index < lightTheme.colours.length ? 'mark' : 'mark open'
    return html`<path id="m${index}" class="${kind}" d="${shape}"/>`
  })
  return html`<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>${shapes}</defs></svg>`
}

export function markerAt(index: number, x: number, y: number): Markup {
  return html`<use href="#m${index % markerKinds}" x="${round(x)}" y="${round(y)}"/>`
}

/** The variants with their colour, dash and marker. */
export function legend(variants: readonly string[]): Markup {
  const items = variants.map((name, index) => {
    const { colour, dash } = lineStyle(index)
    return html`<li class="${colour}"><svg viewBox="0 0 40 14" aria-hidden="true"><path class="line" stroke-dasharray="${dash}" d="M1 7H39"/>${markerAt(index, 20, 7)}</svg>${name}</li>`
  })
  return html`<ul class="legend">${items}</ul>`
}
