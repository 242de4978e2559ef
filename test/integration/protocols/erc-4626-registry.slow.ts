/** Vaults that a registry on chain endorses: listed, and believed. */
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { ReadResult, StateReader } from '../../../src/domain/state.js'
import { erc4626 } from '../../../src/protocols/erc-4626/index.js'
import { PoolContext } from '../../support/protocols/pool-context.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const abi = parseAbi(['function endorse(address asset, address vault)'])
const nobody: Address = '0x00000000000000000000000000000000000beef1'

let context: PoolContext
let registry: Address
/** Endorsed: two of the first asset and one of the second; the last is not. */
const vaults: Address[] = []
const assets: Address[] = []

beforeAll(async () => {
  context = await PoolContext.start()
  const odd = compileTestContracts('OddVaults.sol')
  const { bytecode } = compileTestContracts('Vaults.sol')('OffsetVault')
  registry = await context.deploy(odd('VaultRegistry').bytecode)
  for (const decimals of [6, 18]) assets.push(await context.token(decimals))
  for (const at of [0, 0, 1, 1]) {
    const asset = assets[at]
    const vault = await context.deploy(bytecode, 'address, uint8', [asset, 0])
    vaults.push(vault)
    if (vaults.length < 4) await context.send(registry, abi, 'endorse', [asset, vault])
  }
  // What a registry calls a vault need not be one.
  await context.send(registry, abi, 'endorse', [assets[0], nobody])
})
afterAll(() => context.close())

const venue = () => ({ registries: [nobody, registry], vaults: [vaults[2] as Address] })

async function list(reader: StateReader) {
  const found = await erc4626.positions?.list({
    reader,
    chain: ethereum,
    venue: venue(),
    pools: [],
  })
  if (!found) throw new Error('no positions')
  return found
}

describe('registries of vaults', () => {
  test('endorsed vaults are positions, each once, those that the chain names first', async () => {
    const { positions, unreadable } = await list(await context.reader())
    expect(unreadable).toEqual([])
    expect(positions.map(({ key }) => key)).toEqual([vaults[2], vaults[0], vaults[1]])
    expect(positions.map(({ underlyingTokens }) => underlyingTokens)).toEqual([
      [assets[1]],
      [assets[0]],
      [assets[0]],
    ])
  })

  test('at a block before the registry there are those that the chain names', async () => {
    const reader = await context.reader()
    const before: StateReader = {
      ...reader,
      call: (calls) =>
        reader.call(calls.map((call) => (call.to === registry ? { ...call, to: nobody } : call))),
    }
    const { positions, unreadable } = await list(before)
    expect([positions.map(({ key }) => key), unreadable]).toEqual([[vaults[2]], []])
  })

  test('a registry that the node refuses is named, and takes no other vault along', async () => {
    const reader = await context.reader()
    const refused: ReadResult = { ok: false, reason: 'unreadable', message: 'refused' }
    const refusing: StateReader = {
      ...reader,
      call: async (calls) => {
        const answers = await reader.call(calls)
        return answers.map((answer, at) => (calls[at]?.to === registry ? refused : answer))
      },
    }
    const { positions, unreadable } = await list(refusing)
    expect(positions.map(({ key }) => key)).toEqual([vaults[2]])
    expect(unreadable).toEqual([
      { protocol: 'erc-4626', subject: `registry ${registry}`, message: 'refused' },
    ])
  })

  test('a registry that claims to have endless lists is read up to its bounds', async () => {
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    const count = encodeFunctionData({
      abi: parseAbi(['function numAssets() view returns (uint256)']),
    })
    const asked = new Set<string>()
    const reader = await context.reader()
    const endless: StateReader = {
      ...reader,
      call: async (calls) => {
        const answers = await reader.call(calls)
        return answers.map((answer, at): ReadResult => {
          const call = calls[at]
          if (call?.to !== registry) return answer
          asked.add(call.data)
          if (call.data === count) return { ok: true, value: `0x${word(2n ** 255n)}` }
          if (call.data.length === 74) {
            const own = BigInt(`0x${call.data.slice(10)}`) + 1n
            const many = Array.from({ length: 600 }, (_, index) =>
              word(own * 1_000n + BigInt(index)),
            )
            const isList = own > 1_000_000n
            return {
              ok: true,
              value: isList
                ? `0x${word(32n)}${word(2n ** 255n)}${many.join('')}`
                : `0x${word(own + 1_000_000n)}`,
            }
          }
          return answer
        })
      },
    }
    const { positions } = await list(endless)
    expect(positions.map(({ key }) => key)).toEqual([vaults[2]])
    expect(asked.size).toBe(1 + 256 + 256)
  })

  test.each([
    ['endorsed', 0, true],
    ['named by the chain', 2, true],
    ['anybody’s', 3, false],
  ] as const)('the word of one that is %s is believed: %s', async (_what, at, expected) => {
    const address = vaults[at] as Address
    const tokens = [assets[at < 2 ? 0 : 1] as Address, address]
    const pool = { protocol: 'erc-4626', id: address, address, tokens, parameters: {} }
    const reader = await context.reader()
    const args = { reader, venue: venue(), pool, listed: null, isNamed: () => false }
    expect(await erc4626.trust?.isEndorsed?.(args)).toBe(expected)
  })
})
