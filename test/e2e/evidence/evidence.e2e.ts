/** Evidence of routes and quotes, checked as a third party does: from the file alone, on an Anvil without a node. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concatHex, fromRlp, type Hex, keccak256, pad, toRlp } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { provenAccount, provenSlot, TrieNodes } from '../../../src/rpc/node/proof/trie.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runOnAnvil } from '../../../src/verify/anvil.js'
import { type EvidenceFile, signedBytes, verifyEvidence } from '../../../src/verify/verify.js'
import { runCli } from '../../support/cli.js'
import { accepted, checkForgeries } from '../../support/evidence/check-forgeries.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const [usdc, weth, dai] = ['USDC', 'WETH', 'DAI'].map((symbol) => sandboxToken(symbol).address) as [
  Address,
  Address,
  Address,
]
const alice = sandboxAccount('alice').address
const stranger: Address = '0x00000000000000000000000000000000000a11ce'
const ether = 10n ** 18n

let service: SharedService
let quoted: EvidenceFile
beforeAll(async () => {
  service = await sharedService()
  const { body, text } = await ask('quote', { tokenIn: weth, tokenOut: usdc, amountIn: ether })
  expect(body.evidence, text).toBeDefined()
  quoted = body.evidence
})

function ask(endpoint: 'route' | 'quote', query: Record<string, unknown>) {
  const all = Object.entries({ ...query, evidence: true }).map(([name, value]) => [
    name,
    `${value}`,
  ])
  return service.get(`/api/v1/shortcuts/${endpoint}`, Object.fromEntries(all))
}

/** Signed by a key of its own, as by a service that lies. */
function resigned(file: EvidenceFile, change: (evidence: EvidenceFile['evidence']) => object) {
  const evidence = { ...file.evidence, ...change(file.evidence) }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex')
  const signature = sign(null, signedBytes(evidence), privateKey).toString('hex')
  return JSON.stringify({ evidence, publicKey: `0x${key}`, signature: `0x${signature}` })
}

describe('evidence=true', () => {
  test.each([
    ['a quote of nobody', 'quote', { tokenIn: weth, tokenOut: usdc, amountIn: ether }, 2],
    ['a quote with ether', 'quote', { tokenIn: nativeToken, tokenOut: dai, amountIn: ether }, 1],
    [
      'a quote with less ether than the gas takes',
      'quote',
      { tokenIn: nativeToken, tokenOut: dai, amountIn: 10n ** 14n },
      1,
    ],
    ['a quote for ether', 'quote', { tokenIn: dai, tokenOut: nativeToken, amountIn: ether }, 2],
    [
      'a route of its sender',
      'route',
      { fromAddress: alice, tokenIn: nativeToken, tokenOut: usdc, amountIn: ether },
      0,
    ],
    [
      'a route that is funded later',
      'route',
      {
        fromAddress: stranger,
        executionMode: 'backend',
        tokenIn: usdc,
        tokenOut: weth,
        amountIn: 10n ** 9n,
      },
      2,
    ],
    [
      'a route that the account of its sender runs',
      'route',
      {
        fromAddress: alice,
        routingStrategy: 'delegate',
        tokenIn: nativeToken,
        tokenOut: usdc,
        amountIn: ether,
      },
      0,
    ],
    [
      'a quote that an account runs',
      'quote',
      { routingStrategy: 'delegate', tokenIn: weth, tokenOut: usdc, amountIn: ether },
      1,
    ],
    [
      'a route through the wallet of its sender',
      'route',
      {
        fromAddress: alice,
        routingStrategy: 'svcwallet-v2',
        tokenIn: nativeToken,
        tokenOut: usdc,
        amountIn: ether,
      },
      0,
    ],
    ['a stated output', 'quote', { tokenIn: weth, tokenOut: usdc, amountOut: 10n ** 9n }, 2],
    [
      'a route to a stranger',
      'route',
      {
        fromAddress: alice,
        receiver: stranger,
        tokenIn: nativeToken,
        tokenOut: weth,
        amountIn: ether,
      },
      0,
    ],
  ] as const)(
    '%s: proven, and it does what the answer says',
    async (_, endpoint, query, assumed) => {
      const { status, text, body } = await ask(endpoint, query)
      expect(status, text).toBe(200)
      const { evidence, ...answer } = body
      const report = await verifyEvidence(JSON.stringify(evidence), { run: runOnAnvil })
      expect(report.problem).toBe(null)
      expect(report.isProven).toBe(true)
      expect(evidence.evidence.execution.assumed).toHaveLength(assumed)
      // What the transaction gains, spends and uses was compared with this answer.
      expect(evidence.evidence.answer).toEqual(answer)
      expect(report.header?.number).toBe(BigInt(answer.blockNumber))
      expect(evidence.evidence.block).toMatchObject({ chainId: 1, hash: await headHash() })
    },
  )

  test('the key is that of the service', async () => {
    const { body } = await service.get('/.well-known/forkroute', {})
    expect(body.evidence.publicKey).toBe(quoted.publicKey)
    const report = await verifyEvidence(JSON.stringify(quoted), {
      publicKeys: [body.evidence.publicKey],
    })
    // Without an EVM nothing is proven of what the transaction does.
    expect(report).toMatchObject({ isProven: false, problem: null })
  })

  test.each([
    [
      'a permit',
      'route',
      { fromAddress: alice, tokenIn: usdc, tokenOut: weth, amountIn: 1_000n, permit: true },
    ],
  ] as const)('400 for %s', async (_, endpoint, query) => {
    const { status, body } = await ask(endpoint, query)
    expect(status).toBe(400)
    expect(body.code).toBe('INVALID_REQUEST')
  })
})

test('an account that has code of its own is not taken for one that delegates', async () => {
  const { status, body } = await ask('quote', {
    fromAddress: usdc,
    routingStrategy: 'delegate',
    tokenIn: weth,
    tokenOut: dai,
    amountIn: ether,
  })
  expect(status).toBe(503)
  expect(body.message).toContain('the sender has code of its own')
})

describe('verifyEvidence', () => {
  test.each([
    [
      'another amount',
      'execution',
      ({ answer }) => ({ answer: { ...answer, amountOut: '3006523789' } }),
    ],
    ['less gas', 'execution', ({ answer }) => ({ answer: { ...answer, gas: '100000' } })],
    [
      'a smaller input',
      'execution',
      ({ request }) => ({ request: { ...request, input: { ...request.input, amountIn: ['1'] } } }),
    ],
    ['another block', 'answer', ({ answer }) => ({ answer: { ...answer, blockNumber: '1' } })],
    ['another chain', 'answer', ({ block }) => ({ block: { ...block, chainId: 10 } })],
    [
      'an account left out',
      'state',
      ({ state }) => ({ state: { ...state, accounts: state.accounts.slice(1) } }),
    ],
    ['a slot left out', 'execution', (evidence) => ({ state: withoutSlot(evidence) })],
    [
      'more assumed',
      'answer',
      ({ execution }) => ({
        execution: {
          ...execution,
          assumed: [
            {
              token: usdc,
              slot: `0x${'0'.repeat(64)}`,
              value: `0x${'0'.repeat(63)}1`,
              preimages: [],
            },
          ],
        },
      }),
    ],
    [
      'an account that runs it',
      'execution',
      ({ execution }) => ({ execution: { ...execution, isDelegated: true } }),
    ],
    [
      'a base fee that does not follow',
      'answer',
      ({ execution }) => ({ execution: { ...execution, baseFeePerGas: '0xffffffffff' } }),
    ],
    [
      'another transaction',
      'answer',
      ({ answer, execution: { transaction } }) => ({
        answer: { ...answer, tx: { ...transaction, chainId: 1, data: '0x' } },
      }),
    ],
    ['other time', 'answer', ({ execution }) => ({ execution: { ...execution, time: '0x1' } })],
  ] as readonly (readonly [string, string, (evidence: EvidenceFile['evidence']) => object])[])(
    'signed by a liar, with %s: refused for the %s',
    async (_, part, change) => {
      const report = await verifyEvidence(resigned(quoted, change), { run: runOnAnvil })
      expect(report.isProven).toBe(false)
      expect(report.problem?.part).toBe(part)
    },
  )

  test.each(['own', 'none'] as const)(
    'none of 120 forgeries is accepted, signed by the forger: %s',
    async (signing) => {
      const query = { fromAddress: alice, tokenIn: nativeToken, tokenOut: usdc, amountIn: ether }
      const routed: EvidenceFile = (await ask('route', query)).body.evidence
      const findings = await checkForgeries([quoted, routed], { seed: 7n, count: 120, signing })
      const finders = [...findings.values()].flatMap((parts) => [...parts.keys()])
      expect(finders.length).toBeGreaterThan(10)
      expect(finders).not.toContain(accepted)
    },
  )

  test('a word in another mapping by the sender is not taken for its balance', async () => {
    const { from } = quoted.evidence.execution.transaction
    const preimage = concatHex([pad(from), pad('0x09')])
    const word = {
      token: weth,
      slot: keccak256(preimage),
      value: pad('0x01'),
      preimages: [preimage],
    }
    const content = resigned(quoted, ({ execution }) => ({
      execution: { ...execution, assumed: [...execution.assumed, word] },
    }))
    const { problem } = await verifyEvidence(content, { run: runOnAnvil })
    expect(problem).toEqual({
      part: 'execution',
      message: 'an assumed word is neither balance nor allowance of the sender',
    })
  })

  test('a header without a field, or with one more, is another header', async () => {
    const fields = fromRlp(quoted.evidence.block.header, 'hex') as Hex[]
    for (const header of [toRlp(fields.slice(1)), toRlp([...fields, '0x01'])]) {
      const content = resigned(quoted, ({ block }) => ({ block: { ...block, header } }))
      const { problem } = await verifyEvidence(content)
      expect(problem).toEqual({
        part: 'header',
        message: 'the header does not have the hash of the block',
      })
    }
  })

  test('a file about another chain, or of a branch that was left, is named as that', async () => {
    const content = JSON.stringify(quoted)
    const elsewhere = await verifyEvidence(content, { chainId: 8453 })
    expect(elsewhere.problem).toEqual({ part: 'chain', message: 'it is about chain 1, not 8453' })
    const stale = await verifyEvidence(content, { blockHash: `0x${'12'.repeat(32)}` })
    expect(stale.problem?.part).toBe('branch')
    expect(stale.problem?.message).toContain('of a branch that was left')
  })
})

describe('forkroute verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkroute-evidence-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('says what an answer proves, and of a changed one what does not hold', async () => {
    const { text, body } = await ask('quote', {
      routingStrategy: 'delegate',
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: ether,
    })
    const file = join(folder, 'answer.json')
    writeFileSync(file, text)
    const { publicKey, evidence } = body.evidence as EvidenceFile
    const known = ['--public-key', publicKey, '--block-hash', evidence.block.hash]
    const shown = await runCli(['verify', file, ...known])
    expect(shown, shown.err).toMatchObject({ code: 0 })
    expect(shown.out).toContain('Proven.')
    expect(shown.out).toContain(`runs the code of ${evidence.execution.transaction.to}`)
    expect(shown.out).toContain(`${ether} of ${weth}`)
    expect(shown.out).toContain(`${body.amountOut} of ${usdc}`)

    writeFileSync(file, text.replaceAll(body.amountOut, `${body.amountOut}0`))
    const changed = await runCli(['verify', file, '--json'])
    expect(changed.code).toBe(1)
    expect(JSON.parse(changed.out)).toMatchObject({
      isProven: false,
      problem: { part: 'signature' },
      blockHash: evidence.block.hash,
      isDelegated: true,
    })
  })
})

async function headHash(): Promise<string> {
  const client = createRpcClient(service.nodeUrl)
  const head = await client.request<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
  await client.close()
  return head.hash
}

/** Without the last slot of the last account that has one, and without the nodes that only it needs. */
function withoutSlot({ block, state }: EvidenceFile['evidence']) {
  const at = state.accounts.findLastIndex(({ slots }) => slots.length > 0)
  const accounts = state.accounts.map((account, index) =>
    index === at ? { ...account, slots: account.slots.slice(0, -1) } : account,
  )
  const nodes = new TrieNodes(state.nodes)
  const [, , , stateRoot = '0x'] = fromRlp(block.header, 'hex') as Hex[]
  for (const { address, slots } of accounts) {
    const account = provenAccount(stateRoot, address, nodes)
    for (const slot of slots) provenSlot(account.storageRoot, slot, nodes)
  }
  return { ...state, accounts, nodes: nodes.used() }
}
