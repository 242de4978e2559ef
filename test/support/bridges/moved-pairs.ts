/** Prices on a fork of the destination that are others than at the pinned block. */
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'
import type { TestAnvil } from '../anvil.js'

const abi = parseAbi([
  'function sync()',
  'function balanceOf(address owner) view returns (uint256)',
])
const anybody: Address = '0x00000000000000000000000000000000be1a4e41'

/** Adds a share of what pairs of Uniswap V2 hold of the token to it, by which their other token becomes dearer. */
export function fuller(pairs: readonly Address[], token: Address, permille: bigint) {
  return async (anvil: Pick<TestAnvil, 'rpc'>): Promise<void> => {
    for (const pair of pairs) {
      const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [pair] })
      const held = BigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
      const amount = numberToHex((held * (1_000n + permille)) / 1_000n)
      await anvil.rpc('anvil_dealERC20', [pair, token, amount])
      await anvil.rpc('anvil_impersonateAccount', [anybody])
      await anvil.rpc('anvil_setBalance', [anybody, numberToHex(10n ** 18n)])
      const sync = encodeFunctionData({ abi, functionName: 'sync' })
      await anvil.rpc('eth_sendTransaction', [
        { from: anybody, to: pair, data: sync, gas: '0x30d40' },
      ])
      await anvil.rpc('evm_mine')
    }
  }
}

interface Step {
  readonly chainId: number
  readonly action: string
  readonly internalRoutes?: readonly { readonly primary: Address }[]
}

/** Pools that the route of an answer swaps in on a chain. */
export function poolsOn(chainId: number, route: readonly Step[]): Address[] {
  return route
    .filter((step) => step.chainId === chainId && step.action === 'swap')
    .flatMap(({ internalRoutes = [] }) => internalRoutes.map(({ primary }) => primary))
}
