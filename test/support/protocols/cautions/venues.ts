/** Venues of Arbitrum whose pools move in the tests of cautions. */
import { arbitrum } from '../../../../src/chains/arbitrum.js'
import type { Address } from '../../../../src/domain/primitives.js'
import type { NodeWriter } from '../../nodes/node-writer.js'
import { placeBook } from '../other-venues.js'
import { placeCamelotV3, placeCamelotV4 } from '../place-algebra.js'
import { tokenOf } from './cases.js'

const [dollar, ether] = [10n ** 6n, 10n ** 18n]

/** A pair of Liquidity Book with hooks and one without, and a pool of each Camelot. */
export async function openArbitrum(node: NodeWriter): Promise<void> {
  const scene = { node, chain: arbitrum }
  const [weth, usdc, usdt] = ['WETH', 'USDC', 'USDT'].map((symbol) =>
    tokenOf(arbitrum.id, symbol),
  ) as [Address, Address, Address]
  await placeBook(scene, {
    tokens: [usdt, usdc],
    binStep: 10,
    activeId: 2 ** 23,
    perBin: [100_000n * dollar, 100_000n * dollar],
  })
  await placeBook(scene, {
    tokens: [weth, tokenOf(arbitrum.id, 'DAI')],
    binStep: 10,
    // 3,000 DAI for a WETH.
    activeId: 2 ** 23 + 8_010,
    perBin: [10n * ether, 30_000n * ether],
    isHooked: true,
  })
  await placeCamelotV3(scene, {
    sides: [
      [weth, 1_000n * ether],
      [tokenOf(arbitrum.id, 'DAI'), 3_000_000n * ether],
    ],
    liquidity: 10n ** 24n,
  })
  await placeCamelotV4(scene, {
    sides: [
      [weth, 1_000n * ether],
      [usdt, 3_000_000n * dollar],
    ],
    liquidity: 10n ** 18n,
  })
}
