/** The way of a sent transfer over a bridge, told as it changes: its steps, and when each was. */
import { useEffect, useState } from 'preact/hooks'
import type { Route } from '../../client/client.js'
import type { TransferState } from '../../client/track.js'
import { durationText, timeText } from '../app/format.js'
import { client } from '../app/session.js'
import { TextField } from '../components/fields.js'
import { Problem } from '../components/states.js'

interface Props {
  readonly route: Pick<Route, 'bridgingEstimates'>
  readonly chainId: number
}

export function Journey({ route, chainId }: Props) {
  const [estimate] = route.bridgingEstimates ?? []
  const [text, setText] = useState('')
  const [txHash, setTxHash] = useState<string | null>(null)
  const [state, setState] = useState<TransferState | null>(null)
  const [error, setError] = useState<unknown>(null)
  const bridge = estimate?.bridge
  useEffect(() => {
    setState(null)
    setError(null)
    if (!txHash || !bridge) return
    const left = new AbortController()
    const watch = async () => {
      const input = { bridge, chainId, txHash } as Parameters<typeof client.value.track>[0]
      for await (const now of client.value.track(input, { signal: left.signal })) setState(now)
    }
    watch().catch((problem: unknown) => left.signal.aborted || setError(problem))
    return () => left.abort()
  }, [txHash, bridge, chainId])
  if (!estimate) return null
  return (
    <section class="card stack" aria-label="Bridge transfer">
      <h2>Bridge transfer</h2>
      <p class="hint">
        {estimate.bridge} delivers in about {durationText(estimate.estimatedSeconds)}. Enter the
        hash of the sent transaction to track its delivery.
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          setTxHash(/^0x[0-9a-fA-F]{64}$/.test(text.trim()) ? text.trim() : null)
        }}
      >
        <TextField label="Transaction hash" value={text} onValue={setText} placeholder="0x…" />
        <button type="submit">Track</button>
      </form>
      {error !== null && <Problem error={error} />}
      {state && <Steps state={state} />}
      {txHash && !state && error === null && <p class="hint">Requesting …</p>}
    </section>
  )
}

/** Unix seconds; undefined where the chain does not tell. */
interface Step {
  readonly name: string
  readonly at: number | undefined
  readonly tone: 'good' | 'bad' | 'accent'
  readonly hash?: string | undefined
}

function Steps({ state }: { readonly state: TransferState }) {
  const { sourceEvent: sent, destinationEvent: arrived, status } = state
  return (
    <div role="status" class="stack">
      <ol aria-label="Steps of the transfer">
        {stepsOf(state).map(({ name, at, tone, hash }) => (
          <li key={name}>
            <span class={`tag ${tone}`}>{name}</span>{' '}
            {at !== undefined && timeText(new Date(at * 1_000).toISOString())}{' '}
            {hash && <code>{hash}</code>}
          </li>
        ))}
      </ol>
      {sent && arrived && arrived.timestamp >= sent.timestamp && (
        <p class="hint">It took {durationText(arrived.timestamp - sent.timestamp)}.</p>
      )}
      {state.error && <p>{state.error}</p>}
      {state.retry && (
        <p>
          Anyone may try it again on chain {state.destinationChainId}: call{' '}
          <code>{state.retry.to}</code> with <code>{state.retry.data}</code>
        </p>
      )}
      {status === 'inflight' && sent?.bridge === 'cctp' && (
        <p class="hint">
          It arrives by the transaction of <code>GET /api/v1/cctp/bridge/claim</code>.
        </p>
      )}
    </div>
  )
}

function stepsOf(state: TransferState): Step[] {
  const { status, seenAt, sourceEvent, destinationEvent } = state
  const isSent = sourceEvent !== undefined
  const sent: Step = {
    name: status === 'pending' ? 'pending' : 'sent',
    at: sourceEvent?.timestamp,
    tone: isSent ? 'good' : 'accent',
    hash: state.sourceTxHash,
  }
  if (status === 'pending') return [sent]
  if (status === 'inflight') return [sent, { name: 'in flight', at: seenAt, tone: 'accent' }]
  const last: Step = {
    name: status,
    at: destinationEvent?.timestamp ?? (status === 'delivered' ? undefined : seenAt),
    tone: status === 'delivered' ? 'good' : status === 'failed' ? 'bad' : 'accent',
    hash: state.destinationTxHash,
  }
  return [...(isSent ? [sent] : []), last]
}
