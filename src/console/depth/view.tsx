/** How the price of a pair falls with the size, by venue and over all of them. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useAsked } from '../app/asking.js'
import { go, hrefOf } from '../app/router.js'
import { listOf, networks } from '../app/tokens.js'
import { AmountField, BlockField, ChainField } from '../components/fields.js'
import { Answer, Empty } from '../components/states.js'
import { TokenField } from '../components/token-field.js'
import { DepthAnswer } from './answer.js'
import { askTogether, askVenues, isWhole, type Question, readQuestion } from './curve.js'

export function DepthView({ query }: { readonly query: URLSearchParams }) {
  const defaultChain = `${networks.value[0]?.id ?? 1}`
  const question = useMemo(() => readQuestion(query, defaultChain), [query, defaultChain])
  const words = isWhole(question) ? JSON.stringify(question) : null
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
        <p>Price by trade size, for all venues together and for each venue alone.</p>
      </div>
      <DepthForm question={question} isBusy={asked.isBusy} again={asked.again} />
      <Answer
        asked={asked}
        waiting="Quoting all sizes …"
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
      aria-label="Trade"
      onSubmit={(event) => {
        event.preventDefault()
        if (JSON.stringify(draft) === words) again()
        else go('depth', { ...draft })
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
        <TokenField
          label="You receive"
          chainId={chainId}
          value={draft.out}
          onValue={(token) => set({ out: token })}
        />
        <AmountField
          label="Smallest size"
          chainId={chainId}
          token={draft.in}
          value={draft.least}
          onValue={(least) => set({ least })}
        />
        <AmountField
          label="Largest size"
          chainId={chainId}
          token={draft.in}
          value={draft.most}
          onValue={(most) => set({ most })}
        />
        <BlockField value={draft.at} onValue={(at) => set({ at })} />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={!isWhole(draft)}>
          {isBusy ? 'Requesting …' : 'Show depth'}
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
    <Empty title="No pair selected">
      Choose a pair and two sizes, or start with an example:
      {href && (
        <span class="examples">
          <a class="button" href={href}>
            0.1 to 2,000 ETH to USDC
          </a>
        </span>
      )}
    </Empty>
  )
}
