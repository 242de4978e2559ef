/** A quote at every new head, and how far it is from prices that come from elsewhere. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { countText } from '../app/format.js'
import { bpsText } from '../app/numbers.js'
import { go, hrefOf } from '../app/router.js'
import { listOf, networks, tokenAt } from '../app/tokens.js'
import { Amount } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { AmountField, ChainField, Field } from '../components/fields.js'
import { LineChart } from '../components/line-chart.js'
import { Empty, Problem, Waiting } from '../components/states.js'
import { TokenField } from '../components/token-field.js'
import { parseReference, priceAt, type Reference } from './reference.js'
import { type Head, isWhole, type Question, readQuestion, useHeads } from './stream.js'

const noReference: Reference = new Map()

export function LiveView({ query }: { readonly query: URLSearchParams }) {
  const defaultChain = `${networks.value[0]?.id ?? 1}`
  const question = useMemo(() => readQuestion(query, defaultChain), [query, defaultChain])
  const [isPaused, setPaused] = useState(false)
  const [turn, setTurn] = useState(0)
  const [reference, setReference] = useState(noReference)
  const { heads, amountIn, problem, error } = useHeads(question, isPaused, turn)
  const isAsked = isWhole(question)
  return (
    <>
      <div class="view-head">
        <h1>Live</h1>
        <p>A quote at every new block, with its spread to your reference prices.</p>
      </div>
      <LiveForm question={question} />
      {!isAsked && <Example chain={question.chain} />}
      {error !== null && <Problem error={error} again={() => setTurn(turn + 1)} />}
      {isAsked && error === null && (
        <div class="row">
          <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <span role="status" class={isPaused ? 'tag warn' : 'tag good'}>
            {isPaused ? 'Paused' : 'Streaming'} · {countText(heads.length)} blocks
          </span>
          {problem && <span class="bad">{problem}</span>}
        </div>
      )}
      {isAsked && error === null && heads.length === 0 && (
        <Waiting text="Waiting for the first quote …" />
      )}
      {heads.length > 0 && amountIn !== null && (
        <Quotes {...{ question, heads, amountIn, reference }} />
      )}
      {isAsked && <ReferenceForm onReference={setReference} />}
    </>
  )
}

function LiveForm({ question }: { readonly question: Question }) {
  const [draft, setDraft] = useState(question)
  const words = JSON.stringify(question)
  useEffect(() => setDraft(JSON.parse(words) as Question), [words])
  const set = (changes: Partial<Question>) => setDraft((now) => ({ ...now, ...changes }))
  const chainId = Number(draft.chain)
  return (
    <form
      class="card stack"
      aria-label="Trade"
      onSubmit={(event) => {
        event.preventDefault()
        go('live', { ...draft })
      }}
    >
      <div class="form">
        <ChainField value={draft.chain} onValue={(chain) => set({ chain, in: '', out: '' })} />
        <TokenField
          label="You pay"
          chainId={chainId}
          value={draft.in}
          onValue={(token) => set({ in: token })}
        />
        <AmountField
          chainId={chainId}
          token={draft.in}
          value={draft.amount}
          onValue={(amount) => set({ amount })}
        />
        <TokenField
          label="You receive"
          chainId={chainId}
          value={draft.out}
          onValue={(token) => set({ out: token })}
        />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={!isWhole(draft)}>
          Start streaming
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
  const href = from && to && hrefOf('live', { chain, in: from, out: to, amount: '10' })
  return (
    <Empty title="No pair selected">
      Choose tokens and an amount
      {href && (
        <span class="examples">
          <a class="button" href={href}>
            10 ETH to USDC
          </a>
        </span>
      )}
    </Empty>
  )
}

interface QuotesProps {
  readonly question: Question
  readonly heads: readonly Head[]
  readonly amountIn: bigint
  readonly reference: Reference
}

interface Row extends Head {
  readonly price: number | null
  readonly elsewhere: number | null
  readonly spreadBps: number | null
}

function Quotes({ question, heads, amountIn, reference }: QuotesProps) {
  const chainId = Number(question.chain)
  const [tokenIn, tokenOut] = [tokenAt(chainId, question.in), tokenAt(chainId, question.out)]
  const scale = 10 ** ((tokenIn?.decimals ?? 0) - (tokenOut?.decimals ?? 0))
  const rows = useMemo(() => {
    const blocks = [...reference.keys()].sort((a, b) => a - b)
    return heads.map((head): Row => {
      const price =
        head.amountOut === null ? null : (Number(head.amountOut) / Number(amountIn)) * scale
      const elsewhere = reference.size > 0 ? priceAt(reference, blocks, head.blockNumber) : null
      const spreadBps =
        price === null || elsewhere === null ? null : (price / elsewhere - 1) * 10_000
      return { ...head, price, elsewhere, spreadBps }
    })
  }, [heads, amountIn, scale, reference])
  const lines = useMemo(() => {
    const prices = [{ label: 'quoted', values: rows.map(({ price }) => price), isMain: true }]
    const others = {
      label: 'reference',
      values: rows.map(({ elsewhere }) => elsewhere),
      isDashed: true,
    }
    return {
      x: rows.map(({ blockNumber }) => blockNumber),
      prices: reference.size > 0 ? [...prices, others] : prices,
      spread: [{ label: 'spread', values: rows.map(({ spreadBps }) => spreadBps), isMain: true }],
    }
  }, [rows, reference])
  const newestFirst = useMemo(() => [...rows].reverse(), [rows])
  const pair = `${tokenOut?.symbol ?? ''} for 1 ${tokenIn?.symbol ?? ''}`
  const blockText = (block: number) => (Number.isInteger(block) ? countText(block) : '')
  return (
    <>
      <div class="card stack">
        <h2>{pair}</h2>
        <LineChart
          label={`${pair} over ${rows.length} blocks; the table has the values.`}
          x={lines.x}
          lines={lines.prices}
          xText={blockText}
          yText={(value) => exact.format(value)}
        />
        {reference.size > 0 && (
          <>
            <h3>Spread to reference, bps</h3>
            <LineChart
              label="Spread to reference in basis points; the table has the values."
              x={lines.x}
              lines={lines.spread}
              height={180}
              xText={blockText}
              yText={(value) => value.toFixed(1)}
            />
          </>
        )}
      </div>
      <QuotesTable rows={newestFirst} {...{ question, reference }} />
    </>
  )
}

interface TableProps extends Pick<QuotesProps, 'question' | 'reference'> {
  readonly rows: readonly Row[]
}

function QuotesTable({ question, rows, reference }: TableProps) {
  const chainId = Number(question.chain)
  return (
    <div class="card">
      <h2>Quotes</h2>
      <DataTable<Row>
        label="Quotes"
        rows={rows}
        keyOf={({ blockNumber }) => blockNumber}
        columns={[
          { title: 'Block', isNumber: true, cell: ({ blockNumber }) => countText(blockNumber) },
          {
            title: 'You receive',
            isNumber: true,
            cell: ({ amountOut, problem }) =>
              amountOut === null ? (
                <span class="bad">{problem}</span>
              ) : (
                <Amount chainId={chainId} token={question.out} value={amountOut} />
              ),
          },
          {
            title: 'Price',
            isNumber: true,
            cell: ({ price }) => (price === null ? '–' : exact.format(price)),
          },
          ...(reference.size > 0
            ? [
                {
                  title: 'Reference',
                  isNumber: true,
                  cell: ({ elsewhere }: Row) =>
                    elsewhere === null ? '–' : exact.format(elsewhere),
                },
                {
                  title: 'Spread',
                  isNumber: true,
                  cell: ({ spreadBps }: Row) => bpsText(spreadBps),
                },
              ]
            : []),
          {
            title: 'Gas',
            isNumber: true,
            cell: ({ gas }) => (gas === null ? '–' : countText(gas)),
          },
          { title: 'Venues', cell: ({ venues }) => <span class="reason">{venues}</span> },
        ]}
      />
    </div>
  )
}

const exact = new Intl.NumberFormat('en', { maximumSignificantDigits: 8 })

function ReferenceForm({ onReference }: { onReference(reference: Reference): void }) {
  const [text, setText] = useState('')
  const [told, setTold] = useState<{ readonly problem?: string; readonly said?: string }>({})
  const use = (given: string) => {
    setText(given)
    try {
      const reference = parseReference(given)
      onReference(reference)
      setTold({
        said: reference.size > 0 ? `${countText(reference.size)} reference prices loaded.` : '',
      })
    } catch (error) {
      setTold({ problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <details class="card">
      <summary>Reference prices</summary>
      <div class="stack reference">
        <Field
          label="Reference price by block"
          hint={
            told.said ||
            'Lines of block,price, or JSON. A block without a price uses the latest one before it.'
          }
          problem={told.problem ?? null}
        >
          {(own) => (
            <textarea
              {...own}
              value={text}
              spellcheck={false}
              placeholder={'378,3001.25\n379,3001.40'}
              onChange={(event) => use(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Upload file">
          {(own) => (
            <input
              {...own}
              type="file"
              accept=".csv,.json,.txt,text/csv,application/json"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? []
                if (file) void file.text().then(use)
              }}
            />
          )}
        </Field>
      </div>
    </details>
  )
}
