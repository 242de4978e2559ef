import { describe, expect, test } from 'vitest'
import { storageReader } from '../../test/support/storage-reader.js'
import type { ForkPool } from '../forks/fork-pool.js'
import type { Archive } from '../rpc/archive/archive.js'
import { createPins } from './pins.js'

const pin = storageReader({}).block

describe('createPins', () => {
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
    const pins = createPins({
      archive: archive as Archive,
      forks: forks as ForkPool,
      chainIds: [],
      maxHeadAgeSeconds: null,
      onProblem: () => undefined,
    })
    for (const times of [1, 2, 2]) {
      expect(await pins.at(1, 1n)).toBe(pin)
      expect(asked).toBe(times)
    }
    pins.close()
  })
})
