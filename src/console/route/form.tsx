import { useEffect, useState } from 'preact/hooks'
import { go } from '../app/router.js'
import { AmountField, BlockField, ChainField, TextField } from '../components/fields.js'
import { TokenField } from '../components/token-field.js'
import { isWhole, type Question } from './question.js'

interface Props {
  readonly question: Question
  readonly isBusy: boolean
  /** Asks what is asked already, again. */
  again(): void
}

export function QuestionForm({ question, isBusy, again }: Props) {
  const [draft, setDraft] = useState(question)
  const words = JSON.stringify(question)
  useEffect(() => setDraft(JSON.parse(words) as Question), [words])
  const set = (changes: Partial<Question>) => setDraft((now) => ({ ...now, ...changes }))
  const chainId = Number(draft.chain)
  const outChainId = Number(draft.to || draft.chain)
  const isOpen = Boolean(draft.at || draft.vs || draft.from)
  return (
    <form
      class="card stack"
      aria-label="Trade"
      onSubmit={(event) => {
        event.preventDefault()
        if (JSON.stringify(draft) === words) again()
        else go('route', { ...draft })
      }}
    >
      <div class="form">
        <ChainField
          value={draft.chain}
          onValue={(chain) => set({ chain, in: '', exclude: '', ...(!draft.to && { out: '' }) })}
        />
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
          chainId={outChainId}
          value={draft.out}
          onValue={(token) => set({ out: token })}
        />
        <ChainField
          label="Receive on chain"
          none="Same chain"
          value={draft.to}
          onValue={(to) => set({ to: to === draft.chain ? '' : to, out: '' })}
        />
      </div>
      <details open={isOpen}>
        <summary>Block, comparison, sender</summary>
        <div class="form">
          <BlockField value={draft.at} onValue={(at) => set({ at })} />
          <BlockField
            label="Compare with block or time"
            value={draft.vs}
            onValue={(vs) => set({ vs })}
          />
          <TextField
            label="Sender"
            value={draft.from}
            placeholder="0x…"
            hint="Simulated with provided funds"
            onValue={(from) => set({ from: from.trim() })}
          />
        </div>
      </details>
      <div class="row">
        <button type="submit" class="main" disabled={!isWhole(draft)}>
          {isBusy ? 'Requesting …' : 'Find route'}
        </button>
        <button
          type="button"
          onClick={() =>
            set({
              in: draft.out,
              out: draft.in,
              exclude: '',
              ...(draft.to && { chain: draft.to, to: draft.chain }),
            })
          }
        >
          Swap direction
        </button>
      </div>
    </form>
  )
}
