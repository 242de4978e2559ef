import { expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { pancakeswapV2, sushiswapV2, uniswapV2 } from '../uniswap-v2/index.js'
import { pancakeswapV3, sushiswapV3, uniswapV3 } from '../uniswap-v3/index.js'

const [weth, usdc] = ethereum.connectorTokens as [Address, Address]

/** Deployed pools of USDC and WETH, those of V3 with a fee of 0.05 %. */
test.each([
  [uniswapV2, '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'],
  [sushiswapV2, '0x397ff1542f962076d0bfe58ea045ffa2d347aca0'],
  [pancakeswapV2, '0x2e8135be71230c6b1b4045696d41c09db0414226'],
  [uniswapV3, '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'],
  [sushiswapV3, '0x35644fb61afbc458bf92b15add6abc1996be5014'],
  [pancakeswapV3, '0x1ac1a8feaaea1900c4166deeed0c11cc10669d36'],
])('a pool is guessed where it is on Ethereum: $1', async (adapter, deployed) => {
  const guessed: Address[] = []
  const reader: StateReader = {
    ...storageReader({}),
    guess: (_topic, guess) => {
      const { slots = [], pools = [] } = guess()
      guessed.push(...[...slots, ...pools].map(({ address }) => address))
    },
  }
  const venue = ethereum.venues[adapter.slug] ?? {}
  await adapter.swaps.discover({ reader, chain: ethereum, venue, pairs: [[weth, usdc]] })
  expect(guessed).toContain(deployed)
})
