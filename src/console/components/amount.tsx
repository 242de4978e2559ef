import { inUnits, isRaw, readable } from '../app/numbers.js'
import { tokenAt } from '../app/tokens.js'

interface Props {
  readonly chainId: number
  readonly token: string
  /** In the smallest unit of the token. */
  readonly value: bigint
  readonly withSymbol?: boolean
}

/** An amount in units of its token, or as the chain has it where that is wanted. The whole of it is its title. */
export function Amount({ chainId, token, value, withSymbol = true }: Props) {
  const known = tokenAt(chainId, token)
  const decimals = known?.decimals ?? null
  const isExact = isRaw.value || decimals === null
  return (
    <span class="amount" title={decimals === null ? `${value}` : inUnits(value, decimals)}>
      {isExact ? `${value}` : readable(value, decimals)}
      {withSymbol && (
        <>
          {' '}
          <TokenName chainId={chainId} token={token} />
        </>
      )}
    </span>
  )
}

/** The name of a token that people use; its address until that is known. */
export function TokenName({
  chainId,
  token,
}: {
  readonly chainId: number
  readonly token: string
}) {
  const known = tokenAt(chainId, token)
  return <span title={token}>{known?.symbol ?? <Address value={token} />}</span>
}

/** Shortened; the whole of it is its title. */
export function Address({ value }: { readonly value: string }) {
  return (
    <span class="address" title={value}>
      {value.length > 14 ? `${value.slice(0, 6)}…${value.slice(-4)}` : value}
    </span>
  )
}
