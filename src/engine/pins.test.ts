import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../test/support/storage-reader.js'
import type { BlockPin, Hex } from '../domain/primitives.js'
import type { ForkPool } from '../forks/pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import { Pins } from './pins.js'

const pin = storageReader({}).block

const pinsOf = (archive: Partial<Archive>, forks: Partial<ForkPool>, chainIds: number[]) =>
  new Pins({
    archive: archive as Archive,
    forks: forks as ForkPool,
    chainIds,
    maxHeadAgeSeconds: null,
    onProblem: () => undefined,
  })

describe('Pins', () => {
  test('of heads that come faster than they can be used only the newest is taken, and nothing is lost', async () => {
    const heads = ['0x1', '0x2', '0x3', '0x4'].map((hash) => ({ ...pin, hash: hash as Hex }))
    let head = heads[0] as BlockPin
    let announce: (pin: BlockPin) => void = () => undefined
    const archive: Partial<Archive> = {
      head: () => head,
      onHead(listener) {
        announce = (pin) => listener(pin, {})
        return () => undefined
      },
      prefetch: async () => ({ items: 0, failed: 0 }),
    }
    const warmed: Hex[] = []
    const forks: Partial<ForkPool> = {
      warm: async ({ hash }) => void warmed.push(hash),
      fill: async () => undefined,
      room: async () => undefined,
    }
    const pins = pinsOf(archive, forks, [pin.chainId])
    const { signal } = new AbortController()
    await pins.after(pin.chainId, null, signal)
    for (const next of heads.slice(1)) {
      head = next
      announce(next)
      await turn()
    }
    expect(warmed).toEqual(['0x1'])
    const newest = await pins.after(pin.chainId, '0x1', signal)
    expect(newest.hash).toBe('0x4')
    expect(warmed).toEqual(['0x1', '0x4'])
    pins.close()
  })

  test('while older blocks hold the forks, the present block stays', async () => {
    let head: BlockPin = { ...pin, hash: '0x1' }
    let makeRoom: () => void = () => undefined
    const warmed: Hex[] = []
    let asked: () => void = () => undefined
    const askedForRoom = new Promise<void>((resolve) => {
      asked = resolve
    })
    const archive: Partial<Archive> = {
      head: () => head,
      onHead: () => () => undefined,
      prefetch: async () => ({ items: 0, failed: 0 }),
    }
    const forks: Partial<ForkPool> = {
      warm: async ({ hash }) => void warmed.push(hash),
      fill: async () => undefined,
      room: () =>
        new Promise((resolve) => {
          makeRoom = resolve
          asked()
        }),
    }
    const pins = pinsOf(archive, forks, [pin.chainId])
    const { signal } = new AbortController()
    await askedForRoom
    head = { ...pin, hash: '0x2' }
    await turn()
    expect(warmed).toEqual(['0x1'])
    makeRoom()
    expect(await pins.after(pin.chainId, '0x1', signal)).toBe(head)
    expect(warmed).toEqual(['0x1', '0x2'])
    pins.close()
  })

  test('reading ahead that failed once, as while the archive restarts, harms nobody and is tried again', async () => {
    let asked = 0
    const archive: Partial<Archive> = {
      head: () => null,
      onHead: () => () => undefined,
      pin: async () => pin,
      prefetch: async () => {
        asked += 1
        if (asked === 1) throw new Error('restarting')
        return { items: 0, failed: 0 }
      },
    }
    const forks: Partial<ForkPool> = { warm: async () => undefined }
    const pins = pinsOf(archive, forks, [])
    for (const times of [1, 2, 2]) {
      expect(await pins.at(1, 1n)).toBe(pin)
      expect(asked).toBe(times)
    }
    pins.close()
  })
})
