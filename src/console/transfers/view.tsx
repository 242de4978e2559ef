/** What an account has sent over bridges of late, or is sent: a list of journeys, told as they change. */
import { useEffect, useState } from 'preact/hooks'
import type { AccountTransfers } from '../../client/track.js'
import { countText, timeText } from '../app/format.js'
import { go } from '../app/router.js'
import { client, key, noteRefusal } from '../app/session.js'
import { networks } from '../app/tokens.js'
import { TextField } from '../components/fields.js'
import { Empty, Problem, Waiting } from '../components/states.js'
import { TransferSteps } from '../components/transfer-steps.js'

export function TransfersView({ query }: { readonly query: URLSearchParams }) {
  const address = query.get('address') ?? ''
  const [turn, setTurn] = useState(0)
  const [found, setFound] = useState<AccountTransfers | null>(null)
  const [error, setError] = useState<unknown>(null)
  const whose = key.value
  useEffect(() => {
    setFound(null)
    setError(null)
    if (!address) return
    const left = new AbortController()
    const watch = async () => {
      const { signal } = left
      for await (const now of client.value.trackTransfers({ address }, { signal })) setFound(now)
    }
    watch().catch((problem: unknown) => {
      if (left.signal.aborted) return
      noteRefusal(problem)
      setError(problem)
    })
    return () => left.abort()
  }, [address, whose, turn])
  return (
    <>
      <div class="view-head">
        <h1>Transfers</h1>
        <p>Recent bridge transfers from or to an account, on all configured chains.</p>
      </div>
      <AddressForm address={address} />
      {!address && <Empty title="No account selected">Enter the address of an account</Empty>}
      {error !== null && <Problem error={error} again={() => setTurn(turn + 1)} />}
      {address && error === null && !found && <Waiting text="Searching for transfers …" />}
      {found && <Journeys found={found} again={() => setTurn(turn + 1)} />}
    </>
  )
}

function AddressForm({ address }: { readonly address: string }) {
  const [text, setText] = useState(address)
  useEffect(() => setText(address), [address])
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(text.trim())
  return (
    <form
      class="card stack"
      aria-label="Account"
      onSubmit={(event) => {
        event.preventDefault()
        go('transfers', { address: text.trim() })
      }}
    >
      <TextField label="Account address" value={text} onValue={setText} placeholder="0x…" />
      <div class="row">
        <button type="submit" class="main" disabled={!isAddress}>
          Show transfers
        </button>
      </div>
    </form>
  )
}

function Journeys({ found, again }: { readonly found: AccountTransfers; again(): void }) {
  const { searched, unsearched, count, transfers } = found
  return (
    <>
      <div class="row">
        <button type="button" onClick={again}>
          Search again
        </button>
        <span role="status">
          {countText(count)} found
          {count > transfers.length && `, the newest ${transfers.length} shown`}
        </span>
      </div>
      {transfers.map((one) => (
        <section
          key={one.sourceTxHash}
          class="card stack"
          aria-label={`Transfer ${one.sourceTxHash}`}
        >
          <h2>
            {one.bridges.join(', ')} from {chainName(one.sourceChainId)}
          </h2>
          {(one.state?.hops ?? [one.state]).map((hop, index) =>
            one.state && hop ? (
              <TransferSteps key={hop.sourceEvent?.id ?? index} state={{ ...one.state, ...hop }} />
            ) : (
              <p key="waiting" class="hint">
                Sent {timeText(new Date(one.timestamp * 1_000).toISOString())}; requesting …
              </p>
            ),
          )}
        </section>
      ))}
      <details class="card">
        <summary>Searched blocks</summary>
        <ul>
          {searched.map(({ chainId, fromBlock, toBlock }) => (
            <li key={chainId}>
              {chainName(chainId)}: {countText(fromBlock)} to {countText(toBlock)}
            </li>
          ))}
          {unsearched.map(({ chainId, error }) => (
            <li key={chainId} class="bad">
              {chainName(chainId)}: {error}
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

function chainName(chainId: number): string {
  return networks.value.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`
}
