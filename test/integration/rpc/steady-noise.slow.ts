/** Quotes in front of a node that steadily fails a fifth of its requests in every way, six at a time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { questionAt } from '../../../scripts/faults/questions.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.js'
import { type Badness, startBadNode } from '../../support/nodes/bad-node.js'
import { type Answer, startService } from '../../support/service/service.js'

const quotes = 72
const atOnce = 6

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox?.stop())

/** Answers by question, and the requests that the node got for them. */
async function quoteAll(badness: Badness) {
  const node = await startBadNode(sandbox.url, {}, 11)
  const service = await startService({
    RPC_URL_1: node.url,
    // Without keys: an account's id is part of the calldata, and its zeros of the gas.
    AUTH_MODE: 'open',
    RATE_LIMIT_PER_MINUTE: '100000',
    // Nothing but what the quotes need.
    HEAD_POLL_MS: '10000',
  })
  try {
    while ((await service.get('/ready')).status !== 200);
    const before = node.counts.requests
    node.badness = badness
    const answers: Answer[] = []
    const left = [...Array(quotes).keys()]
    const work = async () => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        const question = questionAt(index, { head: sandbox.blockNumber, isPruned: false })
        answers[index] = await service.get('/api/v1/shortcuts/quote', question)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return { answers, requests: node.counts.requests - before }
  } finally {
    await service.stop()
    await node.stop()
  }
}

describe('a node that steadily fails a fifth of its requests', () => {
  test('quotes at blocks that do not repeat are those of a healthy node, for at most two and a half times the requests', async () => {
    const healthy = await quoteAll({})
    expect(healthy.answers.map(({ status }) => status)).toEqual(Array(quotes).fill(200))
    const bad = await quoteAll({ share: 0.2 })
    const others = bad.answers.filter(({ text }, index) => text !== healthy.answers[index]?.text)
    expect(others.length).toBeLessThanOrEqual(0.05 * quotes)
    for (const { status, body } of others) {
      if (status === 200) expect(body.warnings.length).toBeGreaterThan(0)
      else expect(status).toBe(503)
    }
    expect(bad.requests / healthy.requests).toBeLessThanOrEqual(2.5)
  })
})
