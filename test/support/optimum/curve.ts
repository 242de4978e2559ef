/**
 * A concave output function as a table: marginal price at growing amounts, linear in between. Only steers the
 * search for the optimum; every figure that is reported comes from the pools' own functions.
 */

export interface Curve {
  /** Amounts in, ascending from 0. */
  readonly amounts: Float64Array
  /** Marginal prices there, descending. */
  readonly prices: Float64Array
  /** Outputs there. */
  readonly outputs: Float64Array
}

/** Sampling ends where the average price has fallen to this part of the first, or the pool serves no more. */
const lowestPrice = 0.02
/** Sampling begins at this multiple of the amount at which rounding and price movement cost the same. */
const wellAbove = 64
/** … at least at this part of the largest amount, and below that by this factor. */
const smallestPart = 2 ** -20
const wellBelow = 32
/** The last part of the amounts, over which the price falls to nothing. */
const endPart = 1e-6
const largestAmount = 2 ** 111

/**
 * @param output - raw units for raw units, increasing and concave but for rounding; 0n where the pool serves none.
 * @param ratio - growth of the amount from one sample to the next.
 * @returns null when the pool gives nothing at all.
 */
export function sampleCurve(output: (amountIn: bigint) => bigint, ratio: number): Curve | null {
  const at = (amount: number) => Number(output(BigInt(Math.floor(amount))))
  const range = usefulRange(at)
  if (!range) return null
  const points: [number, number][] = []
  for (let amount = range.low; amount < range.high; amount *= ratio) {
    const whole = Math.floor(amount)
    if (whole > (points.at(-1)?.[0] ?? 0)) points.push([whole, at(whole)])
  }
  points.push([range.high, at(range.high)])
  const [[smallest = 1] = []] = points
  const average = (amount: number) => at(amount) / amount
  // Extrapolated to nothing, through a parabola.
  const [once = 0, twice = 0, thrice = 0] = [1, 2, 3].map((times) => average(smallest * times))
  const knots: [number, number][] = [[0, Math.max(once, 3 * once - 3 * twice + thrice)]]
  const stretches = fallingStretches(points)
  for (const { from, to, price } of stretches) knots.push([(from + to) / 2, price])
  const { to: end, price: lastPrice } = stretches.at(-1) ?? { to: smallest, price: 0 }
  // Nothing more at the end: the price falls to nothing, but not at once, so that it can be met.
  knots.push([end * (1 - endPart), lastPrice], [end, 0])
  return toCurve(knots)
}

interface Stretch {
  readonly from: number
  readonly to: number
  /** Mean over the stretch. */
  readonly price: number
}

/** Between the samples; where rounding makes a price rise, the stretches become one. */
function fallingStretches(points: readonly (readonly [number, number])[]): Stretch[] {
  const stretches: Stretch[] = []
  let [from, outputBefore] = [0, 0]
  for (const [to, output] of points) {
    let next: Stretch = { from, to, price: (output - outputBefore) / (to - from) }
    for (let last = stretches.at(-1); last && last.price <= next.price; last = stretches.at(-1)) {
      const [before, after] = [last.to - last.from, next.to - next.from]
      const price = (last.price * before + next.price * after) / (before + after)
      next = { from: last.from, to: next.to, price }
      stretches.pop()
    }
    stretches.push(next)
    ;[from, outputBefore] = [to, output]
  }
  return stretches
}

function usefulRange(at: (amount: number) => number): { low: number; high: number } | null {
  const doublings: [number, number][] = []
  for (let amount = 1; amount < largestAmount; amount *= 2) {
    const output = at(amount)
    const [, last = 0] = doublings.at(-1) ?? []
    if (output <= last && last > 0) break
    if (output === 0) continue
    doublings.push([amount, output])
    const [x, y] = doublings[Math.min(20, doublings.length - 1)] ?? [1, 1]
    if (output / amount < (lowestPrice * y) / x) break
  }
  const [last, most] = doublings.at(-1) ?? []
  if (last === undefined || most === undefined) return null
  let high = last
  let refused = last * 2
  // The largest amount that the pool serves.
  if (at(refused) <= most) {
    while (refused - high > high * 1e-9 && refused - high > 1) {
      const middle = Math.floor((high + refused) / 2)
      if (at(middle) > 0) high = middle
      else refused = middle
    }
  }
  // Where the average price is best, rounding costs as much as the amount moves the price.
  const [best] = doublings.reduce((a, b) => (b[1] / b[0] > a[1] / a[0] ? b : a))
  const low = Math.max(best * wellAbove, high * smallestPart)
  return { low: Math.ceil(Math.min(low, high / wellBelow)), high }
}

/** Makes prices fall strictly and adds up the outputs. */
function toCurve(knots: readonly (readonly [number, number])[]): Curve {
  const amounts = new Float64Array(knots.length)
  const prices = new Float64Array(knots.length)
  const outputs = new Float64Array(knots.length)
  for (const [index, [amount, price]] of knots.entries()) {
    amounts[index] = amount
    const before = prices[index - 1] ?? Infinity
    prices[index] = Math.max(0, Math.min(price, before * (1 - 1e-15)))
    if (index === 0) continue
    const width = amount - (amounts[index - 1] ?? 0)
    outputs[index] = (outputs[index - 1] ?? 0) + (width * (before + (prices[index] ?? 0))) / 2
  }
  return { amounts, prices, outputs }
}

/** Largest amount at which the marginal price is still this much. */
export function amountAt({ amounts, prices }: Curve, price: number): number {
  let low = 0
  let high = prices.length - 1
  if (price >= (prices[0] ?? 0)) return 0
  if (price <= (prices[high] ?? 0)) return amounts[high] ?? 0
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((prices[middle] ?? 0) > price) low = middle
    else high = middle
  }
  const [x0 = 0, x1 = 0, p0 = 0, p1 = 0] = [amounts[low], amounts[high], prices[low], prices[high]]
  return p0 === p1 ? x1 : x0 + ((x1 - x0) * (p0 - price)) / (p0 - p1)
}

/** Marginal price and output at an amount; beyond the table nothing more comes out. */
export function curveAt(
  { amounts, prices, outputs }: Curve,
  amount: number,
): { readonly price: number; readonly output: number } {
  let low = 0
  let high = amounts.length - 1
  if (amount >= (amounts[high] ?? 0)) return { price: 0, output: outputs[high] ?? 0 }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((amounts[middle] ?? 0) <= amount) low = middle
    else high = middle
  }
  const [x0 = 0, x1 = 0, p0 = 0, p1 = 0] = [amounts[low], amounts[high], prices[low], prices[high]]
  const price = x1 > x0 ? p0 + ((p1 - p0) * (amount - x0)) / (x1 - x0) : p1
  return { price, output: (outputs[low] ?? 0) + ((amount - x0) * (p0 + price)) / 2 }
}

/** Several pools between the same tokens as one: at each price, the sum of what they take. */
export function inParallel(curves: readonly Curve[]): Curve {
  if (curves.length === 1 && curves[0]) return curves[0]
  const prices = [...new Set(curves.flatMap((curve) => [...curve.prices]))].sort((a, b) => b - a)
  return toCurve(
    prices.map((price) => [curves.reduce((sum, curve) => sum + amountAt(curve, price), 0), price]),
  )
}
