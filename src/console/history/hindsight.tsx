/** Hindsight: what mined swaps gave and what ours gives there, of a transaction or of blocks; many blocks are a job. */
import { useEffect, useState } from 'preact/hooks'
import { useAsked } from '../app/asking.js'
import { useDoing } from '../app/doing.js'
import { countText } from '../app/format.js'
import { go } from '../app/router.js'
import { networks } from '../app/tokens.js'
import { ChainField, TextField } from '../components/fields.js'
import { Card } from '../components/parts.js'
import { Answer, Empty, Problem } from '../components/states.js'
import { readSubject, type Subject } from './hindsight-question.js'
import { MinedFacts, SwapTable } from './swaps.js'

export function Hindsight({ query }: { readonly query: URLSearchParams }) {
  const chain = query.get('chain') || `${networks.value[0]?.id ?? 1}`
  const text = query.get('of') ?? ''
  const subject = readSubject(text)
  const isAsked = subject !== null && !(subject.kind === 'blocks' && subject.isJob)
  const asked = useAsked(isAsked ? `hindsight ${chain} ${text}` : null, (client, signal) =>
    client.hindsight({ chainId: Number(chain), ...inputOf(subject) }, { signal }),
  )
  return (
    <>
      <HindsightForm
        key={`${chain} ${text}`}
        chain={chain}
        text={text}
        isBusy={asked.isBusy}
        again={asked.again}
      />
      {subject?.kind === 'blocks' && <AsJob chain={chain} subject={subject} />}
      <Answer
        asked={asked}
        waiting="Running the block again …"
        before={
          subject === null && (
            <Empty title="Nothing selected">
              Enter the hash of any mined transaction, or blocks, to see what its swaps gave and
              what the service would have given in their place.
            </Empty>
          )
        }
      >
        {({ transactions: [first, ...others], warnings = [] }) => (
          <>
            {warnings.map((warning) => (
              <p key={warning} class="hint">
                {warning}
              </p>
            ))}
            {subject?.kind === 'transaction' && first && <MinedFacts one={first} />}
            <Card title="Swaps">
              <SwapTable mined={first ? [first, ...others] : []} />
            </Card>
          </>
        )}
      </Answer>
    </>
  )
}

function inputOf(subject: Subject | null) {
  if (subject?.kind !== 'blocks') return subject ? { hash: subject.hash } : {}
  const { fromBlock, toBlock } = subject
  return { fromBlock, toBlock }
}

interface FormProps {
  readonly chain: string
  readonly text: string
  readonly isBusy: boolean
  again(): void
}

function HindsightForm({ chain, text, isBusy, again }: FormProps) {
  const [draft, setDraft] = useState({ chain, of: text })
  useEffect(() => setDraft({ chain, of: text }), [chain, text])
  const isWrong = draft.of !== '' && readSubject(draft.of) === null
  return (
    <form
      class="card stack"
      aria-label="Hindsight"
      onSubmit={(event) => {
        event.preventDefault()
        if (draft.chain === chain && draft.of === text) again()
        else go('history', { part: 'hindsight', ...draft })
      }}
    >
      <div class="form">
        <ChainField value={draft.chain} onValue={(next) => setDraft({ ...draft, chain: next })} />
        <TextField
          label="Transaction or blocks"
          value={draft.of}
          placeholder="0x… or 21000000..21000010"
          hint="A hash, a block, or the first and the last block"
          problem={isWrong ? 'Enter a hash, a block number or from..to.' : null}
          onValue={(of) => setDraft({ ...draft, of })}
        />
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={readSubject(draft.of) === null}>
          {isBusy ? 'Requesting …' : 'Show swaps'}
        </button>
      </div>
    </form>
  )
}

interface AsJobProps {
  readonly chain: string
  readonly subject: Subject & { readonly kind: 'blocks' }
}

/** Started by a press only: who opens a link starts nothing. */
function AsJob({ chain, subject: { fromBlock, toBlock, isJob } }: AsJobProps) {
  const starting = useDoing<void>()
  const blocks = toBlock - fromBlock + 1
  return (
    <div class="row">
      <button
        type="button"
        class={isJob ? 'main' : 'quiet'}
        disabled={starting.isBusy}
        onClick={() =>
          void starting.start(async (client) => {
            const input = { chainId: Number(chain), fromBlock, toBlock, job: true }
            const { job } = await client.hindsight(input)
            if (job) go('history', { part: 'backtests', job: job.id })
          })
        }
      >
        Start as job
      </button>
      <span class="hint">
        {countText(blocks)} {blocks === 1 ? 'block' : 'blocks'} in the background, with a report and
        files{isJob && '; too many to be answered at once'}.
      </span>
      {starting.error !== null && <Problem error={starting.error} />}
    </div>
  )
}
