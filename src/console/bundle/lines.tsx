/** Lines from outputs to the amounts that take them, and the one that is being drawn. */
import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { type Draft, referencesIn } from './draft.js'

interface Point {
  readonly x: number
  readonly y: number
}

interface Line {
  readonly id: string
  readonly from: Point
  readonly to: Point
}

export interface Drawing {
  /** Index of the action whose output it is. */
  readonly of: number
  readonly to: Point
}

interface Props {
  readonly draft: Draft
  readonly drawing: Drawing | null
  readonly area: RefObject<HTMLDivElement | null>
}

/** Pictures alone: the fields say the same in words. */
export function Lines({ draft, drawing, area }: Props) {
  const [lines, setLines] = useState<readonly Line[]>([])
  const measure = useCallback(() => {
    const box = area.current
    if (!box) return
    const found = referencesIn(draft).flatMap(({ index, argument, of }) => {
      const from = placeOf(box, `[data-output="${of}"]`)
      const to = placeOf(box, `[data-action="${index}"] [data-argument="${argument}"]`)
      return from && to ? [{ id: `${index} ${argument}`, from, to }] : []
    })
    setLines((now) => (JSON.stringify(now) === JSON.stringify(found) ? now : found))
  }, [draft, area])
  useLayoutEffect(measure)
  useEffect(() => {
    if (!area.current) return
    const observer = new ResizeObserver(measure)
    observer.observe(area.current)
    return () => observer.disconnect()
  }, [measure, area])
  const start = drawing && area.current && placeOf(area.current, `[data-output="${drawing.of}"]`)
  return (
    <svg class="lines-of-bundle" aria-hidden="true">
      {lines.map(({ id, from, to }) => (
        <path key={id} d={curve(from, to)} />
      ))}
      {start && <path class="drawing" d={curve(start, drawing.to)} />}
    </svg>
  )
}

/** The middle of the left side of a field; of a handle its middle. */
function placeOf(area: HTMLElement, selector: string): Point | null {
  const element = area.querySelector(selector)
  if (!element) return null
  const [outer, inner] = [area.getBoundingClientRect(), element.getBoundingClientRect()]
  const isHandle = element.hasAttribute('data-output')
  return {
    x: Math.round(inner.left - outer.left + (isHandle ? inner.width / 2 : 0)),
    y: Math.round(inner.top - outer.top + (isHandle ? inner.height / 2 : 40)),
  }
}

function curve(from: Point, to: Point): string {
  const bend = Math.max(24, Math.abs(to.y - from.y) / 2)
  return `M${from.x},${from.y} C${from.x},${from.y + bend} ${Math.max(4, to.x - bend)},${to.y} ${to.x},${to.y}`
}
