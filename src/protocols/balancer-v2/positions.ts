/** Shares of pools as positions, and the actions for any pool of the Vault: deposit and redeem. */

import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { tokenAmounts } from '../../domain/lists.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { isLiquidity, type Pool, type Unreadable } from '../pool.js'
import {
  type ActionAdapter,
  type ActionContext,
  defineAction,
  type Position,
  type PositionAdapter,
  type PositionReadArgs,
  type PositionState,
} from '../positions.js'
import { amountsInOrder, expectAddress } from '../shared/arguments.js'
import { balanceChanges } from '../shared/balance-changes.js'
import { readWord } from '../shared/read-word.js'
import { readTokenNames } from '../shared/token-names.js'
import { findPools } from './discover.js'
import { exitAllData, exitOneData, exitStep, joinData, joinStep } from './liquidity-calls.js'
import { assetsOf, swapPool } from './liquidity-pool.js'
import { vaultOf } from './load.js'
import { poolContract } from './parameters.js'

const abi = parseAbi([
  'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256)',
  'function getRate() view returns (uint256)',
  'function getInvariant() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])
const one = 10n ** 18n
const shareGetters = (['getRate', 'getInvariant', 'totalSupply'] as const).map((functionName) =>
  encodeFunctionData({ abi, functionName }),
)

async function list(
  args: PositionReadArgs & { readonly pools: readonly Pool[] },
): Promise<{ positions: Position[]; unreadable: Unreadable[] }> {
  const pools = args.pools.filter((pool) => !isLiquidity(pool))
  const shares = pools.map(poolContract)
  const tokens = [...new Set(pools.flatMap(assetsOf))]
  const names = await readTokenNames(args.reader, [...shares, ...tokens])
  const symbols = new Map(tokens.map((token, k) => [token, names[shares.length + k]?.symbol]))
  const positions = pools.flatMap((pool, k): Position[] => {
    const share = poolContract(pool)
    const name = names[k]?.name
    // One that is not there at the block says nothing, and is no position yet.
    if (!name) return []
    const assets = assetsOf(pool)
    return [
      {
        protocol: pool.protocol,
        key: share,
        token: share,
        primaryAddress: share,
        poolAddress: share,
        name,
        subtitle: assets.map((token) => symbols.get(token) ?? token).join(' / '),
        underlyingTokens: assets,
        rewardTokens: [],
        parameters: { poolId: pool.id },
      },
    ]
  })
  return { positions, unreadable: [] }
}

async function read(
  args: PositionReadArgs & { readonly positions: readonly Position[] },
): Promise<(PositionState | Unreadable)[]> {
  const vault = vaultOf(args.venue)
  const perPool = 1 + shareGetters.length
  const answers = await args.reader.call(
    args.positions.flatMap(({ poolAddress, parameters }) => [
      {
        to: vault,
        data: encodeFunctionData({
          abi,
          functionName: 'getPoolTokens',
          args: [String(parameters.poolId) as Hex],
        }),
      },
      ...shareGetters.map((data) => ({ to: poolAddress, data })),
    ]),
  )
  return args.positions.map((position, k): PositionState | Unreadable => {
    const poolAnswers = answers.slice(k * perPool, (k + 1) * perPool)
    const refused = poolAnswers.find((item) => !item.ok && item.reason === 'unreadable')
    if (refused && !refused.ok) {
      return { protocol: position.protocol, subject: position.key, message: refused.message }
    }
    const [held, ...getters] = poolAnswers
    const [rate = null, invariant = null, supply = null] = getters.map(readWord)
    // A pool that states no rate is priced by one share's part of the invariant, which only fees raise.
    const price = rate ?? (invariant && supply ? (invariant * one) / supply : null)
    return {
      holdings: holdingsOf(position, held),
      base: price ? { kind: 'sharePrice', price } : null,
      rewards: [],
    }
  })
}

function holdingsOf(position: Position, held: ReadResult | undefined): PositionState['holdings'] {
  if (!held?.ok) return null
  try {
    const data = held.value
    const [tokens, balances] = decodeFunctionResult({ abi, functionName: 'getPoolTokens', data })
    return tokenAmounts(tokens.map(toAddress), balances).filter(
      ({ token }) => token !== position.token,
    )
  } catch {
    return null
  }
}

const pool = { kind: 'address', description: 'the pool, which is its own share (BPT)' } as const

interface Liquidity {
  readonly pool: Pool
  readonly assets: readonly Address[]
  readonly isComposable: boolean
}

async function liquidityOf(
  context: ActionContext,
  primaryAddress: Address,
  argument: 'tokenIn' | 'tokenOut',
  share: Address | undefined,
): Promise<Liquidity> {
  const found = await findPools({ ...context, tokens: [primaryAddress] })
  const record = found.pools.get(primaryAddress)
  const [failure] = found.unreadable
  if (!record) {
    const why = failure ? ` (${failure.message})` : ''
    return context.refuse('primaryAddress', `a weighted or stable pool of the Vault${why}`)
  }
  const what = `the pool itself, ${primaryAddress}`
  expectAddress(context, argument, share, { address: primaryAddress, what })
  const swaps = swapPool(record)
  return { pool: swaps, assets: assetsOf(swaps), isComposable: !isLiquidity(record) }
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Join a pool',
  functionNames: ['joinPool'],
  inputs: {
    primaryAddress: pool,
    tokenIn: { kind: 'addresses', description: 'tokens of the pool: one, some or all' },
    amountIn: { kind: 'amounts', description: 'raw units of each of them' },
    tokenOut: { ...pool, optional: true },
  },
  async build({ primaryAddress, tokenIn, amountIn, tokenOut }, context) {
    const found = await liquidityOf(context, primaryAddress, 'tokenOut', tokenOut)
    const { assets } = found
    const amounts = amountsInOrder(
      context,
      { tokens: assets, called: 'tokens' },
      { argument: 'tokenIn', given: tokenIn },
      { argument: 'amountIn', given: amountIn },
    )
    const vault = vaultOf(context.venue)
    const spends = tokenAmounts(tokenIn, amountIn)
    for (const { token, amount } of spends) {
      context.add({ kind: 'approve', token, spender: vault, amount })
    }
    const call = joinStep({ ...vaultCall(context, found.pool), userData: joinData(amounts) })
    const output = { kind: 'balance', token: primaryAddress } as const
    const step = context.add({ ...call, output })
    return {
      spends,
      outputs: [{ token: primaryAddress, amount: { ref: 'output', step } }],
      positionsOut: [primaryAddress],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Leave a pool',
  functionNames: ['exitPool'],
  inputs: {
    primaryAddress: pool,
    tokenIn: { ...pool, optional: true },
    amountIn: { kind: 'amount', description: 'raw units of the share' },
    tokenOut: { kind: 'addresses', description: 'one token of the pool, or all of them' },
  },
  async build({ primaryAddress, tokenIn, amountIn, tokenOut }, context) {
    const found = await liquidityOf(context, primaryAddress, 'tokenIn', tokenIn)
    const { assets, isComposable } = found
    const isAll =
      assets.every((token) => tokenOut.includes(token)) && tokenOut.length === assets.length
    const [token] = tokenOut
    const index = token ? assets.indexOf(token) : -1
    if (!isAll && (index < 0 || tokenOut.length > 1)) {
      return context.refuse('tokenOut', `one token of the pool, or all: ${assets.join(', ')}`)
    }
    const userData = isAll ? exitAllData(amountIn, isComposable) : exitOneData(amountIn, index)
    const call = exitStep({ ...vaultCall(context, found.pool), userData })
    const outputs = balanceChanges(context, call, tokenOut)
    return {
      spends: [{ token: primaryAddress, amount: amountIn }],
      outputs,
      positionsIn: [primaryAddress],
    }
  },
})

function vaultCall({ venue, runner }: ActionContext, { id, tokens }: Pool) {
  const vault = vaultOf(venue)
  return { vault, poolId: id as Hex, assets: tokens, sender: runner, recipient: runner }
}

export const balancerPositions: PositionAdapter = { list, read }

export const balancerActions: ActionAdapter = { definitions: [deposit, redeem] }
