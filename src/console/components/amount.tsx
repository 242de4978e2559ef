import { inUnits, isRaw, readable } from '../app/numbers.js'
import { isUnknown, shortened, tokenAt } from '../app/tokens.js'

interface Props {
  readonly chainId: number
  readonly token: string
  /** In the smallest unit of the token. */
  readonly value: bigint
  readonly withSymbol?: boolean
}

/**
 * An amount in whole tokens, or in raw units where that is wanted or the decimals are not known. The exact one is its title.
 * Until the service has told the decimals there is an ellipsis: raw units in their place would be read as whole tokens.
 */
export function Amount({ chainId, token, value, withSymbol = true }: Props) {
  const known = tokenAt(chainId, token)
  const decimals = known?.decimals ?? null
  return (
    <span class="amount" title={decimals === null ? `${value}` : inUnits(value, decimals)}>
      {textOf({ chainId, token, value }, decimals)}
      {withSymbol && (
        <>
          {' '}
          <TokenName chainId={chainId} token={token} />
        </>
      )}
    </span>
  )
}

function textOf({ chainId, token, value }: Props, decimals: number | null): string {
  if (isRaw.value) return `${value}`
  if (decimals !== null) return readable(value, decimals)
  return isUnknown(chainId, token) ? `${value} raw units` : '…'
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
      {shortened(value)}
    </span>
  )
}
