import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../domain/primitives.js'
import type { Judgement } from '../node-request.js'
import { findTransaction, receiptRequest, transactionRequest } from './transaction.js'

const hash: Hex = `0x${'ab'.repeat(32)}`
const blockHash: Hex = `0x${'cd'.repeat(32)}`
const raw = {
  transactionHash: hash,
  status: '0x1',
  blockNumber: '0x5',
  blockHash,
  logs: [],
}
const receipt = { hash, isSuccess: true, blockNumber: 5n, blockHash, logs: [], l1DataFee: null }

/** As the nodes together answer: what none of them has, is refused. */
async function answerOf<T>(judged: Judgement) {
  return judged.kind === 'value'
    ? { ok: true as const, value: judged.value as T }
    : { ok: false as const, message: judged.message }
}

const find = (mined: unknown, sent: unknown) =>
  findTransaction(1, {
    receipt: () => answerOf(receiptRequest(hash).judge(mined)),
    transaction: () => answerOf(transactionRequest(hash).judge(sent)),
  })

describe('findTransaction', () => {
  test('mined, waiting, and not known', async () => {
    expect(await find(raw, null)).toEqual(receipt)
    expect(await find({ ...raw, status: '0x0' }, null)).toEqual({ ...receipt, isSuccess: false })
    expect(await find(null, { hash, blockNumber: null })).toBe('pending')
    expect(await find(null, null)).toBeNull()
  })

  test('nodes that refuse to tell do not say that there is none', async () => {
    const refused = async () => ({ ok: false as const, message: 'method not found' })
    const asked = findTransaction(7, { receipt: refused, transaction: refused })
    await expect(asked).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: 'The nodes of chain 7 do not tell of transactions: method not found.',
    })
  })
})

describe('receiptRequest', () => {
  const log = {
    address: `0x${'11'.repeat(20)}`,
    topics: [hash],
    data: '0x',
    blockNumber: '0x5',
  }

  test.each([
    ['another transaction', { ...raw, transactionHash: blockHash }],
    ['no block', { ...raw, blockNumber: null }],
    ['no status', { ...raw, status: undefined }],
    ['no logs', { ...raw, logs: null }],
    ['logs of another transaction', { ...raw, logs: [{ ...log, transactionHash: blockHash }] }],
    ['a text', '0x'],
  ])('%s is no answer', (_, value) => {
    expect(receiptRequest(hash).judge(value).kind).toBe('odd')
  })

  test('the fee for L1 data, as OP-stack chains and Arbitrum tell of it', () => {
    const fee = (more: object) => receiptRequest(hash).judge({ ...raw, ...more })
    expect(fee({ l1Fee: '0x10' })).toMatchObject({ value: { l1DataFee: 16n } })
    const part = { gasUsedForL1: '0x3', effectiveGasPrice: '0x5' }
    expect(fee(part)).toMatchObject({ value: { l1DataFee: 15n } })
    expect(fee({ l1Fee: null, gasUsedForL1: '0x3' })).toMatchObject({ value: { l1DataFee: null } })
    const operated = { l1Fee: '0x10', operatorFeeScalar: '0x0', operatorFeeConstant: '0x2' }
    expect(fee(operated)).toMatchObject({ value: { l1DataFee: null } })
  })

  test('its logs, in their order', () => {
    const logs = [{ ...log, transactionHash: hash }]
    expect(receiptRequest(hash).judge({ ...raw, logs })).toMatchObject({
      value: { logs: [{ blockNumber: 5n, topics: [hash] }] },
    })
  })
})
