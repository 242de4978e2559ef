import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ArchiveLink } from '../../../src/rpc/archive/archive-link.js'
import { createCodeIndex, createCodeStore } from '../../../src/rpc/archive/code-index.js'
import { openAnswerDb } from '../../../src/rpc/disk/answer-db.js'
import { openDiskCache } from '../../../src/rpc/disk/disk-cache.js'
import { layout } from '../../../src/rpc/disk/layout.js'
import { createHotSet } from '../../../src/rpc/hints/hot-set.js'
import { createLearned } from '../../../src/rpc/hints/learned.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-storage-'))
})
afterEach(() => rm(folder, { recursive: true }))

const quiet = (message: string) => {
  throw new Error(message)
}
const cache = () => openDiskCache(folder, (scope) => !scope.includes(':'), quiet)

describe('openAnswerDb', () => {
  test('shrinking drops what was written first, and what is to be kept last', () => {
    const db = openAnswerDb(join(folder, 'x.sqlite'))
    const value = 'x'.repeat(100_000)
    for (const scope of ['code', '1:a', '1:b', '1:c']) db.put([{ scope, item: 'i', value }])
    const held = () =>
      ['code', '1:a', '1:b', '1:c'].filter((scope) => db.get(scope, 'i').kind === 'found')
    db.shrink(260_000, (scope) => scope === 'code')
    expect(held()).toEqual(['code', '1:c'])
    db.shrink(0, (scope) => scope === 'code')
    expect(held()).toEqual([])
    db.close()
  })
})

describe('createCodeBook on disk', () => {
  const token = '0x00000000000000000000000000000000000000ab'
  const block = { number: 100n, hash: '0x64' } as const

  async function restartedOn(hashAt100: '0x64' | '0x65' | null) {
    const first = cache()
    const codes = createCodeStore(first)
    createCodeIndex(1, first).learn(token, block, '0x6001', codes.put('0x6001'))
    first.close()
    const second = cache()
    const codeIndex = createCodeIndex(1, second)
    await codeIndex.restore(async () => hashAt100)
    const id = codeIndex.find(token, { number: 101n })
    const code = id && createCodeStore(second).get(id)
    second.close()
    return code
  }

  test('code survives a restart on the same chain', async () => {
    expect(await restartedOn('0x64')).toBe('0x6001')
  })

  test('code of another chain with the same id is not used', async () => {
    expect(await restartedOn('0x65')).toBeNull()
  })

  test('code is not used while nobody can say which chain it is', async () => {
    expect(await restartedOn(null)).toBeNull()
  })
})

test('createHotSet: what was learned survives a restart, in its order', () => {
  const first = cache()
  const hot = createHotSet(1, first)
  for (const key of ['b1', 'b2', 'b3']) hot.touch(key)
  hot.save()
  first.close()
  const second = cache()
  expect(createHotSet(1, second).keys()).toEqual(['b3', 'b2', 'b1'])
  expect(second.all(layout.hotScope(2))).toEqual([])
  second.close()
})

describe('createLearned', () => {
  test('what was learnt survives a restart; over the bound the oldest goes, from the disk too', () => {
    const first = cache()
    const learned = createLearned('1/learned', first, 2)
    for (const topic of ['a', 'b', 'c']) learned.put(topic, `of ${topic}`)
    expect(learned.get('a')).toBeNull()
    first.close()
    const second = cache()
    expect(new Set(second.all('1/learned').map(({ item }) => item))).toEqual(new Set(['b', 'c']))
    expect(createLearned('1/learned', second, 2).get('c')).toBe('of c')
    second.close()
  })
})

test('ArchiveLink: a thread that dies is started again on the same port', async () => {
  let back = () => {}
  const restarted = new Promise<void>((resolve) => {
    back = resolve
  })
  const logger = { info: () => {}, error: () => {}, warn: () => back() }
  const data = {
    dataDir: null,
    chains: [],
    mode: { kind: 'live' as const },
    knownEmpty: [],
    pollIntervalMs: null,
    upstreamTimeoutMs: null,
  }
  let reported = 0
  const link = await ArchiveLink.start({
    data,
    logger,
    onRestart: () => {
      reported += 1
    },
    onThreadEvent: () => {},
  })
  const alive = () =>
    fetch(`http://127.0.0.1:${link.port}/1/1`, { method: 'POST', body: '[]' }).then(
      ({ status }) => status,
    )
  expect(await alive()).toBe(200)
  // A message that no part of the service sends, and on which the thread's own handler fails.
  await expect(link.ask(undefined as never)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
  await restarted
  // The service says again which blocks its spare forks were given.
  await expect.poll(() => reported).toBe(1)
  expect(await alive()).toBe(200)
  expect(await link.ask({ kind: 'stats' })).toMatchObject({ served: 1 })
  await link.close()
  await expect(alive()).rejects.toThrow()
})
