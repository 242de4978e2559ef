/** The charts of one request over blocks. */
import { extent } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { type Axis, bpsScale, frame, powerOfThousand, ticksOf } from './chart.js'
import { type DrawnLine, lineChart } from './line-chart.js'
import { formatNumber, type Markup } from './markup.js'
import type { Line, RequestLines } from './series.js'

/** Markers on a line that has many points. */
const markers = 6

export interface RequestChartInput {
  /** Unique in the page. */
  readonly id: string
  readonly request: string
  readonly variants: readonly string[]
  readonly baseline: string
  readonly lines: RequestLines
  readonly firstBlock: number
  readonly lastBlock: number
  readonly blocksPerBucket: number
}

/** Edges over the baseline, then amounts; a chart without any point is left out. */
export function requestCharts(input: RequestChartInput): readonly Markup[] {
  const edges = input.lines.edges.flat().filter((point) => point !== null)
  const amounts = input.lines.amounts.flat().filter((point) => point !== null)
  return [
    ...(edges.length > 0 ? [edgeChart(input)] : []),
    ...(amounts.length > 0 ? [amountChart(input)] : []),
  ]
}

function edgeChart(input: RequestChartInput): Markup {
  const values = input.lines.edges.flat().flatMap((point) => point?.y ?? [])
  const [low = 0, high = 0] = extent(values)
  const { scale, isLogarithmic, ticks } = bpsScale(low, high)
  const { firstBlock, lastBlock, baseline } = input
  const zero = [firstBlock, lastBlock].map((x) => ({ x, y: 0 }))
  const lines = input.lines.edges.map((line, index) =>
    input.variants[index] === baseline ? zero : line,
  )
  const notes = [
    isLogarithmic && 'Basis points on a logarithmic scale, away from zero.',
    downSampled(input),
  ]
  return lineChart(
    `${input.id}e`,
    {
      caption: `amountOut against ${baseline}, bps`,
      description: `${input.request}: amountOut of each variant over blocks, in basis points of what ${baseline} gives. From ${formatNumber(low, 2)} to ${formatNumber(high, 2)}.`,
      ...noteOf(notes),
    },
    {
      axes: { x: blockAxis(input), y: { label: '', ticks } },
      lines: drawn(input, lines, scale),
      markers,
    },
  )
}

function amountChart(input: RequestChartInput): Markup {
  const { unit, amounts } = input.lines
  const values = amounts.flat().flatMap((point) => (point ? [point.y * (unit ?? 1)] : []))
  const [low = 0, high = 0] = extent(values)
  const power = powerOfThousand(high)
  const factor = (unit ?? 1) / 10 ** power
  const margin = high > low ? 0 : Math.abs(high) * 0.01 || 1
  const scale = scaleLinear(
    [(low - margin) / 10 ** power, (high + margin) / 10 ** power],
    [frame.bottom, frame.top],
  ).nice(4)
  const what = unit === null ? 'amountOut, raw units' : 'Price: tokens out per token in'
  const scaled = power === 0 ? '' : `, × 10^${power}`
  return lineChart(
    `${input.id}a`,
    {
      caption: `${what}${scaled}`,
      description: `${input.request}: what each variant gives over blocks, from ${precise(low)} to ${precise(high)}.`,
      ...noteOf([downSampled(input)]),
    },
    {
      axes: { x: blockAxis(input), y: { label: '', ticks: ticksOf(scale, 4) } },
      lines: drawn(input, amounts, (value) => scale(value * factor)),
      markers,
    },
  )
}

function drawn(
  input: RequestChartInput,
  lines: readonly Line[],
  y: (value: number) => number,
): readonly DrawnLine[] {
  const x = blockScale(input)
  return lines.map((line) => line.map((point) => point && { x: x(point.x), y: y(point.y) }))
}

function blockScale({ firstBlock, lastBlock }: RequestChartInput) {
  const margin = firstBlock === lastBlock ? 1 : 0
  return scaleLinear([firstBlock - margin, lastBlock + margin], [frame.left, frame.right])
}

function blockAxis(input: RequestChartInput): Axis {
  const scale = blockScale(input)
  const whole = ticksOf(scale, 4, String).filter(({ text }) => !text.includes('.'))
  const width = (whole.at(-1)?.text.length ?? 0) * 7 + 16
  const apart = Math.abs((whole[1]?.at ?? 0) - (whole[0]?.at ?? 0)) || width
  const every = Math.ceil(width / apart)
  const ticks = whole.filter((_, index) => index % every === 0)
  return { label: 'block', ticks }
}

function downSampled({ blocksPerBucket }: RequestChartInput): string | false {
  return (
    blocksPerBucket > 1 &&
    `Of each ${formatNumber(blocksPerBucket, 0)} blocks in a row the lowest and the highest are drawn.`
  )
}

function noteOf(notes: readonly (string | false)[]): { note?: string } {
  const note = notes.filter((part) => part !== false).join(' ')
  return note ? { note } : {}
}

const precise = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 7 })
