/** The steps of a transfer over a bridge, and when each was. */
import type { TransferState } from '../../client/track.js'
import { durationText, timeText } from '../app/format.js'

/** Unix seconds; undefined where the chain does not tell. */
interface Step {
  readonly name: string
  readonly at: number | undefined
  readonly tone: 'good' | 'bad' | 'accent'
  readonly hash?: string | undefined
}

export function TransferSteps({ state }: { readonly state: TransferState }) {
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
