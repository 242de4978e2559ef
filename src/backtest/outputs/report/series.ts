/** The lines of a report: amounts and edges over blocks, with a bounded number of points however many blocks there are. */
import type { BacktestBlock, BacktestPlan } from '../../../domain/backtest.js'
import { amountOf, comparedRows } from '../../comparison.js'

export interface Point {
  /** Block number. */
  readonly x: number
  readonly y: number
}

/** Points of one variant; null where it has nothing for a while: the line is broken there. */
export type Line = readonly (Point | null)[]

export interface RequestLines {
  /** One per variant. `unit` is what one raw unit of tokenOut is worth in `price`; null where no price is known. */
  readonly amounts: readonly Line[]
  readonly unit: number | null
  /** Basis points over the baseline, one per variant; empty lines for the baseline. */
  readonly edges: readonly Line[]
}

export interface Series {
  /** Blocks in ascending order. */
  add(block: BacktestBlock): void
  /** Blocks that share a lowest and a highest point; 1 when every block is drawn. */
  blocksPerBucket(): number
  lines(request: string): RequestLines
}

interface Bucket {
  readonly low: Point
  readonly high: Point
}
type Buckets = (Bucket | null)[]

/**
 * The most points of all lines of a report together, and the fewest and most of one line: the report stays below some
 * megabytes.
 */
const totalPoints = 120_000
const fewestBuckets = 12
const mostBuckets = 200

export function createSeries(plan: BacktestPlan): Series {
  const lineCount = plan.requests.length * plan.variants.length * 2
  const limit = Math.min(
    mostBuckets,
    Math.max(fewestBuckets, Math.floor(totalPoints / 2 / lineCount)),
  )
  const variantAt = new Map(plan.variants.map(({ name }, index) => [name, index]))
  const emptyLines = (): Buckets[] => plan.variants.map(() => [])
  const requests = new Map(
    plan.requests.map(({ name }) => [
      name,
      { amounts: emptyLines(), edges: emptyLines(), unit: null as number | null },
    ]),
  )
  let count = 0
  let perBucket = 1
  return {
    add(block) {
      if (Math.floor(count / perBucket) >= limit) {
        for (const { amounts, edges } of requests.values()) {
          for (const lines of [amounts, edges]) lines.splice(0, lines.length, ...lines.map(halved))
        }
        perBucket *= 2
      }
      const bucket = Math.floor(count / perBucket)
      const x = Number(block.blockNumber)
      for (const { row, comparison } of comparedRows(plan, block).flat()) {
        const request = requests.get(row.request)
        const variant = variantAt.get(row.variant)
        if (!request || variant === undefined) continue
        const amount = amountOf(row)
        const edge = comparison.edge
        const y = amount === null ? null : Number(amount)
        put(request.amounts[variant], bucket, y === null ? null : { x, y })
        put(request.edges[variant], bucket, edge === null ? null : { x, y: edge / 100 })
        if (row.outcome.ok && row.outcome.price && y) request.unit ??= row.outcome.price / y
      }
      count += 1
    },
    blocksPerBucket: () => perBucket,
    lines(name) {
      const request = requests.get(name)
      const pointsOf = (lines: readonly Buckets[]) => lines.map((buckets) => buckets.flatMap(drawn))
      return {
        amounts: pointsOf(request?.amounts ?? []),
        edges: pointsOf(request?.edges ?? []),
        unit: request?.unit ?? null,
      }
    },
  }
}

function put(line: Buckets | undefined, bucket: number, point: Point | null): void {
  if (!line) return
  const known = line[bucket] ?? null
  line[bucket] = point ? merged(known, { low: point, high: point }) : known
}

function merged(a: Bucket | null, b: Bucket | null): Bucket | null {
  if (!a || !b) return a ?? b
  return { low: b.low.y < a.low.y ? b.low : a.low, high: b.high.y > a.high.y ? b.high : a.high }
}

/** Each two buckets become one. */
function halved(line: Buckets): Buckets {
  return Array.from({ length: Math.ceil(line.length / 2) }, (_, index) =>
    merged(line[2 * index] ?? null, line[2 * index + 1] ?? null),
  )
}

/** Lowest and highest in the order of their blocks. */
function drawn(bucket: Bucket | null): readonly (Point | null)[] {
  if (!bucket) return [null]
  const { low, high } = bucket
  if (low.x === high.x) return [low]
  return low.x < high.x ? [low, high] : [high, low]
}
