import { decodeFunctionData, type Hex, pad, parseAbi, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { listedGauges } from './gauges.js'

const abi = parseAbi([
  'function n_gauges() view returns (int128)',
  'function gauges(uint256 index) view returns (address)',
  'function get_gauge_weight(address gauge) view returns (uint256)',
])
const gaugeAt = (index: number) => pad(toHex(index + 1), { size: 20 }) as Address
const venue = { controller: '0x00000000000000000000000000000000000000cc' }

/** A controller of so many gauges; every third has votes, the later the more. */
function controllerOf(count: number) {
  let asked = 0
  const answer = (data: Hex): bigint => {
    const { functionName, args } = decodeFunctionData({ abi, data })
    if (functionName === 'n_gauges') return BigInt(count)
    const [value] = args
    if (functionName === 'gauges') return BigInt(value) + 1n
    asked++
    return BigInt(value) % 3n === 0n ? BigInt(value) : 0n
  }
  const reader = {
    call: async (calls: readonly { readonly data: Hex }[]) =>
      calls.map(({ data }) => ({ ok: true, value: pad(toHex(answer(data)), { size: 32 }) })),
  } as unknown as StateReader
  return { reader, votesAsked: () => asked }
}

describe('listedGauges', () => {
  test('are all that the controller has, in its order, while they are few', async () => {
    const { reader, votesAsked } = controllerOf(500)
    const { gauges, unreadable } = await listedGauges('curve-gauge', reader, venue)
    expect(gauges).toEqual(Array.from({ length: 500 }, (_, index) => gaugeAt(index)))
    expect([unreadable, votesAsked()]).toEqual([[], 0])
  })

  test('of many those with the most votes, then the older ones', async () => {
    const { reader } = controllerOf(900)
    const { gauges } = await listedGauges('curve-gauge', reader, venue)
    const all = Array.from({ length: 900 }, (_, index) => index)
    const voted = all.filter((index) => (index + 1) % 3 === 0)
    const others = all.filter((index) => (index + 1) % 3 !== 0).slice(0, 512 - voted.length)
    expect(voted).toHaveLength(300)
    expect(gauges).toEqual([...voted, ...others].sort((a, b) => a - b).map(gaugeAt))
  })
})
