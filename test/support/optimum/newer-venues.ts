/** Venues that the sandbox does not have, placed on its copy of Ethereum: two swaps at par, EulerSwap and DODO V2. */
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { psmAddresses } from '../../../src/protocols/sky-psm/load.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { placeDodo } from '../protocols/declared/place-dodo.js'
import { openEulerPool, placeRegistry } from '../protocols/declared/place-euler-swap.js'
import { gsm, placeGsm } from '../protocols/declared/place-gsm.js'
import { placeLitePsm } from '../protocols/place-lite-psm.js'
import { placeToken } from '../protocols/place-psm3.js'

const [dollar, ether] = [10n ** 6n, 10n ** 18n]
const million = 1_000_000n * dollar
const [usdc, usdt, weth] = ['USDC', 'USDT', 'WETH'].map((symbol) =>
  toAddress(sandboxToken(symbol).address),
) as [Address, Address, Address]
const { usds } = psmAddresses(ethereum.venues['sky-psm'] ?? {})

/** Tokens that only these venues trade. */
export const newerTokens: readonly Address[] = [usds, gsm.gho]

export async function placeNewerVenues(url: string): Promise<void> {
  const node = await new NodeWriter(url).start()
  try {
    await placeToken(node, usds, 'USDS')
    await placeLitePsm(url)
    await placeGsm(node)
    const registry = await placeRegistry(node, ethereum)
    await openEulerPool(node, registry, {
      tokens: [usdc, usdt],
      owned: [3n * million, 3n * million],
      others: [0n, 0n],
      curve: {
        equilibriumReserve0: 3n * million,
        equilibriumReserve1: 3n * million,
        minReserve0: 0n,
        minReserve1: 0n,
        priceX: ether,
        priceY: ether,
        concentrationX: (999n * ether) / 1_000n,
        concentrationY: (999n * ether) / 1_000n,
        fee0: 10n ** 14n,
        fee1: 10n ** 14n,
        expiration: 0,
        feeHook: zeroAddress,
      },
    })
    const basisPoint = ether / 10_000n
    await placeDodo(node, ethereum, [
      {
        kind: 'dppFactory',
        sides: [
          [weth, 900n * ether],
          [usdc, 2n * million],
        ],
        fee: 3n * basisPoint,
        // USDC for a whole WETH, near the price of the sandbox's other pools.
        i: 3_008n * dollar,
        k: ether / 10n,
      },
    ])
  } finally {
    await node.close()
  }
}
