/** Actions on any vault, listed or not. The contract has no withdrawal of exact assets, so there is no such action. */
import { parseAbi } from 'viem'
import { defineAction } from '../positions.js'
import { addPaying, payeeOf } from '../shared/paid-output.js'
import { assetOf, type VaultKind, vaultDeposit, vaultInputs } from '../shared/vault-parts.js'
import { readAssets } from './discover.js'

const [withdrawAbi, withdrawLossAbi] = parseAbi([
  'function withdraw(uint256 maxShares, address recipient) returns (uint256 amount)',
  'function withdraw(uint256 maxShares, address recipient, uint256 maxLoss) returns (uint256 amount)',
])

/** Also how positions are distinguished from other tokens. */
export const vaultKind: VaultKind = {
  expected: 'a vault of Yearn V2, with token() and apiVersion()',
  readAssets,
}

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem',
  functionNames: ['withdraw'],
  inputs: {
    primaryAddress: vaultInputs.primaryAddress,
    tokenIn: vaultInputs.shareIn,
    tokenOut: vaultInputs.assetOut,
    amountIn: { kind: 'amount', description: 'raw units of the share' },
    maxLoss: {
      kind: 'amount',
      description: 'basis points that strategies may have lost of it; by default 1',
      optional: true,
    },
  },
  async build({ primaryAddress, tokenIn, tokenOut, amountIn, maxLoss, receiver }, context) {
    const expected = { asset: ['tokenOut', tokenOut], share: ['tokenIn', tokenIn] } as const
    const asset = await assetOf(vaultKind, context, primaryAddress, expected)
    const args = [amountIn, payeeOf(context, receiver)]
    const call =
      maxLoss === undefined
        ? { target: primaryAddress, abi: withdrawAbi, args }
        : { target: primaryAddress, abi: withdrawLossAbi, args: [...args, maxLoss] }
    return {
      spends: [{ token: primaryAddress, amount: amountIn }],
      outputs: [addPaying(context, call, asset, receiver)],
      // What strategies have lost is kept out of the shares that are burnt where they cannot pay in full.
      leftovers: [primaryAddress],
      positionsIn: [primaryAddress],
    }
  },
})

export const vaultActions = [vaultDeposit(vaultKind), redeem]
