/** The base fee that judges of answers give their blocks, against what Anvil mines by itself. */
import { numberToHex } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../../src/domain/primitives.js'
import { startAnvil } from '../../support/anvil.js'
import { baseFeeAfter, type FeeHeader } from '../../support/base-fee.js'

const gasLimit = 20_000_000n
/** Loops until its gas is used up: JUMPDEST PUSH1 0 JUMP. */
const burner = '0x00000000000000000000000000000000beef1559'
const burnerCode = '0x5b600056'

describe('baseFeeAfter', () => {
  test.each([
    { gasUsed: 10_000_000n, next: 1_000_000_000n },
    { gasUsed: 9_000_000n, next: 987_500_000n },
    { gasUsed: 11_000_000n, next: 1_012_500_000n },
  ])("known vectors: go-ethereum's, $gasUsed of 20000000 gas gives $next", ({ gasUsed, next }) => {
    expect(baseFeeAfter({ baseFeePerGas: 1_000_000_000n, gasUsed, gasLimit })).toBe(next)
  })

  test.each([1_000_000_007n, 9n])(
    'from %i wei on, Anvil that is not told the base fee mines the same for blocks of any fullness',
    async (first) => {
      const anvil = await startAnvil([
        ...['--no-mining', '--gas-limit', String(gasLimit), '--base-fee', String(first)],
      ])
      onTestFinished(() => anvil.stop())
      const [from] = await anvil.rpc<Hex[]>('eth_accounts')
      await anvil.rpc('anvil_setCode', [burner, burnerCode])
      const head = async (): Promise<FeeHeader> => {
        const block = await anvil.rpc<Record<keyof FeeHeader, Hex>>('eth_getBlockByNumber', [
          'latest',
          false,
        ])
        return {
          baseFeePerGas: BigInt(block.baseFeePerGas),
          gasUsed: BigInt(block.gasUsed),
          gasLimit: BigInt(block.gasLimit),
        }
      }
      // The fee that Anvil is started with is the one of its first block, not of what comes before it.
      await anvil.rpc('evm_mine')
      let parent = await head()
      expect(parent).toEqual({ baseFeePerGas: first, gasUsed: 0n, gasLimit })
      // Transactions of a block by the gas that they burn; one alone may not burn all of it.
      const blocks = [
        [],
        [10_000_000n],
        [9_999_999n],
        [10_000_001n],
        [10_000_000n, 10_000_000n],
        [15_000_000n],
        [21_123n],
        [],
      ]
      for (const burnt of blocks) {
        for (const gas of burnt) {
          const request = { from, to: burner, gas: numberToHex(gas), gasPrice: '0xb2d05e000' }
          await anvil.rpc('eth_sendTransaction', [request])
        }
        await anvil.rpc('evm_mine')
        const child = await head()
        expect(child.gasUsed).toBe(burnt.reduce((sum, gas) => sum + gas, 0n))
        expect(child.baseFeePerGas).toBe(baseFeeAfter(parent))
        parent = child
      }
    },
  )
})
