/** Lines over sizes or blocks, drawn by uPlot. What they show is in a table beside them, too. */
import { useEffect, useRef, useState } from 'preact/hooks'
import UPlot from 'uplot'
import { isDark } from '../app/theme.js'
import { useWidth } from './use-width.js'

export interface Line {
  readonly label: string
  /** One for each x; null: none there. */
  readonly values: readonly (number | null)[]
  /** The one that the others are seen against. */
  readonly isMain?: boolean
  readonly isDashed?: boolean
}

interface Props {
  /** The chart in words. */
  readonly label: string
  readonly x: readonly number[]
  readonly lines: readonly Line[]
  /** Sizes that grow by factors. */
  readonly isLog?: boolean
  readonly height?: number
  /** Values below are out of the picture. */
  readonly least?: number | undefined
  xText(value: number): string
  yText(value: number): string
}

export function LineChart(props: Props) {
  const { label, x, lines, isLog = false, height = 300, least, xText, yText } = props
  const [box, width] = useWidth()
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const dark = isDark()
  const kind = JSON.stringify(lines.map((line) => [line.label, line.isMain, line.isDashed]))
  const data = [x, ...lines.map(({ values }) => values)] as unknown as UPlot.AlignedData
  const texts = useRef({ xText, yText })
  texts.current = { xText, yText }

  useEffect(() => {
    if (!place.current || width === 0) return
    const colours = coloursOf(place.current)
    const axis = {
      stroke: colours.text,
      grid: { stroke: colours.line, width: 1 },
      ticks: { stroke: colours.line, width: 1 },
      font: '12px system-ui, sans-serif',
    }
    const made = new UPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { y: false, points: { size: 7 } },
        scales: {
          x: { time: false, distr: isLog ? 3 : 1, range: (_, min, max) => spread(min, max, 0) },
          y: { range: (_, min, max) => spread(Math.max(min, least ?? min), max, 0.06) },
        },
        axes: [
          {
            ...axis,
            space: 70,
            values: (_, ticks) =>
              ticks.map((one) => (one === null ? '' : texts.current.xText(one))),
          },
          { ...axis, size: 74, values: (_, ticks) => ticks.map((one) => texts.current.yText(one)) },
        ],
        series: [
          {},
          ...lines.map((line, index) => ({
            label: line.label,
            stroke: colours.series[index % 8] ?? colours.text,
            width: line.isMain ? 3 : 1.5,
            ...(line.isDashed && { dash: [6, 4] }),
            points: { show: x.length < 60, size: line.isMain ? 6 : 4 },
          })),
        ],
        hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
      },
      data,
      place.current,
    )
    chart.current = made
    return () => {
      chart.current = null
      made.destroy()
    }
  }, [kind, width, height, isLog, least, dark, x.length < 60])
  useEffect(() => chart.current?.setData(data), [x, ...lines.map(({ values }) => values)])

  const index = at ?? x.length - 1
  const xValue = x[index]
  return (
    <figure class="chart" ref={box}>
      <div role="img" aria-label={label} ref={place} />
      <ul class="legend" aria-hidden="true">
        {xValue !== undefined && <li class="dim">{xText(xValue)}</li>}
        {lines.map((line, place) => {
          const value = line.values[index]
          return (
            <li key={line.label} class={`series-${(place % 8) + 1}`}>
              <span class="swatch" />
              {line.label}{' '}
              <span class="dim">{value === null || value === undefined ? '–' : yText(value)}</span>
            </li>
          )
        })}
      </ul>
    </figure>
  )
}

/** With room on both sides, and some where there is a single value. */
function spread(min: number, max: number, room: number): [number, number] {
  if (min === max) return [min - Math.max(1, Math.abs(min) / 1_000), max + Math.max(1, max / 1_000)]
  return [min - room * (max - min), max + room * (max - min)]
}

/** Canvases take colours as they are, not by their names. */
function coloursOf(element: HTMLElement) {
  const probe = document.createElement('span')
  element.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const series = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => read(`series-${index}`))
  const found = { text: read('dim'), line: read('line'), series }
  probe.remove()
  return found
}
