/** How the price of a pair falls with the size, by venue and over all of them. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Asked, useAsked } from '../app/asking.js'
import { bpsText, readable } from '../app/numbers.js'
import { go, hrefOf } from '../app/router.js'
import { listOf, networks, tokenAt } from '../app/tokens.js'
import { Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { AmountField, BlockField, ChainField } from '../components/fields.js'
import { LineChart } from '../components/line-chart.js'
import { Answer, Empty, Problem, Waiting } from '../components/states.js'
import { TokenField } from '../components/token-field.js'
import {
  askTogether,
  askVenues,
  type Depth,
  isWhole as isWholeQuestion,
  type Question,
  readQuestion,
  type Venue,
} from './curve.js'
import { isOtherWay, poolsOf, priceOf, type Size } from './sizes.js'

export function DepthView({ query }: { readonly query: URLSearchParams }) {
  const defaultChain = `${networks.value[0]?.id ?? 1}`
  const question = useMemo(() => readQuestion(query, defaultChain), [query, defaultChain])
  const words = isWholeQuestion(question) ? JSON.stringify(question) : null
  const asked = useAsked(words, async (client, signal) => ({
    question,
    depth: await askTogether(client, question, signal),
  }))
  const whole = asked.value
  const alone = useAsked(
    whole && JSON.stringify([whole.question, whole.depth.blockNumber]),
    async (client, signal) => (whole ? askVenues(client, whole.question, whole.depth, signal) : []),
  )
  return (
    <>
      <div class="view-head">
        <h1>Depth</h1>
        <p>
          What a pair bears: the price over sizes, for each venue by itself and for all together.
        </p>
      </div>
      <DepthForm question={question} isBusy={asked.isBusy} again={asked.again} />
      <Answer
        asked={asked}
        waiting="Quoting every size …"
        before={<Example chain={question.chain} />}
      >
        {({ question: its, depth }) => <DepthAnswer question={its} depth={depth} alone={alone} />}
      </Answer>
    </>
  )
}

interface FormProps {
  readonly question: Question
  readonly isBusy: boolean
  again(): void
}

function DepthForm({ question, isBusy, again }: FormProps) {
  const [draft, setDraft] = useState(question)
  const words = JSON.stringify(question)
  useEffect(() => setDraft(JSON.parse(words) as Question), [words])
  const set = (changes: Partial<Question>) => setDraft((now) => ({ ...now, ...changes }))
  const chainId = Number(draft.chain)
  return (
    <form
      class="card stack"
      aria-label="Question"
      onSubmit={(event) => {
        event.preventDefault()
        if (JSON.stringify(draft) === words) again()
        else go('depth', { ...draft })
      }}
    >
      <div class="form">
        <ChainField value={draft.chain} onValue={(chain) => set({ chain, in: '', out: '' })} />
        <TokenField
          label="You give"
          chainId={chainId}
          value={draft.in}
          onValue={(token) => set({ in: token })}
        />
        <TokenField
          label="You get"
          chainId={chainId}
          value={draft.out}
          onValue={(token) => set({ out: token })}
        />
        <AmountField
          label="From size"
          chainId={chainId}
          token={draft.in}
          value={draft.least}
          onValue={(least) => set({ least })}
        />
        <AmountField
          label="To size"
          chainId={chainId}
          token={draft.in}
          value={draft.most}
          onValue={(most) => set({ most })}
        />
        <BlockField value={draft.at} onValue={(at) => set({ at })} />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={!isWholeQuestion(draft)}>
          {isBusy ? 'Asking …' : 'Draw the curve'}
        </button>
      </div>
    </form>
  )
}

function Example({ chain }: { readonly chain: string }) {
  const tokens = listOf(Number(chain))
  const [from, to] = ['ETH', 'USDC'].map(
    (name) => tokens.find(({ symbol }) => symbol === name)?.address,
  )
  const href =
    from && to && hrefOf('depth', { chain, in: from, out: to, least: '0.1', most: '2000' })
  return (
    <Empty title="Ask for a curve">
      Choose a pair and two sizes
      {href && (
        <span class="examples">
          <a class="button" href={href}>
            0.1 to 2,000 ETH into USDC
          </a>
        </span>
      )}
    </Empty>
  )
}

interface AnswerProps {
  readonly question: Question
  readonly depth: Depth
  readonly alone: Asked<readonly Venue[]>
}

function DepthAnswer({ question, depth, alone }: AnswerProps) {
  const { chainId, sizes: together } = depth
  const venues = alone.value ?? noVenues
  const [isPrice, setPrice] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const [tokenIn, tokenOut] = [tokenAt(chainId, question.in), tokenAt(chainId, question.out)]
  const [inDecimals, outDecimals] = [tokenIn?.decimals ?? 0, tokenOut?.decimals ?? 0]
  const curves = useMemo(() => {
    const prices = (sizes: readonly Size[]) =>
      sizes.map((one) => priceOf(one, inDecimals, outDecimals))
    const whole = prices(together)
    const best = Math.max(...whole.map((one) => one ?? 0))
    const loss = (values: readonly (number | null)[]) =>
      values.map((one) => (one === null || best === 0 ? null : (one / best - 1) * 10_000))
    const all = [
      { label: 'together', values: whole, isMain: true },
      ...venues.map(({ protocol, sizes }) => ({ label: protocol, values: prices(sizes) })),
    ]
    return { prices: all, losses: all.map((one) => ({ ...one, values: loss(one.values) })), best }
  }, [together, venues, inDecimals, outDecimals])
  const x = useMemo(
    () => together.map(({ amountIn }) => Number(amountIn) / 10 ** inDecimals),
    [together, inDecimals],
  )
  // Venues that bear little would press the others together.
  const worst = Math.min(0, ...(curves.losses[0]?.values ?? []).map((one) => one ?? 0))
  const leastLoss = Math.min(-50, 4 * worst)
  const least = isPrice ? curves.best * (1 + leastLoss / 10_000) : leastLoss
  const changes = together.filter((size, index) => isOtherWay(size, together[index - 1]))
  const symbolIn = tokenIn?.symbol ?? ''
  const pair = `${tokenOut?.symbol ?? ''} for 1 ${symbolIn}`
  const sizeText = (value: number) => `${compact.format(value)} ${symbolIn}`
  const priceText = (value: number) => exact.format(value)
  return (
    <>
      <div class="card stack">
        <div class="card-head">
          <h2>{isPrice ? pair : 'Price against the best of all sizes, in bps'}</h2>
          <span class="row">
            <span class="tag">block {depth.blockNumber}</span>
            <button
              type="button"
              class="quiet"
              aria-pressed={isPrice}
              onClick={() => setPrice(!isPrice)}
            >
              as price
            </button>
            <button
              type="button"
              class="quiet"
              aria-pressed={isWhole}
              onClick={() => setWhole(!isWhole)}
            >
              all of it
            </button>
          </span>
        </div>
        <LineChart
          label={`The curve of ${pair} over sizes from ${question.least} to ${question.most}; the table has its values.`}
          x={x}
          lines={isPrice ? curves.prices : curves.losses}
          isLog
          least={isWhole ? undefined : least}
          height={340}
          xText={sizeText}
          yText={isPrice ? priceText : (value) => `${Math.round(value)}`}
        />
        <p class="hint">
          {changes.length === 0
            ? 'The route is the same for all sizes.'
            : `The route changes at ${changes.map(({ amountIn }) => readable(amountIn, inDecimals)).join(', ')} ${symbolIn}.`}{' '}
          {alone.value?.length === 0 && 'All sizes use one venue.'}
        </p>
        {alone.isBusy && <Waiting text="Quoting each venue by itself …" />}
        {alone.error !== null && <Problem error={alone.error} again={alone.again} />}
      </div>
      <div class="card">
        <h2>Sizes</h2>
        <DataTable<Size>
          label="Sizes"
          rows={together}
          keyOf={({ amountIn }) => `${amountIn}`}
          columns={[
            {
              title: 'You give',
              isNumber: true,
              cell: ({ amountIn }) => (
                <Amount chainId={chainId} token={question.in} value={amountIn} />
              ),
            },
            {
              title: 'You get',
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
              cell: (size) => textOf(priceOf(size, inDecimals, outDecimals), priceText),
            },
            {
              title: 'To the best',
              isNumber: true,
              cell: (size) =>
                textOf(priceOf(size, inDecimals, outDecimals), (one) =>
                  bpsText((one / curves.best - 1) * 10_000),
                ),
            },
            {
              title: 'Price impact',
              isNumber: true,
              cell: ({ quote }) =>
                typeof quote?.priceImpact === 'number' ? bpsText(quote.priceImpact) : '–',
            },
            { title: 'Gas', isNumber: true, cell: ({ quote }) => (quote ? `${quote.gas}` : '–') },
            {
              title: 'Route',
              cell: (size) => (
                <span class="reason">
                  {isOtherWay(size, together[together.indexOf(size) - 1]) && (
                    <span class="tag accent">changes</span>
                  )}{' '}
                  {venuesText(size)}
                </span>
              ),
            },
          ]}
        />
      </div>
    </>
  )
}

const noVenues: readonly Venue[] = []
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const exact = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 })

const textOf = (value: number | null, text: (value: number) => string) =>
  value === null ? '–' : text(value)

function venuesText(size: Size): string {
  const counts = new Map<string, number>()
  for (const { protocol } of poolsOf(size)) counts.set(protocol, (counts.get(protocol) ?? 0) + 1)
  return [...counts]
    .map(([protocol, count]) => (count > 1 ? `${count} × ${protocol}` : protocol))
    .join(', ')
}
