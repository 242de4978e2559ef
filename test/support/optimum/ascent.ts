/**
 * The best flow through a network whose links are curves: amounts move from worse to better paths until all used
 * paths have the same marginal output and no unused one has a better. The problem is concave, so that is the optimum.
 */
import { type Curve, curveAt } from './curve.js'

/** Null: no such link. */
export interface Links {
  readonly direct: Curve | null
  readonly first: readonly (Curve | null)[]
  readonly middle: readonly (readonly (Curve | null)[])[]
  readonly last: readonly (Curve | null)[]
}

/** Amounts in of every link, and at the output what one more unit is worth at the input and at each token between. */
export interface Flow {
  readonly direct: number
  readonly first: readonly number[]
  readonly middle: readonly (readonly number[])[]
  readonly last: readonly number[]
  readonly output: number
  readonly priceIn: number
  /** With two swaps left, and with one. */
  readonly pricesEarly: readonly number[]
  readonly pricesLate: readonly number[]
}

interface TokenPath {
  /** -1: none. */
  readonly v: number
  readonly w: number
}

const roundsAtMost = 4_000
/** What better use of the flow could still add, as a part of the output. */
const enough = 1e-9

export function bestFlow(links: Links, amountIn: number): Flow {
  const paths = tokenPaths(links)
  const amounts = new Float64Array(paths.length)
  let state = evaluate(links, paths, amounts)
  const first = indexOfMost(state.marginals)
  if (first === -1) return toFlow(links, state)
  amounts[first] = amountIn
  for (let round = 0; round < roundsAtMost; round++) {
    state = evaluate(links, paths, amounts)
    const { marginals } = state
    const to = indexOfMost(marginals)
    const losses = marginals.map(
      (each, index) => (amounts[index] ?? 0) * ((marginals[to] ?? 0) - each),
    )
    const from = indexOfMost(losses)
    if (from === -1 || losses.reduce((sum, loss) => sum + loss, 0) <= enough * state.output) break
    const moved = balance(links, paths, amounts, from, to)
    amounts[from] = (amounts[from] ?? 0) - moved
    amounts[to] = (amounts[to] ?? 0) + moved
  }
  return toFlow(links, evaluate(links, paths, amounts))
}

function tokenPaths({ direct, first, middle, last }: Links): TokenPath[] {
  const paths: TokenPath[] = direct ? [{ v: -1, w: -1 }] : []
  for (const [v, link] of first.entries()) {
    if (!link) continue
    if (last[v]) paths.push({ v, w: -1 })
    for (const [w, next] of (middle[v] ?? []).entries()) if (next && last[w]) paths.push({ v, w })
  }
  return paths
}

/** How much to move between two paths so that both are worth the same, or all. */
function balance(
  links: Links,
  paths: readonly TokenPath[],
  amounts: Float64Array,
  from: number,
  to: number,
): number {
  const all = amounts[from] ?? 0
  const gains = (moved: number) => {
    const trial = amounts.slice()
    trial[from] = all - moved
    trial[to] = (amounts[to] ?? 0) + moved
    const { marginals } = evaluate(links, paths, trial)
    return (marginals[to] ?? 0) > (marginals[from] ?? 0)
  }
  if (gains(all)) return all
  let [low, high] = [0, all]
  for (let step = 0; step < 50 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2
    if (gains(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}

interface State {
  readonly direct: number
  readonly first: number[]
  readonly middle: number[][]
  readonly last: number[]
  readonly output: number
  /** Of one more unit on each path, the shares of what others get included. */
  readonly marginals: number[]
}

const nothing = { price: 0, output: 0 }
const read = (curve: Curve | null | undefined, amount: number) =>
  curve ? curveAt(curve, amount) : nothing

/** Paths that share a link share its output in proportion to what they put in. */
function evaluate(links: Links, paths: readonly TokenPath[], amounts: Float64Array): State {
  const count = links.first.length
  const first = new Array<number>(count).fill(0)
  let direct = 0
  for (const [index, { v }] of paths.entries()) {
    if (v === -1) direct += amounts[index] ?? 0
    else first[v] = (first[v] ?? 0) + (amounts[index] ?? 0)
  }
  const gotFirst = first.map((amount, v) => read(links.first[v], amount))
  const rates = first.map((amount, v) => {
    const { output, price } = gotFirst[v] ?? nothing
    return amount > 0 ? output / amount : price
  })
  const middle = first.map(() => new Array<number>(count).fill(0))
  const last = new Array<number>(count).fill(0)
  for (const [index, { v, w }] of paths.entries()) {
    if (v === -1) continue
    const passed = (amounts[index] ?? 0) * (rates[v] ?? 0)
    const row = middle[v]
    if (w === -1) last[v] = (last[v] ?? 0) + passed
    else if (row) row[w] = (row[w] ?? 0) + passed
  }
  const gotMiddle = middle.map((row, v) =>
    row.map((amount, w) => read(links.middle[v]?.[w], amount)),
  )
  for (const row of gotMiddle) {
    for (const [w, { output }] of row.entries()) last[w] = (last[w] ?? 0) + output
  }
  const gotLast = last.map((amount, v) => read(links.last[v], amount))
  const gotDirect = read(links.direct, direct)
  const output = gotLast.reduce((sum, each) => sum + each.output, gotDirect.output)

  const onwards = ({ v, w }: TokenPath) =>
    w === -1 ? (gotLast[v]?.price ?? 0) : (gotMiddle[v]?.[w]?.price ?? 0) * (gotLast[w]?.price ?? 0)
  const mean = new Array<number>(count).fill(0)
  for (const [index, path] of paths.entries()) {
    const total = first[path.v] ?? 0
    if (path.v === -1 || total === 0) continue
    mean[path.v] = (mean[path.v] ?? 0) + ((amounts[index] ?? 0) / total) * onwards(path)
  }
  const marginals = paths.map((path) => {
    if (path.v === -1) return gotDirect.price
    const rate = rates[path.v] ?? 0
    const diluted = rate - (gotFirst[path.v]?.price ?? 0)
    return rate * onwards(path) - diluted * ((first[path.v] ?? 0) > 0 ? (mean[path.v] ?? 0) : 0)
  })
  return { direct, first, middle, last, output, marginals }
}

function toFlow(links: Links, { marginals: _, ...amounts }: State): Flow {
  const pricesLate = amounts.last.map((amount, v) => read(links.last[v], amount).price)
  const pricesEarly = amounts.middle.map((row, v) =>
    Math.max(
      pricesLate[v] ?? 0,
      ...row.map((amount, w) => read(links.middle[v]?.[w], amount).price * (pricesLate[w] ?? 0)),
    ),
  )
  const priceIn = Math.max(
    read(links.direct, amounts.direct).price,
    ...amounts.first.map((amount, v) => read(links.first[v], amount).price * (pricesEarly[v] ?? 0)),
  )
  return { ...amounts, priceIn, pricesEarly, pricesLate }
}

function indexOfMost(values: readonly number[]): number {
  let best = -1
  for (const [index, value] of values.entries()) {
    if (value > 0 && (best === -1 || value > (values[best] ?? 0))) best = index
  }
  return best
}
