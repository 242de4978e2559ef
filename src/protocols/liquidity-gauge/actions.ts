/**
 * Staking, unstaking and harvesting of any gauge, listed or not. Stakes that are tokens belong to whoever is paid them;
 * those of the first version and all earnings belong to the caller, who must be the account itself.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, type ActionOutput, defineAction } from '../positions.js'
import { expectAddress, type NamedAddress, stakedToken, stakeOwner } from '../shared/arguments.js'
import { addPaying, addSendingOn, payeeOf, sendMeasured } from '../shared/paid-output.js'
import { balanceOf, difference } from '../shared/value-steps.js'
import { addressOf, type Family, type Gauge, readFamily, readGauges, readMinted } from './gauges.js'

export const [depositAbi, depositForAbi, withdrawAbi] = parseAbi([
  'function deposit(uint256 value)',
  'function deposit(uint256 value, address owner)',
  'function withdraw(uint256 value)',
])
const [mintAbi, claimAbi] = parseAbi(['function mint(address gauge)', 'function claim_rewards()'])
const rewardsAbi = parseAbi(['function reward_tokens(uint256 index) view returns (address)'])
/** The most reward tokens that a gauge can have. */
const mostRewards = 8n

const gaugeArgument = { kind: 'address', description: 'the gauge' } as const
const gaugeItself = (address: Address): NamedAddress => ({ address, what: `the gauge, ${address}` })

/** @throws INVALID_REQUEST where the address is no gauge. */
async function gaugeOf(context: ActionContext, primaryAddress: Address): Promise<Gauge> {
  const [gauge] = await readGauges(context.reader, [primaryAddress])
  if (gauge && !('message' in gauge)) return gauge
  const why = gauge ? ` (${gauge.message})` : ''
  return context.refuse('primaryAddress', `a gauge, whose lp_token() answers${why}`)
}

/** @throws INVALID_REQUEST where the steps are run by somebody else. */
function expectOwnCall(context: ActionContext, what: string): void {
  if (context.runner === context.account) return
  context.refuse('routingStrategy', `delegate or svcwallet-v2, as ${what} the caller alone`)
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Stake',
  functionNames: ['deposit'],
  inputs: {
    primaryAddress: gaugeArgument,
    tokenIn: { kind: 'address', description: 'the token that is staked' },
    tokenOut: {
      kind: 'address',
      description: 'the gauge, where its stakes are tokens',
      optional: true,
    },
    amountIn: { kind: 'amount', description: 'raw units of tokenIn' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
    const { staked, isToken, takesForOthers } = await gaugeOf(context, primaryAddress)
    expectAddress(context, 'tokenIn', tokenIn, stakedToken(staked))
    expectAddress(context, 'tokenOut', tokenOut, gaugeItself(primaryAddress))
    const spends = [{ token: staked, amount: amountIn }]
    const positionsOut = [primaryAddress]
    const target = primaryAddress
    if (!isToken) {
      expectOwnCall(context, 'stakes of the gauge belong to')
      expectAddress(context, 'receiver', receiver, stakeOwner(context.account))
    }
    context.add({ kind: 'approve', token: staked, spender: target, amount: amountIn })
    const call = { target, abi: depositAbi, args: [amountIn] }
    if (!isToken) {
      context.add({ kind: 'call', ...call })
      return { spends, outputs: [{ token: null, amount: amountIn }], positionsOut }
    }
    const args = [amountIn, payeeOf(context, receiver)]
    const output = takesForOthers
      ? addPaying(context, { target, abi: depositForAbi, args }, target, receiver)
      : addSendingOn(context, call, target, receiver)
    return { spends, outputs: [output], positionsOut }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Unstake',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress: gaugeArgument,
    tokenIn: {
      kind: 'address',
      description: 'the gauge, where its stakes are tokens',
      optional: true,
    },
    tokenOut: { kind: 'address', description: 'the token that is staked', optional: true },
    amountOut: { kind: 'amount', description: 'raw units of it, and of the stake' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountOut, receiver }, context) {
    const { staked, isToken } = await gaugeOf(context, primaryAddress)
    expectAddress(context, 'tokenIn', tokenIn, gaugeItself(primaryAddress))
    expectAddress(context, 'tokenOut', tokenOut, stakedToken(staked))
    if (!isToken) expectOwnCall(context, 'stakes of the gauge belong to')
    const call = { target: primaryAddress, abi: withdrawAbi, args: [amountOut] }
    return {
      spends: isToken ? [{ token: primaryAddress, amount: amountOut }] : [],
      outputs: [addSendingOn(context, call, staked, receiver)],
      positionsIn: [primaryAddress],
    }
  },
})

/** What others pay to stakes, besides what the minter does. */
async function rewardsOf({ reader }: ActionContext, to: Address): Promise<Address[]> {
  const results = await reader.call(
    Array.from({ length: Number(mostRewards) }, (_, index) => {
      const args = [BigInt(index)] as const
      return { to, data: encodeFunctionData({ abi: rewardsAbi, args }) }
    }),
  )
  return [...new Set(results.flatMap((result) => addressOf(result) ?? []))]
}

function harvest(family: Family) {
  return defineAction({
    action: 'harvest',
    name: 'Harvest',
    functionNames: ['mint', 'claim_rewards'],
    inputs: {
      primaryAddress: gaugeArgument,
      token: {
        kind: 'address',
        description: 'the one token to claim; by default all that are earned',
        optional: true,
      },
    },
    async build({ primaryAddress, token, receiver }, context) {
      const { reader, chain, venue } = context
      await gaugeOf(context, primaryAddress)
      expectOwnCall(context, 'what is earned goes to')
      const [[member], mint, others] = await Promise.all([
        readFamily(family, { reader, chain }, [primaryAddress]),
        readMinted(family, reader, venue),
        rewardsOf(context, primaryAddress),
      ])
      const isMinted = mint && member && 'isListed' in member && member.isListed
      const earned = [...(isMinted ? [mint.token] : []), ...others]
      if (token && !earned.includes(token)) {
        context.refuse('token', `one that the gauge pays: ${earned.join(', ') || 'none'}`)
      }
      if (earned.length === 0) context.refuse('primaryAddress', 'a gauge that pays something')
      const outputs: ActionOutput[] = []
      if (isMinted && (!token || token === mint.token)) {
        const call = { target: mint.minter, abi: mintAbi, args: [primaryAddress] }
        outputs.push(addSendingOn(context, call, mint.token, receiver))
      }
      const claimed = others.filter((one) => !token || one === token)
      if (claimed.length > 0) outputs.push(...claim(context, primaryAddress, claimed, receiver))
      return { spends: [], outputs, positionsIn: [primaryAddress], positionsOut: [primaryAddress] }
    },
  })
}

/** One call pays all of them. */
function claim(
  context: ActionContext,
  target: Address,
  tokens: readonly Address[],
  receiver: Address | undefined,
): ActionOutput[] {
  const { runner } = context
  const before = tokens.map((token) => balanceOf(context, token, runner))
  context.add({ kind: 'call', target, abi: claimAbi, args: [] })
  const to = payeeOf(context, receiver)
  return tokens.map((token, index): ActionOutput => {
    const amount = difference(context, balanceOf(context, token, runner), before[index] ?? 0n)
    if (to === runner) return { token, amount }
    return { token, amount: sendMeasured(context, token, to, amount), isPaid: true }
  })
}

export function gaugeActions(family: Family) {
  return [deposit, withdraw, harvest(family)]
}
