/** Lines of several variants in one frame. */
import { line } from 'd3-shape'
import { type Axis, type ChartWords, figure, lineStyle, markerAt } from './chart.js'
import { html, type Markup } from './markup.js'

/** In units of the drawing; null breaks the line. */
export type DrawnLine = readonly ({ readonly x: number; readonly y: number } | null)[]

const pathOf = line<{ readonly x: number; readonly y: number } | null>()
  .defined((point) => point !== null)
  .x((point) => point?.x ?? 0)
  .y((point) => point?.y ?? 0)
  .digits(1)

export function lineChart(
  id: string,
  words: ChartWords,
  {
    axes,
    lines,
    markers,
  }: {
    readonly axes: { readonly x: Axis; readonly y: Axis }
    readonly lines: readonly DrawnLine[]
    /** At most so many per line: all of a short line, else spread evenly, each line's elsewhere. */
    readonly markers: number
  },
): Markup {
  const drawing = lines.map((points, index) => {
    const path = pathOf(points)
    if (!path) return html``
    const { colour, dash } = lineStyle(index)
    const dashed = dash ? html` stroke-dasharray="${dash}"` : null
    return html`<g class="${colour}"><path class="line"${dashed} d="${path}"/>${markersOf(points, index, markers)}</g>`
  })
  return figure(id, words, axes, drawing)
}

function markersOf(points: DrawnLine, index: number, most: number): readonly Markup[] {
  const drawn = points.filter((point) => point !== null)
  if (drawn.length <= most) return drawn.map(({ x, y }) => markerAt(index, x, y))
  const every = drawn.length / most
  const shift = ((index * 0.37) % 1) * every
  return Array.from({ length: most }, (_, at) => {
    const point = drawn[Math.floor(at * every + shift)]
    return point ? markerAt(index, point.x, point.y) : html``
  })
}
