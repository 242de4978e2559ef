/** What a bundle does with any vault, listed or not. There is no withdrawal of exact assets: the contract knows none. */
import { parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { outputOf, paidDirectly, payeeOf, receiverInput } from '../paid-output.js'
import { type ActionContext, defineAction } from '../positions.js'
import { readAssets } from './discover.js'

const [depositAbi, withdrawAbi, withdrawLossAbi] = parseAbi([
  'function deposit(uint256 amount, address recipient) returns (uint256 shares)',
  'function withdraw(uint256 maxShares, address recipient) returns (uint256 amount)',
  'function withdraw(uint256 maxShares, address recipient, uint256 maxLoss) returns (uint256 amount)',
])

const vault = { kind: 'address', description: 'the vault' } as const
const shareIn = {
  kind: 'address',
  description: 'the vault, whose shares go in',
  optional: true,
} as const

async function assetOf(
  context: ActionContext,
  primaryAddress: Address,
  expected: Readonly<Record<'asset' | 'share', readonly [string, Address | undefined]>>,
): Promise<Address> {
  const [answer] = await readAssets(context.reader, [primaryAddress])
  if (!answer || !('asset' in answer) || !answer.asset) {
    const why = answer && 'message' in answer ? ` (${answer.message})` : ''
    context.refuse('primaryAddress', `a vault of Yearn V2, with token() and apiVersion()${why}`)
  }
  const { asset } = answer
  const [assetName, assetGiven] = expected.asset
  const [shareName, shareGiven] = expected.share
  if (assetGiven !== undefined && assetGiven !== asset) {
    context.refuse(assetName, `the vault's token, ${asset}`)
  }
  if (shareGiven !== undefined && shareGiven !== primaryAddress) {
    context.refuse(shareName, `the vault itself, ${primaryAddress}`)
  }
  return asset
}

const deposit = defineAction({
  action: 'deposit',
  name: 'Deposit',
  functionNames: ['deposit'],
  inputs: {
    primaryAddress: vault,
    tokenIn: { kind: 'address', description: "the vault's token" },
    tokenOut: { kind: 'address', description: 'the vault, whose shares come out', optional: true },
    amountIn: { kind: 'amount', description: "raw units of the vault's token" },
    receiver: receiverInput,
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
    const expected = { asset: ['tokenIn', tokenIn], share: ['tokenOut', tokenOut] } as const
    await assetOf(context, primaryAddress, expected)
    context.add({ kind: 'approve', token: tokenIn, spender: primaryAddress, amount: amountIn })
    const step = context.add({
      kind: 'call',
      target: primaryAddress,
      abi: depositAbi,
      args: [amountIn, payeeOf(context, receiver)],
      output: outputOf(context, primaryAddress, receiver),
    })
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [paidDirectly(context, primaryAddress, step, receiver)],
      positionsOut: [primaryAddress],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress: vault,
    tokenIn: shareIn,
    tokenOut: { kind: 'address', description: "the vault's token", optional: true },
    amountIn: { kind: 'amount', description: 'raw units of the share' },
    maxLoss: {
      kind: 'amount',
      description: 'basis points that strategies may have lost of it; by default 1',
      optional: true,
    },
    receiver: receiverInput,
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, maxLoss, receiver }, context) {
    const expected = { asset: ['tokenOut', tokenOut], share: ['tokenIn', tokenIn] } as const
    const asset = await assetOf(context, primaryAddress, expected)
    const args = [amountIn, payeeOf(context, receiver)]
    const step = context.add({
      kind: 'call',
      target: primaryAddress,
      ...(maxLoss === undefined
        ? { abi: withdrawAbi, args }
        : { abi: withdrawLossAbi, args: [...args, maxLoss] }),
      output: outputOf(context, asset, receiver),
    })
    return {
      spends: [{ token: primaryAddress, amount: amountIn }],
      outputs: [paidDirectly(context, asset, step, receiver)],
      // What strategies have lost is kept out of the shares that are burnt where they cannot pay in full.
      leftovers: [primaryAddress],
      positionsIn: [primaryAddress],
    }
  },
})

export const vaultActions = [deposit, redeem]
