/** Stargate's pools and OFTs: which of a chain's tokens goes to which of another's. By definitions alone. */
import type { OmnichainToken } from '../../bridges/layerzero/family.js'
import { oftsOn } from '../../bridges/oft/tokens.js'
import { stargatePools } from '../../bridges/stargate/pools.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { MessagingPool } from '../../domain/bridges/check.js'
import type { Engine } from '../../domain/engine.js'
import { isNative, type Token } from '../../domain/primitives.js'

/**
 * @param known - every chain that a pool may send to, configured or not.
 * @param tokens - of any chains; a pool whose decimals neither it nor they tell is left out.
 */
export function createMessagingPools(parts: {
  chainOf(chainId: number): ChainDefinition
  readonly known: readonly ChainDefinition[]
  readonly tokens: readonly Token[]
}): Pick<Engine, 'messagingPools'> {
  const decimals = new Map(
    parts.tokens.map((one) => [`${one.chainId} ${one.address}`, one.decimals]),
  )

  function describe(chain: ChainDefinition, { pool, token, ...stated }: OmnichainToken) {
    const native = isNative(token) ? chain.nativeCurrency.decimals : undefined
    const digits = stated.decimals ?? native ?? decimals.get(`${chain.id} ${token}`)
    return digits === undefined ? null : { pool, token, decimals: digits }
  }

  return {
    messagingPools({ chainId, token, destinationChainId, destinationToken }) {
      const source = parts.chainOf(chainId)
      const taking = [stargatePools, oftsOn].flatMap((tokensOn) =>
        tokensOn(source).flatMap((pool) => {
          const from = pool.token === token ? describe(source, pool) : null
          return from ? [{ from, symbol: pool.symbol, tokensOn }] : []
        }),
      )
      if (taking.length === 0) return null
      return taking.flatMap(({ from, symbol, tokensOn }) =>
        parts.known.flatMap((chain): MessagingPool[] => {
          const other = tokensOn(chain).find((one) => one.symbol === symbol)
          const to = other && describe(chain, other)
          if (!to || chain.id === chainId) return []
          if (destinationChainId !== undefined && chain.id !== destinationChainId) return []
          if (destinationToken !== undefined && to.token !== destinationToken) return []
          return [{ ...from, chainId, destinationChainId: chain.id, destination: to }]
        }),
      )
    },
  }
}
