/**
 * Every action that the service lists, of every protocol, asked as a bundle and carried out on a separate Anvil.
 * What happened stands in docs/protocols.md, which this test writes with UPDATE_DOCS=1 and compares otherwise.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { contractAddresses } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { askBundle, executeBundle } from '../../support/bundle.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { type ActionCase, actionCases } from '../../support/protocols/action-cases.js'
import { placeForkVenues } from '../../support/protocols/fork-venues.js'
import { startService, type TestService } from '../../support/service/service.js'

const anybody: Address = '0x00000000000000000000000000000000000f0ac7'
const alice = sandboxAccount('alice').address
const manager = contractAddresses.v3PositionManager
const document = new URL('../../../docs/protocols.md', import.meta.url)

interface Standard {
  readonly protocol: { readonly slug: string }
  readonly actions: readonly {
    readonly action: string
    readonly supportedChains: { id: number }[]
  }[]
}

let service: TestService
let node: NodeWriter
let pancakePair: Address

beforeAll(async () => {
  // Without keys: an account's id is random, is part of the calldata, and costs gas by its zero bytes.
  service = await startService({ WORKERS: '2', SERVICE_NAME: 'svc', AUTH_MODE: 'open' })
  node = await new NodeWriter(service.nodeUrl).start()
  const pools = await placeForkVenues(service.nodeUrl)
  pancakePair = pools.find(({ protocol }) => protocol === 'pancakeswap-v2')?.address ?? '0x'
})
afterAll(async () => {
  await node.close()
  await service.stop()
})

/** Alice gets a position NFT on the chain itself; @returns its id and the block after. */
async function mintPosition(): Promise<{ nft: string; blockNumber: string }> {
  const [usdc, weth] = [sandboxToken('USDC').address, sandboxToken('WETH').address]
  const args = {
    primaryAddress: manager,
    tokenIn: [usdc, weth],
    amountIn: ['30000000000', (10n ** 19n).toString()],
    fee: 500,
    tickLower: 100_000,
    tickUpper: 300_000,
  }
  const mint = { protocol: 'uniswap-v3', action: 'deposit', args }
  const query = { fromAddress: alice, executionMode: 'user' }
  const { status, body } = await askBundle(service, query, [mint])
  expect(status, JSON.stringify(body)).toBe(200)
  await node.rpc('anvil_impersonateAccount', [alice])
  const { from, to, data } = body.tx
  await node.rpc('eth_sendTransaction', [{ from, to, data, gas: '0x5b8d80' }])
  await node.rpc('evm_mine', [])
  const held = await node.read(
    manager,
    'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
    [alice, 0n],
  )
  const head = await node.rpc<`0x${string}`>('eth_blockNumber', [])
  return { nft: BigInt(held).toString(), blockNumber: BigInt(head).toString() }
}

async function carryOut(actionCase: ActionCase, blockNumber: string) {
  const { protocol, actions, routingStrategy = 'router', holder } = actionCase
  const name = `${protocol} ${actions.at(-1)?.action}`
  const query = { fromAddress: holder ?? anybody, routingStrategy, blockNumber }
  const { status, body } = await askBundle(service, query, actions)
  expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
  const execution = await executeBundle(service, body, {
    routingStrategy,
    isFunded: holder === undefined,
    ...(holder && {
      async prepare(anvil) {
        await approveInputs(anvil, body.tx, body.amountsIn)
      },
    }),
  })
  expect(execution.status, name).toBe('success')
  expect(execution.gained, name).toEqual(body.amountsOut)
  expect(execution.gasUsed.toString(), name).toBe(body.gas)
  return { name, gas: body.gas as string, block: body.blockNumber as number, routingStrategy }
}

/** What a holder has to allow beforehand, beside what is allowed already. */
async function approveInputs(
  anvil: { rpc<T>(method: string, params: readonly unknown[]): Promise<T> },
  tx: { from: Address; to: Address },
  amountsIn: Readonly<Record<string, string>>,
): Promise<void> {
  await anvil.rpc('anvil_impersonateAccount', [tx.from])
  for (const [token, amount] of Object.entries(amountsIn)) {
    const allowance = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'allowance',
      args: [tx.from, tx.to],
    })
    const call = [{ to: toAddress(token), data: allowance }, 'latest']
    if (BigInt(await anvil.rpc<`0x${string}`>('eth_call', call)) >= BigInt(amount)) continue
    const args = [tx.to, BigInt(amount)] as const
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await anvil.rpc('anvil_setBalance', [tx.from, '0x56bc75e2d63100000'])
    await anvil.rpc('eth_sendTransaction', [
      { from: tx.from, to: toAddress(token), data: approval, gas: '0x30d40' },
    ])
  }
}

test('every listed action is carried out, and the document says so', async () => {
  const listed = (await service.get('/api/v1/standards')).body as readonly Standard[]
  const wanted = listed.flatMap(({ protocol, actions }) =>
    actions
      .filter(({ supportedChains }) => supportedChains.some(({ id }) => id === 1))
      .map(({ action }) => `${protocol.slug} ${action}`),
  )
  const facts = await mintPosition()
  const rows = new Map<string, string>()
  for (const actionCase of actionCases({ anybody, nft: facts.nft, pancakePair })) {
    const { name, gas, block, routingStrategy } = await carryOut(actionCase, facts.blockNumber)
    const [protocol, action] = name.split(' ')
    const before = actionCase.actions.slice(0, -1).map((each) => each.action)
    const kind = before.length ? `after ${before.join(', ')}` : 'alone'
    rows.set(
      name,
      `| ${protocol} | ${action} | 1 | yes, ${kind} | ${routingStrategy} | ${gas} | ${block} |`,
    )
  }
  expect([...rows.keys()].sort()).toEqual([...wanted].sort())
  const table = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const text = `${heading}${table.join('\n')}\n`
  if (process.env.UPDATE_DOCS) await writeFile(document, text)
  expect(await readFile(document, 'utf8')).toBe(text)
})

const heading = `# Protocols and what was carried out

Written by test/e2e/bundles/actions.slow.ts (\`UPDATE_DOCS=1 npx vitest run test/e2e/bundles/actions.slow.ts\`), which fails when this table
is not what it finds: every action that /api/v1/standards lists for the chain is asked as a bundle on the sandbox chain, and
the returned transaction is sent on a separate Anvil, where amounts and gas have to be those of the answer. Gas is that of the
whole transaction, with the actions before it, asked without an API key. Chain 1 is the sandbox's, with the exchanges of PancakeSwap and SushiSwap V3
placed beside its own; other chains have no contracts here.

| protocol | action | chain | executed | strategy | gas | block |
| --- | --- | --- | --- | --- | --- | --- |
`
