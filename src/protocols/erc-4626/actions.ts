/** Actions on any vault, listed or not: deposit (exact assets), mint (exact shares), redeem and withdraw likewise. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, defineAction } from '../positions.js'
import { addPaying, payeeOf } from '../shared/paid-output.js'
import { readWord } from '../shared/read-word.js'
import { assetOf, type VaultKind, vaultDeposit, vaultInputs } from '../shared/vault-parts.js'
import { readAssets } from './discover.js'

const [mintAbi, redeemAbi, withdrawAbi] = parseAbi([
  'function mint(uint256 shares, address receiver) returns (uint256 assets)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
])
const previewAbi = parseAbi(['function previewWithdraw(uint256 assets) view returns (uint256)'])

/** Also how positions are distinguished from other tokens. */
export const vaultKind: VaultKind = {
  expected: 'an ERC-4626 vault, whose asset() answers',
  readAssets,
}

const mint = defineAction({
  action: 'mint',
  name: 'Mint',
  functionNames: ['mint'],
  inputs: {
    primaryAddress: vaultInputs.primaryAddress,
    tokenIn: vaultInputs.assetIn,
    tokenOut: vaultInputs.shareOut,
    amountOut: { kind: 'amount', description: 'raw units of the share, exactly' },
    amountIn: {
      kind: 'amount',
      description: 'raw units of the asset to spend at most, the rest comes back',
    },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountOut, amountIn, receiver }, context) {
    const names = { asset: ['tokenIn', tokenIn], share: ['tokenOut', tokenOut] } as const
    await assetOf(vaultKind, context, primaryAddress, names)
    const allow = { kind: 'approve', token: tokenIn, spender: primaryAddress } as const
    context.add({ ...allow, amount: amountIn })
    const args = [amountOut, payeeOf(context, receiver)]
    const call = { target: primaryAddress, abi: mintAbi, args }
    const output = addPaying(context, call, primaryAddress, receiver)
    // The vault takes less than it may, and would be free to take the rest later.
    context.add({ ...allow, amount: 0n })
    return {
      spends: [{ token: tokenIn, amount: amountIn }],
      outputs: [output],
      leftovers: [tokenIn],
      positionsOut: [primaryAddress],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem',
  functionNames: ['redeem'],
  inputs: {
    primaryAddress: vaultInputs.primaryAddress,
    tokenIn: vaultInputs.shareIn,
    tokenOut: vaultInputs.assetOut,
    amountIn: { kind: 'amount', description: 'raw units of the share' },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
    const names = { asset: ['tokenOut', tokenOut], share: ['tokenIn', tokenIn] } as const
    const asset = await assetOf(vaultKind, context, primaryAddress, names)
    const args = [amountIn, payeeOf(context, receiver), context.runner]
    const call = { target: primaryAddress, abi: redeemAbi, args }
    return {
      spends: [{ token: primaryAddress, amount: amountIn }],
      outputs: [addPaying(context, call, asset, receiver)],
      positionsIn: [primaryAddress],
    }
  },
})

const withdraw = defineAction({
  action: 'withdraw',
  name: 'Withdraw',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress: vaultInputs.primaryAddress,
    tokenIn: vaultInputs.shareIn,
    tokenOut: vaultInputs.assetOut,
    amountOut: { kind: 'amount', description: 'raw units of the asset, exactly' },
    amountIn: {
      kind: 'amount',
      description:
        'raw units of the share to spend at most, the rest comes back; by default what the vault asks at the block',
      optional: true,
    },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountOut, amountIn, receiver }, context) {
    const names = { asset: ['tokenOut', tokenOut], share: ['tokenIn', tokenIn] } as const
    const asset = await assetOf(vaultKind, context, primaryAddress, names)
    const shares = amountIn ?? (await sharesFor(context, primaryAddress, amountOut))
    const args = [amountOut, payeeOf(context, receiver), context.runner]
    const call = { target: primaryAddress, abi: withdrawAbi, args }
    return {
      spends: [{ token: primaryAddress, amount: shares }],
      outputs: [addPaying(context, call, asset, receiver)],
      // Where shares are given as the most to spend, those that the block does not ask for come back.
      ...(amountIn !== undefined && {
        enforced: { amount: { ref: 'balance', token: primaryAddress } },
      }),
      leftovers: [primaryAddress],
      positionsIn: [primaryAddress],
    }
  },
})

/** What the vault asks for these assets at the block, interest until the next one not counted: it only lowers it. */
async function sharesFor(
  context: ActionContext,
  to: Address,
  amountOut: Parameters<ActionContext['valueOf']>[0],
): Promise<bigint> {
  const args = [await context.valueOf(amountOut)] as const
  const data = encodeFunctionData({ abi: previewAbi, functionName: 'previewWithdraw', args })
  const [result] = await context.reader.call([{ to, data }])
  const shares = readWord(result)
  if (shares !== null) return shares
  const why = result && !result.ok ? ` (${result.message})` : ''
  return context.refuse('amountIn', `the shares to spend: the vault does not say them${why}`)
}

export const vaultActions = [vaultDeposit(vaultKind), mint, redeem, withdraw]
