import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { Position, PositionAdapter, PositionState } from '../../protocols/positions.js'
import { defineProtocol, type ProtocolAdapter } from '../../protocols/protocol.js'
import { ofTokens, readProtocol } from './positions-task.js'

const address: Address = `0x${'a'.repeat(40)}`
const state: PositionState = { holdings: [], base: { kind: 'annual', rate: 0.05 }, rewards: [] }

function position(key: string): Position {
  return {
    protocol: 'vaults',
    key,
    token: null,
    primaryAddress: address,
    poolAddress: address,
    name: key,
    subtitle: key,
    underlyingTokens: [],
    rewardTokens: [],
    parameters: {},
  }
}

function adapterWith(positions: PositionAdapter): ProtocolAdapter {
  return defineProtocol({
    slug: 'vaults',
    name: 'Vaults',
    project: 'vaults',
    category: 'vault',
    url: 'https://vaults.example',
    description: 'Vaults.',
    positions,
  })
}

const args = { reader: {} as StateReader, chain: ethereum, venue: {}, pools: [] }
const listed = { positions: [position('b'), position('a'), position('b')], unreadable: [] }

describe('readProtocol', () => {
  test('each position once, by key, with its state', async () => {
    const asked: string[][] = []
    const adapter = adapterWith({
      list: async () => listed,
      async read({ positions }) {
        asked.push(positions.map(({ key }) => key))
        return positions.map(() => state)
      },
    })
    const { read, unreadable } = await readProtocol(adapter, args)
    expect(asked).toEqual([['a', 'b']])
    expect(read?.map((one) => [one.position.key, one.state])).toEqual([
      ['a', state],
      ['b', state],
    ])
    expect(unreadable).toEqual([])
  })

  test('a position that cannot be read stays listed without a state', async () => {
    const fact = { protocol: 'vaults', subject: 'a', message: 'reverted' }
    const adapter = adapterWith({ list: async () => listed, read: async () => [fact, state] })
    const { read, unreadable } = await readProtocol(adapter, args)
    expect(read?.map((one) => one.state)).toEqual([null, state])
    expect(unreadable).toEqual([fact])
  })

  test('a failing look-up of states is a fact, not an error', async () => {
    const adapter = adapterWith({
      list: async () => listed,
      read: () => Promise.reject(new Error('bad answer')),
    })
    const { read, unreadable } = await readProtocol(adapter, args)
    expect(read?.map((one) => one.state)).toEqual([null, null])
    expect(unreadable).toEqual([
      { protocol: 'vaults', subject: 'state of positions', message: 'bad answer' },
    ])
  })

  test('a list that fails is a fact too, and tells itself from an empty one', async () => {
    const failing = adapterWith({
      list: () => Promise.reject(new Error('bad answer')),
      read: async () => [],
    })
    expect(await readProtocol(failing, args)).toEqual({
      read: null,
      unreadable: [{ protocol: 'vaults', subject: 'positions', message: 'bad answer' }],
    })
    const empty = adapterWith({
      list: async () => ({ positions: [], unreadable: [] }),
      read: () => Promise.reject(new Error('is not asked')),
    })
    expect(await readProtocol(empty, args)).toEqual({ read: [], unreadable: [] })
  })

  test('a node that is down ends the task', async () => {
    const down = new ForkrouteError('UPSTREAM_UNAVAILABLE', 'No node answers.')
    const adapter = adapterWith({ list: () => Promise.reject(down), read: async () => [] })
    await expect(readProtocol(adapter, args)).rejects.toBe(down)
  })
})

test('a position that is no token, or is made of what is none, is told and not listed', () => {
  const token: Address = `0x${'b'.repeat(40)}`
  const read = [
    { position: { ...position('a'), token, underlyingTokens: [token] }, state },
    { position: { ...position('b'), token: address }, state },
    { position: { ...position('c'), token, underlyingTokens: [token, address] }, state: null },
    { position: position('d'), state: null },
  ]
  const found = ofTokens(read, new Map([[token, {}]]))
  expect(found.read).toEqual([read[0], read[3]])
  const message = `${address} is no token: it tells no decimals.`
  expect(found.unreadable).toEqual(
    ['b', 'c'].map((subject) => ({ protocol: 'vaults', subject, message })),
  )
})
