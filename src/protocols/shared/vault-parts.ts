/** Shared by protocols of vaults: a vault is its own share, has one asset, and takes `deposit(assets, receiver)`. */
import { parseAbi } from 'viem'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Unreadable } from '../pool.js'
import {
  type ActionContext,
  type ActionDefinition,
  defineAction,
  type Position,
} from '../positions.js'
import { expectAddress } from './arguments.js'
import { addPaying, payeeOf } from './paid-output.js'
import { readTokenNames } from './token-names.js'

/** The asset of a vault, null for an address that is no vault, or why it cannot be read. */
export type AssetAnswer = { readonly asset: Address | null } | { readonly message: string }

export interface VaultKind {
  /** What an address has to be, to complete "must be …". */
  readonly expected: string
  /** In the order asked, in bulk. */
  readAssets(reader: StateReader, vaults: readonly Address[]): Promise<AssetAnswer[]>
}

/** Tokens that an action names, by argument. */
type Named = Readonly<
  Record<'asset' | 'share', readonly [argument: string, token: Address | undefined]>
>

/** @throws INVALID_REQUEST where the address is no vault, or a token is not the expected one. */
export async function assetOf(
  kind: VaultKind,
  context: ActionContext,
  primaryAddress: Address,
  named: Named,
): Promise<Address> {
  const [answer] = await kind.readAssets(context.reader, [primaryAddress])
  if (!answer || !('asset' in answer) || !answer.asset) {
    const why = answer && 'message' in answer ? ` (${answer.message})` : ''
    context.refuse('primaryAddress', `${kind.expected}${why}`)
  }
  const { asset } = answer
  for (const [[argument, token], expected, what] of [
    [named.asset, asset, "the vault's asset"],
    [named.share, primaryAddress, 'the vault itself'],
  ] as const) {
    expectAddress(context, argument, token, { address: expected, what: `${what}, ${expected}` })
  }
  return asset
}

/** Arguments of actions of vaults. */
export const vaultInputs = {
  primaryAddress: { kind: 'address', description: 'the vault' },
  shareIn: { kind: 'address', description: 'the vault, whose shares go in', optional: true },
  shareOut: { kind: 'address', description: 'the vault, whose shares come out', optional: true },
  assetIn: { kind: 'address', description: "the vault's asset" },
  assetOut: { kind: 'address', description: "the vault's asset", optional: true },
} as const

const [depositAbi] = parseAbi([
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
])

export function vaultDeposit(kind: VaultKind): ActionDefinition {
  return defineAction({
    action: 'deposit',
    name: 'Deposit',
    functionNames: ['deposit'],
    inputs: {
      primaryAddress: vaultInputs.primaryAddress,
      tokenIn: vaultInputs.assetIn,
      tokenOut: vaultInputs.shareOut,
      amountIn: { kind: 'amount', description: 'raw units of the asset' },
    },
    async build({ primaryAddress, tokenIn, tokenOut, amountIn, receiver }, context) {
      const named = { asset: ['tokenIn', tokenIn], share: ['tokenOut', tokenOut] } as const
      await assetOf(kind, context, primaryAddress, named)
      context.add({ kind: 'approve', token: tokenIn, spender: primaryAddress, amount: amountIn })
      const args = [amountIn, payeeOf(context, receiver)]
      const call = { target: primaryAddress, abi: depositAbi, args }
      return {
        spends: [{ token: tokenIn, amount: amountIn }],
        outputs: [addPaying(context, call, primaryAddress, receiver)],
        positionsOut: [primaryAddress],
      }
    },
  })
}

/** Positions of the addresses that are vaults at the block. */
export async function vaultPositionsOf(
  kind: VaultKind,
  args: {
    readonly slug: string
    readonly reader: StateReader
    readonly vaults: readonly Address[]
  },
): Promise<{ positions: Position[]; unreadable: Unreadable[] }> {
  const { slug, reader, vaults } = args
  if (vaults.length === 0) return { positions: [], unreadable: [] }
  const [answers, names] = await Promise.all([
    kind.readAssets(reader, vaults),
    readTokenNames(reader, vaults),
  ])
  const positions: Position[] = []
  const unreadable: Unreadable[] = []
  vaults.forEach((vault, index) => {
    const answer = answers[index]
    if (answer && 'message' in answer) {
      unreadable.push({ protocol: slug, subject: vault, message: answer.message })
    }
    // A vault that is not deployed at the block does not answer, and is no position yet.
    if (!answer || !('asset' in answer) || !answer.asset) return
    positions.push({
      protocol: slug,
      key: vault,
      token: vault,
      primaryAddress: vault,
      poolAddress: vault,
      name: names[index]?.name ?? vault,
      subtitle: names[index]?.symbol ?? '',
      underlyingTokens: [answer.asset],
      rewardTokens: [],
      parameters: {},
    })
  })
  return { positions, unreadable }
}
