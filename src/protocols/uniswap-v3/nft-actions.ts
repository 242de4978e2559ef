/**
 * Actions on positions of V3 pools, each of which is an NFT. Unused tokens stay with the runner, which also receives
 * fees and withdrawals; the NFT goes to the receiver.
 */

import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { tokenAmounts } from '../../domain/lists.js'
import { type Amount, type CallStep, isAmountRef } from '../../domain/order.js'
import { type Address, maxUint128, toAddress } from '../../domain/primitives.js'
import {
  type ActionContext,
  type ActionDefinition,
  type ActionResult,
  defineAction,
} from '../positions.js'
import { balanceChanges } from '../shared/balance-changes.js'
import { maxTick, minTick } from '../shared/concentrated/tick-math.js'
import { addCall } from '../shared/value-steps.js'
import { discoverV3, type V3Pools } from './discover.js'
import {
  approveAbi,
  burnAbi,
  collectAbi,
  decreaseAbi,
  increaseAbi,
  liquidityWord,
  mintAbi,
  positionsAbi,
} from './nft-abi.js'
import { familyNames, inOrder } from './nft-arguments.js'
import { statedMinimums } from './nft-minimums.js'

export interface NftSource extends V3Pools {
  readonly name: string
}

const primaryAddress = {
  kind: 'address',
  description: 'The NonfungiblePositionManager of the exchange.',
  optional: true,
} as const
const tokenId = { kind: 'amount', description: 'Id of the NFT.' } as const

/** The widest range whose ticks the pool has. */
export function fullRange(tickSpacing: number): { tickLower: number; tickUpper: number } {
  const edge = Math.floor(maxTick / tickSpacing) * tickSpacing
  return { tickLower: -edge, tickUpper: edge }
}

export function positionKey(pool: Address, tickLower: number, tickUpper: number): string {
  return `${pool}-${tickLower}-${tickUpper}`
}

export function nftActions(source: NftSource): readonly ActionDefinition[] {
  return [deposit(source), harvest, withdraw, redeem]
}

function deposit(source: NftSource): ActionDefinition {
  return defineAction({
    action: 'deposit',
    name: 'Add liquidity',
    functionNames: ['mint', 'increaseLiquidity'],
    inputs: {
      primaryAddress,
      tokenIn: {
        kind: 'addresses',
        description: 'Both tokens of the pool.',
      },
      amountIn: {
        kind: 'amounts',
        description:
          'Raw units at most, one for each tokenIn; 0 of what a range beside the price does not take.',
      },
      fee: {
        kind: 'integer',
        description: 'Of the pool, 1/1,000,000; of a new position.',
        optional: true,
      },
      tickLower: {
        kind: 'integer',
        description: 'Of a new position; the widest range if absent.',
        optional: true,
      },
      tickUpper: { kind: 'integer', description: 'As tickLower.', optional: true },
      ticks: {
        kind: 'integers',
        description: 'The lower and the upper tick, in place of the two.',
        optional: true,
      },
      poolFee: { kind: 'integer', description: 'The same as fee.', optional: true },
      tokenOut: { ...primaryAddress, description: 'The same as primaryAddress.' },
      tokenId: { ...tokenId, description: 'NFT of a position that is enlarged.', optional: true },
      slippage: {
        kind: 'slippage',
        description:
          'Basis points, 50 when absent, that each amount deposited and the liquidity may fall short of the simulation.',
        optional: true,
      },
    },
    async build(given, context) {
      const args = { ...given, ...familyNames(context, given) }
      const manager = managerOf(context, args.primaryAddress)
      managerOf(context, args.tokenOut, 'tokenOut')
      const asked = spendsOf(context, args.tokenIn, args.amountIn)
      const spends = asked.filter(({ amount }) => amount !== 0n)
      for (const { token, amount } of spends) {
        context.add({ kind: 'approve', token, spender: manager, amount })
      }
      const result =
        args.tokenId === undefined
          ? await mint(source, context, { ...args, manager, spends: asked })
          : await increase(context, manager, asked, args.tokenId)
      // What was not taken must not stay allowed.
      for (const { token } of spends) {
        context.add({ kind: 'approve', token, spender: manager, amount: 0n })
      }
      const leftovers = spends.map(({ token }) => token)
      return { spends, leftovers, primary: manager, ...result }
    },
  })
}

type Spends = ActionResult['spends']

async function mint(
  source: NftSource,
  context: ActionContext,
  args: {
    readonly manager: Address
    readonly spends: Spends
    readonly fee?: number
    readonly tickLower?: number
    readonly tickUpper?: number
  },
): Promise<Pick<ActionResult, 'outputs' | 'enforced' | 'positionsOut'>> {
  const { manager, spends, fee } = args
  const [first, second] = spends
  if (fee === undefined) return context.refuse('fee', 'the fee of the pool, or a tokenId')
  if (!first || !second) return context.refuse('tokenIn', 'both tokens of the pool')
  const pair = [first.token, second.token] as const
  const venue = { ...context.venue, feeTiers: [String(fee)] }
  const { reader, chain, receiver } = context
  const found = await discoverV3(source, {
    reader,
    chain,
    venue,
    pairs: [pair],
  })
  const [pool] = found.pools
  if (!pool) {
    const why = found.unreadable[0]?.message
    const expected = `the fee of a pool of ${pair.join(' and ')}`
    return context.refuse('fee', why ? `${expected}, which could not be read: ${why}` : expected)
  }
  const tickSpacing = Number(pool.parameters.tickSpacing)
  const { tickLower, tickUpper } = rangeOf(context, args, tickSpacing)
  const [token0, token1] = pool.tokens
  const step: CallStep = {
    kind: 'call',
    target: manager,
    abi: mintAbi,
    args: [
      {
        token0,
        token1,
        fee,
        tickLower,
        tickUpper,
        amount0Desired: amountOf(spends, token0),
        amount1Desired: amountOf(spends, token1),
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: receiver,
        deadline: context.deadline,
      },
    ],
    output: { kind: 'word', index: 0 },
  }
  const id = { ref: 'output', step: context.add(step) } as const
  return {
    outputs: [{ token: null, amount: id, isPaid: true, isId: true }],
    enforced: {
      amount: liquidityOf(context, manager, id),
      stated: statedMinimums(step, pool.tokens),
    },
    positionsOut: [positionKey(pool.address, tickLower, tickUpper)],
  }
}

async function increase(
  context: ActionContext,
  manager: Address,
  spends: Spends,
  id: Amount,
): Promise<Pick<ActionResult, 'outputs' | 'enforced'>> {
  // An NFT of the same bundle is not there yet; the manager knows its tokens by their order.
  const tokens = isAmountRef(id)
    ? spends.map(({ token }) => token).sort()
    : (await positionOf(context, manager, id)).tokens
  if (spends.some(({ token }) => !tokens.includes(token))) {
    context.refuse('tokenIn', `tokens of the position: ${tokens.join(' and ')}`)
  }
  if (tokens.length !== 2) context.refuse('tokenIn', 'both tokens of the position')
  const step: CallStep = {
    kind: 'call',
    target: manager,
    abi: increaseAbi,
    args: [
      {
        tokenId: id,
        amount0Desired: amountOf(spends, tokens[0]),
        amount1Desired: amountOf(spends, tokens[1]),
        amount0Min: 0n,
        amount1Min: 0n,
        deadline: context.deadline,
      },
    ],
    output: { kind: 'word', index: 0 },
  }
  const amount = { ref: 'output', step: context.add(step) } as const
  return {
    outputs: [{ token: null, amount, isPaid: true }],
    enforced: { amount, stated: statedMinimums(step, tokens) },
  }
}

const harvest = defineAction({
  action: 'harvest',
  name: 'Collect fees',
  functionNames: ['collect'],
  inputs: { primaryAddress, tokenId },
  async build(args, context) {
    const manager = managerOf(context, args.primaryAddress)
    const { id, tokens } = await positionOf(context, manager, args.tokenId)
    return { spends: [], ...collect(context, manager, id, tokens) }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Remove liquidity',
  functionNames: ['decreaseLiquidity', 'collect'],
  spendsNothing: true,
  inputs: {
    primaryAddress,
    tokenId,
    amountIn: {
      kind: 'amount',
      description: 'Liquidity that is given up, as the position counts it; all if absent.',
      optional: true,
    },
    liquidity: { kind: 'amount', description: 'The same as amountIn.', optional: true },
    tokenIn: { ...primaryAddress, description: 'The same as primaryAddress.' },
    tokenOut: {
      kind: 'addresses',
      description: 'Both tokens of the position, in the order of the outputs.',
      optional: true,
    },
  },
  async build(args, context) {
    const manager = managerOf(context, args.primaryAddress)
    managerOf(context, args.tokenIn, 'tokenIn')
    const { id, tokens } = await positionOf(context, manager, args.tokenId)
    decrease(context, manager, id, args.amountIn ?? args.liquidity)
    return { spends: [], ...collect(context, manager, id, inOrder(context, tokens, args.tokenOut)) }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Close position',
  functionNames: ['decreaseLiquidity', 'collect', 'burn'],
  inputs: { primaryAddress, tokenId },
  async build(args, context) {
    const manager = managerOf(context, args.primaryAddress)
    const { id, tokens, liquidity } = await positionOf(context, manager, args.tokenId)
    if (liquidity > 0n) decrease(context, manager, id, undefined)
    const result = collect(context, manager, id, tokens)
    context.add({ kind: 'call', target: manager, abi: burnAbi, args: [id] })
    return { spends: [], ...result }
  },
})

/** Liquidity of an NFT when the steps so far have run, as the position manager counts it. */
function liquidityOf(context: ActionContext, manager: Address, id: Amount): Amount {
  return addCall(context, { target: manager, abi: positionsAbi, args: [id] }, liquidityWord)
}

/** @param liquidity - absent: all that the position has when the step runs. */
function decrease(
  context: ActionContext,
  manager: Address,
  id: bigint,
  liquidity: Amount | undefined,
): void {
  const params = {
    tokenId: id,
    liquidity: liquidity ?? liquidityOf(context, manager, id),
    amount0Min: 0n,
    amount1Min: 0n,
    deadline: context.deadline,
  }
  context.add({ kind: 'call', target: manager, abi: decreaseAbi, args: [params] })
}

/** Everything that the position owes, to the runner; the owner must have approved the runner for the NFT. */
function collect(
  context: ActionContext,
  manager: Address,
  id: bigint,
  tokens: readonly [Address, Address],
): Pick<ActionResult, 'outputs' | 'prerequisites'> {
  const { runner, account } = context
  const params = {
    tokenId: id,
    recipient: runner,
    amount0Max: maxUint128,
    amount1Max: maxUint128,
  }
  const call = { target: manager, abi: collectAbi, args: [params] }
  const outputs = balanceChanges(context, call, tokens)
  if (runner === account) return { outputs }
  const data = encodeFunctionData({ abi: [approveAbi], args: [runner, id] })
  return { outputs, prerequisites: [{ to: manager, data, purpose: `let it use the NFT ${id}` }] }
}

/** What the manager says of an NFT at the block; refuses an id that it does not know. */
async function positionOf(
  context: ActionContext,
  manager: Address,
  tokenIdOf: Amount,
): Promise<{
  readonly id: bigint
  readonly tokens: readonly [Address, Address]
  readonly liquidity: bigint
}> {
  const id = await context.valueOf(tokenIdOf)
  const data = encodeFunctionData({ abi: [positionsAbi], args: [id] })
  const [result] = await context.reader.call([{ to: manager, data }])
  if (!result?.ok || result.value === '0x') {
    const why = result && !result.ok && result.reason === 'unreadable' ? result.message : null
    return context.refuse('tokenId', `an NFT of ${manager} at the block${why ? `: ${why}` : ''}`)
  }
  const [, , token0, token1, , , , liquidity] = decodeFunctionResult({
    abi: [positionsAbi],
    data: result.value,
  })
  return { id, tokens: [toAddress(token0), toAddress(token1)], liquidity }
}

function managerOf(
  { venue, refuse }: ActionContext,
  given: Address | undefined,
  argument = 'primaryAddress',
): Address {
  const manager = toAddress(String(venue.positionManager))
  if (given !== undefined && given !== manager) refuse(argument, manager)
  return manager
}

function spendsOf(
  context: ActionContext,
  tokens: readonly Address[],
  amounts: readonly Amount[],
): Spends {
  const isFine = tokens.length > 0 && tokens.length < 3 && new Set(tokens).size === tokens.length
  if (!isFine) context.refuse('tokenIn', 'one token or two different ones')
  if (amounts.length !== tokens.length) {
    context.refuse('amountIn', `${tokens.length} amounts, one for each tokenIn`)
  }
  return tokenAmounts(tokens, amounts)
}

function amountOf(spends: Spends, token: Address | undefined): Amount {
  return spends.find((each) => each.token === token)?.amount ?? 0n
}

function rangeOf(
  context: ActionContext,
  asked: { readonly tickLower?: number; readonly tickUpper?: number },
  tickSpacing: number,
): { readonly tickLower: number; readonly tickUpper: number } {
  const widest = fullRange(tickSpacing)
  const { tickLower = widest.tickLower, tickUpper = widest.tickUpper } = asked
  for (const [name, tick] of Object.entries({ tickLower, tickUpper })) {
    if (tick % tickSpacing !== 0 || tick < minTick || tick > maxTick) {
      context.refuse(name, `a multiple of ${tickSpacing} from ${minTick} to ${maxTick}`)
    }
  }
  if (tickLower >= tickUpper) context.refuse('tickUpper', `a tick above ${tickLower}`)
  return { tickLower, tickUpper }
}
