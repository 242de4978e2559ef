/** The answer to a depth question: the curve over sizes, and the table of its values. */
import { useMemo, useState } from 'preact/hooks'
import type { Asked } from '../app/asking.js'
import { countText, figureText } from '../app/format.js'
import { bpsText, readable } from '../app/numbers.js'
import { type Token, tokenAt } from '../app/tokens.js'
import { Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { LineChart } from '../components/line-chart.js'
import { Problem, Waiting } from '../components/states.js'
import type { Depth, Question, Venue } from './curve.js'
import { isOtherWay, poolsOf, priceOf, type Size } from './sizes.js'

interface Props {
  readonly question: Question
  readonly depth: Depth
  readonly alone: Asked<readonly Venue[]>
}

/** The two tokens of the question; null until the service has told them. */
interface Pair {
  readonly tokenIn: Token | null
  readonly tokenOut: Token | null
}

export function DepthAnswer({ question, depth, alone }: Props) {
  const { chainId } = depth
  const [tokenIn, tokenOut] = [tokenAt(chainId, question.in), tokenAt(chainId, question.out)]
  const pair = { tokenIn, tokenOut }
  const curves = useCurves(depth, alone.value ?? noVenues, pair)
  return (
    <>
      <CurveCard {...{ question, depth, alone, pair, curves }} />
      <SizesCard {...{ question, depth, pair }} best={curves.best} />
    </>
  )
}

interface Line {
  readonly label: string
  readonly values: readonly (number | null)[]
  readonly isMain?: boolean
}

interface Curves {
  /** Whole tokens to give, one for each size. */
  readonly x: readonly number[]
  /** Whole tokens to get for one, over all venues and in each of them. */
  readonly prices: readonly Line[]
  /** The same against the best price of all sizes, basis points. */
  readonly losses: readonly Line[]
  readonly best: number
}

function useCurves(
  { sizes: together }: Depth,
  venues: readonly Venue[],
  { tokenIn, tokenOut }: Pair,
): Curves {
  const [inDecimals, outDecimals] = [tokenIn?.decimals ?? 0, tokenOut?.decimals ?? 0]
  return useMemo(() => {
    const prices = (sizes: readonly Size[]) =>
      sizes.map((one) => priceOf(one, inDecimals, outDecimals))
    const whole = prices(together)
    const best = Math.max(...whole.map((one) => one ?? 0))
    const loss = (values: readonly (number | null)[]) =>
      values.map((one) => (one === null || best === 0 ? null : (one / best - 1) * 10_000))
    const all = [
      { label: 'All venues', values: whole, isMain: true },
      ...venues.map(({ protocol, sizes }) => ({ label: protocol, values: prices(sizes) })),
    ]
    return {
      x: together.map(({ amountIn }) => Number(amountIn) / 10 ** inDecimals),
      prices: all,
      losses: all.map((one) => ({ ...one, values: loss(one.values) })),
      best,
    }
  }, [together, venues, inDecimals, outDecimals])
}

/** The lower end of the shown range: venues that bear little would press the others together. */
function lowerEnd({ losses, best }: Curves, isPrice: boolean): number {
  const worst = Math.min(0, ...(losses[0]?.values ?? []).map((one) => one ?? 0))
  const leastLoss = Math.min(-50, 4 * worst)
  return isPrice ? best * (1 + leastLoss / 10_000) : leastLoss
}

function CurveCard(props: Props & { readonly pair: Pair; readonly curves: Curves }) {
  const { question, depth, alone, curves } = props
  const { tokenIn, tokenOut } = props.pair
  const [isPrice, setPrice] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const symbolIn = tokenIn?.symbol ?? ''
  const priceTitle = `${tokenOut?.symbol ?? ''} per ${symbolIn}`
  return (
    <div class="card stack">
      <div class="card-head">
        <h2>{isPrice ? priceTitle : 'Slippage to best price, bps'}</h2>
        <span class="row">
          <span class="tag">Block {countText(depth.blockNumber)}</span>
          <Toggle label="Show price" isOn={isPrice} onToggle={setPrice} />
          <Toggle label="Show full range" isOn={isWhole} onToggle={setWhole} />
        </span>
      </div>
      <LineChart
        label={`${priceTitle} for sizes from ${question.least} to ${question.most}; the table has the values.`}
        x={curves.x}
        lines={isPrice ? curves.prices : curves.losses}
        isLog
        least={isWhole ? undefined : lowerEnd(curves, isPrice)}
        height={340}
        xText={(value) => `${compact.format(value)} ${symbolIn}`}
        yText={isPrice ? priceText : (value) => `${Math.round(value)}`}
      />
      <p class="hint">
        {changesText(depth.sizes, tokenIn)}{' '}
        {alone.value?.length === 0 && 'All sizes trade on one venue.'}
      </p>
      {alone.isBusy && <Waiting text="Quoting each venue …" />}
      {alone.error !== null && <Problem error={alone.error} again={alone.again} />}
    </div>
  )
}

interface ToggleProps {
  readonly label: string
  readonly isOn: boolean
  onToggle(isOn: boolean): void
}

function Toggle({ label, isOn, onToggle }: ToggleProps) {
  return (
    <button type="button" class="quiet" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
      {label}
    </button>
  )
}

function changesText(sizes: readonly Size[], token: Token | null): string {
  const changes = sizes.filter((size, index) => isOtherWay(size, sizes[index - 1]))
  if (changes.length === 0) return 'The route is the same for all sizes.'
  const decimals = token?.decimals ?? 0
  const amounts = changes.map(({ amountIn }) => readable(amountIn, decimals)).join(', ')
  return `The route changes at ${amounts} ${token?.symbol ?? ''}.`
}

interface SizesProps {
  readonly question: Question
  readonly depth: Depth
  readonly pair: Pair
  /** The best price of all sizes. */
  readonly best: number
}

function SizesCard({ question, depth: { chainId, sizes }, pair, best }: SizesProps) {
  const price = (size: Size) =>
    priceOf(size, pair.tokenIn?.decimals ?? 0, pair.tokenOut?.decimals ?? 0)
  return (
    <div class="card">
      <h2>Sizes</h2>
      <DataTable<Size>
        label="Sizes"
        rows={sizes}
        keyOf={({ amountIn }) => `${amountIn}`}
        columns={[
          {
            title: 'You pay',
            isNumber: true,
            cell: ({ amountIn }) => (
              <Amount chainId={chainId} token={question.in} value={amountIn} />
            ),
          },
          {
            title: 'You receive',
            isNumber: true,
            cell: ({ quote, problem }) =>
              quote ? (
                <Amount chainId={chainId} token={question.out} value={quote.amountOut} />
              ) : (
                <span class="bad">{problem}</span>
              ),
          },
          {
            title: 'Price',
            isNumber: true,
            cell: (size) => textOf(price(size), priceText),
          },
          {
            title: 'vs. best',
            isNumber: true,
            cell: (size) => textOf(price(size), (one) => bpsText((one / best - 1) * 10_000)),
          },
          {
            title: 'Price impact',
            isNumber: true,
            cell: ({ quote }) => figureText(quote?.priceImpact, 'bps'),
          },
          {
            title: 'Gas',
            isNumber: true,
            cell: ({ quote }) => (quote ? countText(quote.gas) : '–'),
          },
          {
            title: 'Route',
            cell: (size) => (
              <span class="reason">
                {isOtherWay(size, sizes[sizes.indexOf(size) - 1]) && (
                  <span class="tag accent">changes</span>
                )}{' '}
                {venuesText(size)}
              </span>
            ),
          },
        ]}
      />
    </div>
  )
}

const noVenues: readonly Venue[] = []
const compact = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
})
const exact = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 7 })
const priceText = (value: number) => exact.format(value)

const textOf = (value: number | null, text: (value: number) => string) =>
  value === null ? '–' : text(value)

function venuesText(size: Size): string {
  const counts = new Map<string, number>()
  for (const { protocol } of poolsOf(size)) counts.set(protocol, (counts.get(protocol) ?? 0) + 1)
  return [...counts]
    .map(([protocol, count]) => (count > 1 ? `${count} × ${protocol}` : protocol))
    .join(', ')
}
