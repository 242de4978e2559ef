import { expect, test } from 'vitest'
import { pinOf } from '../../../test/support/pin.js'
import { base } from '../../chains/base.js'
import { ethereum } from '../../chains/ethereum.js'
import type { SentTransfer } from '../../domain/bridges/found.js'
import { noAccount } from '../../domain/engine.js'
import { configuredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'
import { findTransfers } from './transfers.js'

const address = `0x${'11'.repeat(20)}` as const
const context = { accountId: noAccount, signal: new AbortController().signal }

function sentAt(chainId: number, timestamp: number): SentTransfer {
  const transactionHash = `0x${timestamp.toString(16).padStart(64, '0')}` as const
  return { chainId, transactionHash, blockNumber: timestamp, timestamp, bridges: ['across'] }
}

/** @param found - by chain; null: its nodes give no events. */
function find(found: Readonly<Record<number, readonly SentTransfer[] | null>>) {
  const asked: object[] = []
  const tasks = {
    pin: async ({ chainId }: { chainId: number }) => pinOf(chainId, 20_000),
    runAt: async (_kind: string, args: object, { chainId }: { chainId: number }) => {
      asked.push({ chainId, ...args })
      return found[chainId] ?? null
    },
  } as unknown as Pick<TaskRunner, 'pin' | 'runAt'>
  const chains = configuredChains([ethereum, base], [])
  return { asked, finding: findTransfers({ chains, tasks }, address, context) }
}

test('the newest of all chains, newest first, from the last six hours of blocks or 10,000', async () => {
  const many = Array.from({ length: 25 }, (_, index) => sentAt(1, 2 * index))
  const { asked, finding } = find({ 1: many, 8453: [sentAt(8453, 41), sentAt(8453, 1)] })
  const { searched, unsearched, count, transfers } = await finding
  expect(searched).toEqual([
    { chainId: 1, fromBlock: 20_000 - 1_800 + 1, toBlock: 20_000 },
    { chainId: 8453, fromBlock: 10_001, toBlock: 20_000 },
  ])
  expect(asked).toEqual([
    { chainId: 1, address, from: 18_201n, to: 20_000n },
    { chainId: 8453, address, from: 10_001n, to: 20_000n },
  ])
  expect([unsearched, count, transfers.length]).toEqual([[], 27, 20])
  expect(transfers.slice(0, 5).map(({ timestamp }) => timestamp)).toEqual([48, 46, 44, 42, 41])
})

test('a chain without events is named, and where none has any it is an error', async () => {
  const { finding } = find({ 1: [] })
  const { searched, unsearched } = await finding
  expect(searched.map(({ chainId }) => chainId)).toEqual([1])
  expect(unsearched).toEqual([
    { chainId: 8453, message: 'The nodes of Base give no events of so many blocks.' },
  ])
  await expect(find({}).finding).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
    message: expect.stringContaining('Ethereum give no events'),
  })
})
