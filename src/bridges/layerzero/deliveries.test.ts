import { size } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { base } from '../../chains/base.js'
import { zeroAddress } from '../../domain/primitives.js'
import type { Delivery } from '../bridge.js'
import { stargateFamily } from '../stargate/pools.js'
import { simulation } from './deliveries.js'

const word = `0x${'11'.repeat(32)}` as const
const delivery: Delivery = {
  bridge: 'stargate',
  id: word,
  sourceChainId: 1,
  destinationChainId: base.id,
  token: zeroAddress,
  amount: 1n,
  sender: `0x${'55'.repeat(20)}`,
  receiver: `0x${'22'.repeat(20)}`,
  message: '0xabcd',
  details: {
    symbol: 'USDC',
    guid: word,
    nonce: '7',
    srcEid: 30_101,
    payload: '0x01',
    sender: `0x${'33'.repeat(20)}`,
    receiver: `0x${'44'.repeat(20)}`,
    composed: `${word}abcd`,
    composeGas: '500000',
    composeValue: '11',
  },
}
const { block } = storageReader({})

describe('simulation', () => {
  test('a compose has the gas that was paid for on top of what its transaction costs, and the value', () => {
    const { data, gasLimit = 0n, value, to } = simulation(stargateFamily, delivery, base, block, 0n)
    const zeros =
      data
        .slice(2)
        .match(/../g)
        ?.filter((byte) => byte === '00').length ?? 0
    const intrinsic = 21_000 + 16 * size(data) - 12 * zeros
    expect(gasLimit).toBe(500_000n + BigInt(intrinsic))
    expect(simulation(stargateFamily, delivery, base, block, 700_000n).gasLimit).toBe(
      gasLimit + 200_000n,
    )
    expect([value, to]).toEqual([11n, base.bridges?.stargate?.endpoint])
  })

  test('without a message the receipt itself is what is measured', () => {
    const { from, to, before, gasLimit } = simulation(
      stargateFamily,
      { ...delivery, message: '0x' },
      base,
      block,
      0n,
    )
    expect(from).toBe(base.bridges?.stargate?.endpoint)
    expect(to).toBe(delivery.details.receiver)
    expect([before, gasLimit]).toEqual([undefined, undefined])
  })
})
