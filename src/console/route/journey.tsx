/** The way of a sent transfer over a bridge, told as it changes: its steps, and when each was. */
import { useEffect, useState } from 'preact/hooks'
import type { Route } from '../../client/client.js'
import type { TransferState } from '../../client/track.js'
import { durationText } from '../app/format.js'
import { client } from '../app/session.js'
import { TextField } from '../components/fields.js'
import { Problem } from '../components/states.js'
import { TransferSteps } from '../components/transfer-steps.js'

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
      {state && <TransferSteps state={state} />}
      {txHash && !state && error === null && <p class="hint">Requesting …</p>}
    </section>
  )
}
