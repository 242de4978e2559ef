import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import { openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests } from '../rpc/cassette/cassette-requests.js'
import {
  type CassetteContents,
  contentsOf,
  contentsToAdd,
  differences,
  readContents,
  toHead,
  versionWarnings,
} from './contents.js'
import { earlierProtocols } from './earlier-protocols.js'

const version = { forkroute: '1.0.0', anvil: '1.7.1', contracts: { Router: 'aa', Executor: 'bb' } }
const contents: CassetteContents = {
  settings: {
    chainIds: [1],
    candidates: 24,
    maxHops: 3,
    proof: 'all',
    dataFee: 'ranked',
    cautions: true,
    poolBlacklist: [],
    v4Hooks: 'run',
    v4HooksAllowlist: [],
    venues: [],
    poolIndex: false,
    liquidityFloorUsd: 0,
    serviceName: 'svc',
    apiDialect: 'specification',
    marksAnswers: true,
    widensPools: true,
    countsHoldings: true,
    boundsPools: true,
    mergesInputs: true,
    narrowsSearches: true,
    findsRebases: true,
    runsBalancerHooks: true,
    runsHooksOfMany: true,
    countsFeeOrder: true,
    disabledAggregators: [],
    priorityFeePerGas: { 1: 10n ** 18n },
    acrossFeeBps: 5,
    acrossMaxUsd: null,
    protocols: ['curve', 'one-more'],
  },
  tokens: [
    {
      chainId: 1,
      address: ethereum.wrappedNative,
      symbol: 'WETH',
      name: null,
      decimals: 18,
      logoUri: null,
    },
  ],
  importedPools: {
    1: [
      {
        protocol: 'curve',
        id: ethereum.wrappedNative,
        address: ethereum.wrappedNative,
        tokens: [ethereum.wrappedNative],
        parameters: { decimals: ['18'] },
      },
    ],
  },
  sandboxPools: [],
}

describe('toHead', () => {
  test('is read back as it was', () => {
    const { facts } = toHead(contents, version)
    expect(contentsOf({ facts: () => ({ ...facts }) })).toEqual(contents)
  })

  test('what earlier files lack is as it was when they were recorded', () => {
    const { facts } = toHead(contents, version)
    const {
      dataFee: _one,
      cautions: _other,
      v4Hooks: _third,
      protocols: _fourth,
      ...earlier
    } = JSON.parse(facts.settings ?? '{}')
    const read = contentsOf({ facts: () => ({ ...facts, settings: JSON.stringify(earlier) }) })
    expect(read.settings).toEqual({
      ...contents.settings,
      dataFee: 'shown',
      cautions: false,
      v4Hooks: 'listed',
      protocols: earlierProtocols,
    })
  })

  test('a missing part is named', () => {
    const { facts } = toHead(contents, version)
    const { tokens: _, ...rest } = facts
    expect(() => contentsOf({ facts: () => rest })).toThrow('row tokens of facts is missing')
  })
})

describe('contentsToAdd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-contents-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('a new file takes them as they are', () => {
    expect(contentsToAdd(join(folder, 'none.cassette'), contents)).toBe(contents)
  })

  test('answers that are added to an earlier file are as those in it', () => {
    const file = join(folder, 'earlier.cassette')
    const { facts } = toHead(contents, version)
    const { marksAnswers: _, ...settings } = JSON.parse(facts.settings ?? '{}')
    const db = openCassetteFile(file, 'write')
    new CassetteRequests(db).putFacts({ ...facts, settings: JSON.stringify(settings) })
    db.close()
    expect(readContents(file).settings.marksAnswers).toBe(false)
    expect(contentsToAdd(file, contents)).toEqual({
      ...contents,
      settings: { ...contents.settings, marksAnswers: false },
    })
    const other = { ...contents, settings: { ...contents.settings, maxHops: 2 } }
    expect(() => contentsToAdd(file, other)).toThrow('maxHops is 3 there, 2 here')
  })
})

test('differences names settings with both values, and lists by name', () => {
  const { facts } = toHead(contents, version)
  const settings = { ...contents.settings, maxHops: 2, priorityFeePerGas: {} }
  const other = toHead({ ...contents, settings, tokens: [] }, version).facts
  expect(differences(facts, facts)).toEqual([])
  expect(differences(facts, other)).toEqual([
    'maxHops is 3 there, 2 here',
    'priorityFeePerGas is {"1":"1000000000000000000"} there, {} here',
    'tokens differ',
  ])
})

test('versionWarnings says what differs', () => {
  expect(versionWarnings([JSON.stringify(version)], version)).toEqual([])
  const own = { ...version, forkroute: '2.0.0', contracts: { ...version.contracts, Router: 'cc' } }
  expect(versionWarnings([JSON.stringify(version)], own)).toEqual([
    'Recorded with forkroute 1.0.0, and this is 2.0.0; other code of Router: answers may differ.',
  ])
})
