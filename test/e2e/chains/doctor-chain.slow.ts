/** `doctor --chain`: on the sandbox, on nodes that say of three addresses what is not so, and on one of another chain. */
import { encodeAbiParameters, padHex, parseAbiParameters } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { loadTokenLists } from '../../../src/catalog/token-lists.js'
import { chainById } from '../../../src/chains/registry.js'
import { type Finding, probesOf } from '../../../src/doctor/chain-places.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { startSandboxes } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../../support/anvil.js'
import { temporaryFolder } from '../../support/backtest/ether-plan.js'
import { runCli } from '../../support/cli.js'
import { type NodeCall, startFaultyNode } from '../../support/nodes/rpc-node.js'

const word = (hex: Hex) => padHex(hex, { size: 32 })
const text = (value: string) => encodeAbiParameters(parseAbiParameters('string'), [value])
const known = {
  address: word('0x000000000000000000000000000000000000abcd'),
  positive: word('0x01'),
  number: word('0x06'),
  text: text('ETH / USD'),
}

interface Report {
  readonly chainId: number
  readonly addresses: number
  readonly findings: readonly Finding[]
}

async function doctor(chainId: number, url: string) {
  const env = { DATA_DIR: await temporaryFolder(), [`RPC_URL_${chainId}`]: url }
  const { code, out } = await runCli(['doctor', '--chain', String(chainId), '--json'], env)
  return { code, report: JSON.parse(out) as Report, env }
}

/** As a node of the chain where everything is in place, but for what `wrong` answers. */
async function scriptedNode(chainId: number, wrong: (call: NodeCall, to: string) => unknown) {
  const chain = chainById(chainId)
  if (!chain) throw new Error(`no chain ${chainId}`)
  const probes = probesOf(chain, await loadTokenLists([]))
  const isAnyOf = ({ expected }: (typeof probes)[number]) => Object.hasOwn(known, String(expected))
  // One call may be asked for any number by one protocol, and for a certain one by another.
  const inOrder = [...probes.filter(isAnyOf), ...probes.filter((probe) => !isAnyOf(probe))]
  const answers = new Map(
    inOrder.map(({ to, data, expected }) => [
      `${to} ${data}`,
      known[expected as keyof typeof known] ?? expected,
    ]),
  )
  const anvil = await startAnvil(['--chain-id', String(chainId)])
  const node = await startFaultyNode(anvil.url, {
    behave: () => ({
      edit: (call, reply) => {
        const [first] = call.params as [string | { to: string; data: string }]
        if (call.method !== 'eth_getCode' && call.method !== 'eth_call') return reply
        const to = typeof first === 'string' ? first : first.to
        const scripted = wrong(call, to)
        const { jsonrpc, id } = reply
        if (scripted instanceof Error) {
          const code = scripted.message.includes('revert') ? 3 : -32_005
          return { jsonrpc, id, error: { code, message: scripted.message } }
        }
        const asked = typeof first === 'string' ? '0x60' : answers.get(`${to} ${first.data}`)
        return { jsonrpc, id, result: scripted ?? asked }
      },
    }),
  })
  onTestFinished(async () => {
    await node.close()
    await anvil.stop()
  })
  return { chain, url: node.url }
}

test('on the sandbox what it has answers as it should, and what it lacks is absent', async () => {
  const sandboxes = await startSandboxes([1, 42_161, 8453])
  onTestFinished(async () => {
    await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
  })
  for (const { chainId, url } of sandboxes) {
    const { code, report } = await doctor(chainId, url)
    const states = (state: Finding['state']) => report.findings.filter((one) => one.state === state)
    expect(states('wrong')).toEqual([])
    expect(states('unread')).toEqual([])
    expect(states('ok').length).toBeGreaterThan(20)
    expect(states('ok')).toContainEqual(
      expect.objectContaining({
        check: 'factory of Uniswap V3, feeAmountTickSpacing(500)',
        found: '10',
      }),
    )
    // Forks of Uniswap's are not in the sandbox.
    const absent = states('absent').map(({ check }) => check)
    expect(absent).toContain('factory of PancakeSwap V2, allPairsLength()')
    expect(code).toBe(1)
  }
})

test('all addresses in place: one sentence, and no failure', async () => {
  const { url } = await scriptedNode(10, () => undefined)
  const { code, report, env } = await doctor(10, url)
  expect(code).toBe(0)
  expect(report).toMatchObject({ chainId: 10 })
  expect(report.addresses).toBeGreaterThan(40)
  const { code: ofTable, out } = await runCli(['doctor', '--chain', '10'], env)
  expect(ofTable).toBe(0)
  expect(out).toBe(
    `All ${report.addresses} addresses of chain 10 (OP Mainnet) are what they are taken for: ${report.findings.length} calls.\n`,
  )
})

test('no code, another contract, other decimals and another feed are each named, and nothing else is', async () => {
  const usdt = '0x55d398326f99059ff775485246999027b3197955'
  const bnbFeed = '0x0567f2323251f0aab15c8dfb1967e4e8a7d42aee'
  const vault = '0xba12222222228d8ba445958a75a0704d566bf2c8'
  const pool = '0x6807dc923806fe8fd134338eabca509979a7e0cb'
  const factory = '0xca143ce32fe78f1f7019d7d551a6402fc5350c73'
  const { chain, url } = await scriptedNode(56, ({ method, params }, to) => {
    if (method === 'eth_getCode') return to === factory ? '0x' : undefined
    const { data } = params[0] as { data: string }
    if (to === usdt && data === '0x313ce567') return word('0x06')
    if (to === vault) return word(usdt)
    if (to === pool) return new Error('execution reverted')
    if (to === bnbFeed && data === '0x7284e416') return text('BNB / ETH')
    return undefined
  })
  const { code, report, env } = await doctor(56, url)
  expect(code).toBe(1)
  expect(report.findings.filter(({ state }) => state !== 'ok')).toEqual([
    {
      check: 'token USDT, decimals()',
      address: usdt,
      state: 'wrong',
      found: 'answers 6 in place of 18',
    },
    {
      check: 'Chainlink feed of WBNB, description()',
      address: bnbFeed,
      state: 'wrong',
      found: 'answers "BNB / ETH" in place of a price in USD',
    },
    {
      check: 'factory of PancakeSwap V2, allPairsLength()',
      address: factory,
      state: 'absent',
      found: 'no code',
    },
    {
      check: 'Vault of Balancer V2, WETH()',
      address: vault,
      state: 'wrong',
      found: `answers ${usdt} in place of ${chain.wrappedNative}`,
    },
    {
      check: 'Pool of Aave V3, ADDRESSES_PROVIDER()',
      address: pool,
      state: 'wrong',
      found: 'reverts: it is another contract',
    },
  ])
  const { out } = await runCli(['doctor', '--chain', '56'], env)
  for (const address of [usdt, bnbFeed, factory, vault, pool]) expect(out).toContain(address)
  expect(out).toContain(`5 of ${report.addresses} addresses of chain 56 (BNB Smart Chain)`)
  expect(out.match(/\bwrong\b/g)).toHaveLength(4)
  expect(out.match(/\babsent\b/g)).toHaveLength(1)
})

test('a node that refuses calls is not said to have other contracts', async () => {
  const { url } = await scriptedNode(130, ({ method }) =>
    method === 'eth_call' ? new Error('daily request count exceeded') : undefined,
  )
  const { code, report } = await doctor(130, url)
  expect(code).toBe(1)
  expect(new Set(report.findings.map(({ state }) => state))).toEqual(new Set(['unread']))
  expect(report.findings[0]?.found).toBe('the node does not say: daily request count exceeded')
})

test('a node of another chain, none, and a chain that nobody knows are refused in a sentence', async () => {
  const anvil = await startAnvil(['--chain-id', '137'])
  onTestFinished(() => anvil.stop())
  const { url } = anvil
  const ask = async (chain: string, env: Record<string, string>) => {
    const { code, out, err } = await runCli(['doctor', '--chain', chain], env)
    expect([code, out]).toEqual([1, ''])
    return err
  }
  expect(await ask('10', { RPC_URL_10: url })).toContain(
    'The node 1 of RPC_URL_10 is of chain 137, not of 10 (OP Mainnet).',
  )
  expect(await ask('10', { RPC_URL_137: url })).toContain(
    'RPC_URL_10 is not set: it names the node of OP Mainnet to ask.',
  )
  expect(await ask('5', {})).toContain('--chain: 5 is not known here; 1 (Ethereum), 8453 (Base)')
})
