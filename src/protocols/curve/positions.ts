/** Shares as positions: of every known pool, from its parameter `lpToken` or from the pool itself. */

import { encodeFunctionData, parseAbi } from 'viem'
import { tokenAmounts } from '../../domain/lists.js'
import { type Address, isNative, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { isLiquidity, type Pool, type Unreadable } from '../pool.js'
import type { Position, PositionAdapter, PositionReadArgs, PositionState } from '../positions.js'
import { readAll } from '../shared/read-all.js'
import { readTokenNames } from '../shared/token-names.js'
import { encodeBalances, encodeGetter, wordOf } from './abi.js'
import { curveParameters } from './parameters.js'

const abi = parseAbi([
  'function lp_token() view returns (address)',
  'function token() view returns (address)',
])
const shareQuestions = [
  ...(['lp_token', 'token'] as const).map((functionName) =>
    encodeFunctionData({ abi, functionName }),
  ),
  encodeGetter('totalSupply'),
]

export const curvePositions: PositionAdapter = {
  list,
  read,
}

async function list(
  args: PositionReadArgs & { readonly pools: readonly Pool[] },
): Promise<{ positions: Position[]; unreadable: Unreadable[] }> {
  const { reader } = args
  const pools = args.pools.filter((pool) => !isLiquidity(pool))
  const answers = await readAll(
    reader,
    pools.map(({ address, parameters }) =>
      parameters.lpToken ? [] : shareQuestions.map((data) => ({ to: address, data })),
    ),
  )
  const found = new Map<Address, Pool>()
  const unreadable: Unreadable[] = []
  for (const [k, pool] of pools.entries()) {
    const share = shareOf(pool, answers[k] ?? [])
    if (typeof share === 'string') found.set(share, pool)
    else if (share) unreadable.push(share)
  }
  const shares = [...found.keys()]
  const coins = [...new Set([...found.values()].flatMap(coinsOf))]
  const names = await readTokenNames(reader, [...shares, ...coins.filter((c) => !isNative(c))])
  const symbols = new Map(
    coins
      .filter((coin) => !isNative(coin))
      .map((coin, k) => [coin, names[shares.length + k]?.symbol]),
  )
  const positions = [...found].map(([share, pool], k): Position => {
    const { kind, getterIndexType } = curveParameters(pool)
    return {
      protocol: 'curve',
      key: share,
      token: share,
      primaryAddress: pool.address,
      poolAddress: pool.address,
      name: names[k]?.name ?? share,
      subtitle: coinsOf(pool)
        .map(
          (coin) => (isNative(coin) ? args.chain.nativeCurrency.symbol : symbols.get(coin)) ?? coin,
        )
        .join(' / '),
      underlyingTokens: coinsOf(pool),
      rewardTokens: [],
      parameters: { kind, getterIndexType },
    }
  })
  return { positions, unreadable }
}

/** Null: the pool does not say, as it is not there at the block or of the first templates. */
function shareOf(pool: Pool, answers: readonly ReadResult[]): Address | Unreadable | null {
  const { lpToken } = pool.parameters
  if (typeof lpToken === 'string') return toAddress(lpToken)
  const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
  const [named, token, supply] = answers.map(wordOf)
  const share = named || token
  if (share) return toAddress(`0x${share.toString(16).padStart(40, '0')}`)
  if (supply !== null && supply !== undefined) return pool.address
  if (refused && !refused.ok) {
    return { protocol: 'curve', subject: pool.id, message: refused.message }
  }
  return null
}

/** What `add_liquidity` takes: of a metapool the coin and the shares of its base pool. */
function coinsOf({ tokens, parameters }: Pool): readonly Address[] {
  return parameters.kind === 'meta' ? tokens.slice(0, 2) : tokens
}

async function read(
  args: PositionReadArgs & { readonly positions: readonly Position[] },
): Promise<(PositionState | Unreadable)[]> {
  const answers = await readAll(
    args.reader,
    args.positions.map(({ poolAddress: to, underlyingTokens, parameters }) => [
      { to, data: encodeGetter('get_virtual_price') },
      ...underlyingTokens.map((_token, k) => {
        const type = parameters.getterIndexType === 'int128' ? 'int128' : 'uint256'
        return { to, data: encodeBalances(type, k) }
      }),
    ]),
  )
  return args.positions.map(({ key, underlyingTokens }, index) => {
    const [priced, ...held] = answers[index] ?? []
    const refused = [priced, ...held].find((item) => !item?.ok && item?.reason === 'unreadable')
    if (refused && !refused.ok) return { protocol: 'curve', subject: key, message: refused.message }
    const price = wordOf(priced)
    const holdings = tokenAmounts(underlyingTokens, held.map(wordOf)).flatMap(
      ({ token, amount }) => (amount === null ? [] : { token, amount }),
    )
    return {
      holdings: holdings.length === held.length ? holdings : null,
      base: price ? { kind: 'sharePrice', price } : null,
      rewards: [],
    }
  })
}
