import { describe, expect, test } from 'vitest'
import type { NodeAbilities } from './node-probe.js'
import { createProbedAbilities } from './probed-abilities.js'

const all: NodeAbilities = {
  ethCall: true,
  overrides: true,
  logs: true,
  proofs: true,
  accessLists: true,
  prestates: true,
  batch: true,
  blockHash: true,
  devNode: false,
  archive: true,
  archiveDepth: 100_000,
  anchor: true,
}
const sure = new Set<keyof NodeAbilities>()

describe('abilities', () => {
  test('what is not answered is not taken from a node that showed it', () => {
    const abilities = createProbedAbilities(() => 0)
    abilities.take({ abilities: all, unsure: sure })
    const failed = { ...all, overrides: false, archive: false, archiveDepth: 0 }
    abilities.take({
      abilities: failed,
      unsure: new Set(['overrides', 'archive', 'archiveDepth'] as const),
    })
    expect(abilities.current()).toEqual(all)
  })

  test('what the node refuses in so many words is, and tried again after ten minutes', () => {
    let clock = 0
    const abilities = createProbedAbilities(() => clock)
    abilities.take({ abilities: all, unsure: sure })
    abilities.take({ abilities: { ...all, proofs: false }, unsure: sure })
    expect(abilities.current()?.proofs).toBe(false)
    clock = 599_999
    expect(abilities.isDue()).toBe(false)
    clock = 600_000
    expect(abilities.isDue()).toBe(true)
  })

  test('a first probe that fails in part is repeated after 2 s, then after 4 s', () => {
    let clock = 0
    const abilities = createProbedAbilities(() => clock)
    const nothing = { ...all, overrides: false }
    abilities.take({ abilities: nothing, unsure: new Set(['overrides'] as const) })
    expect(abilities.current()?.overrides).toBe(false)
    expect(abilities.isDue()).toBe(false)
    clock = 2_000
    expect(abilities.isDue()).toBe(true)
    // Once is enough.
    expect(abilities.isDue()).toBe(false)
    abilities.take({ abilities: nothing, unsure: new Set(['overrides'] as const) })
    clock = 5_999
    expect(abilities.isDue()).toBe(false)
    clock = 6_000
    expect(abilities.isDue()).toBe(true)
    abilities.take({ abilities: all, unsure: sure })
    clock = 10 ** 9
    expect(abilities.isDue()).toBe(false)
  })
})
