/** `doctor` and `contracts deploy` on chains of the sandbox, and on one where contracts are missing or others. */
import { concatHex, padHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { stargatePools } from '../../../src/bridges/stargate/pools.js'
import { chainById } from '../../../src/chains/registry.js'
import { composeLanding, contractAddress } from '../../../src/executor/deployments.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../../support/anvil.js'
import { temporaryFolder } from '../../support/backtest/ether-plan.js'
import { runCli } from '../../support/cli.js'

interface Check {
  readonly check: string
  readonly ok: boolean
  readonly found: string
}

const base = chainById(8453)
const spokePool = String(base?.bridges?.across?.spokePool)
const tokenMessaging = String(base?.bridges?.stargate?.tokenMessaging)
/** Of the development mnemonic that every Anvil has. */
const payer = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

let sandboxes: Sandbox[]
const nodeOf = (chainId: number) => sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
beforeAll(async () => {
  sandboxes = await startSandboxes([1, 42_161, 8453])
})
afterAll(() => Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop())))

async function doctor(nodes: Readonly<Record<number, string>>) {
  const urls = Object.entries(nodes).map(([chainId, url]) => [`RPC_URL_${chainId}`, url])
  const env = { DATA_DIR: await temporaryFolder(), ...Object.fromEntries(urls) }
  const { code, out } = await runCli(['doctor', '--json'], env)
  const checks = JSON.parse(out) as Check[]
  const of = (name: string) => {
    const found = checks.find(({ check }) => check === name)
    if (!found) throw new Error(`no check of ${name} among ${checks.map(({ check }) => check)}`)
    return found
  }
  return { code, of }
}

async function brokenBase() {
  const node = await startAnvil([
    ...['--fork-url', nodeOf(8453), '--chain-id', '8453', '--no-storage-caching'],
    ...['--code-size-limit', '40000'],
  ])
  onTestFinished(() => node.stop())
  return node
}

test('on the sandbox all contracts and bridges of three chains are as they should be', async () => {
  const ids = [1, 42_161, 8453]
  const { code, of } = await doctor(Object.fromEntries(ids.map((id) => [id, nodeOf(id)])))
  for (const id of ids) {
    expect(of(`contracts on chain ${id}`)).toMatchObject({ ok: true })
    expect(of(`contracts on chain ${id}`).found).toMatch(/^all \d+ present/)
    expect(of(`bridges on chain ${id}`)).toMatchObject({ ok: true })
    expect(of(`bridges on chain ${id}`).found).toMatch(/^\d+ contracts are there, and answer/)
  }
  expect(code).toBe(0)
})

test('a bridge without code, and one that is another contract, fail by their names', async () => {
  const node = await brokenBase()
  await node.rpc('anvil_setCode', [spokePool, '0x'])
  // Answers every call with the word 1.
  const one = concatHex(['0x7f', padHex('0x01', { size: 32 }), '0x60005260206000f3'])
  await node.rpc('anvil_setCode', [tokenMessaging, one])
  const { code, of } = await doctor({ 8453: node.url })
  expect(code).toBe(1)
  const { ok, found } = of('bridges on chain 8453')
  expect(ok).toBe(false)
  expect(found).toContain(`Across SpokePool, wrappedNativeToken(): no code at ${spokePool}`)
  expect(found).toContain(`Stargate TokenMessaging, endpoint(): ${tokenMessaging} answers 0x000`)
  expect(found).not.toContain('EndpointV2')
  expect(of('contracts on chain 8453')).toMatchObject({ ok: true })
})

test('a chain at a block before all bridges has no lanes, and that is no fault', async () => {
  const node = await startAnvil(['--chain-id', '8453'])
  onTestFinished(() => node.stop())
  const { code, of } = await doctor({ 8453: node.url })
  expect(code).toBe(0)
  expect(of('bridges on chain 8453').found).toMatch(/^none of \d+ contracts has code/)
})

test('contracts that are absent are named with what puts them there, and others fail', async () => {
  const node = await brokenBase()
  if (!base) throw new Error('no Base')
  const caller = contractAddress('Caller')
  const [landing] = stargatePools(base).map(composeLanding)
  for (const address of [caller, landing?.address]) {
    await node.rpc('anvil_setCode', [address, '0x'])
    await node.rpc('anvil_setNonce', [address, '0x0'])
  }
  const before = await doctor({ 8453: node.url })
  expect(before.of('contracts on chain 8453').ok).toBe(true)
  const { found } = before.of('contracts on chain 8453')
  expect(found).toContain('absent: Caller')
  expect(found).toContain(`ComposeLanding of ${landing?.pool}`)
  expect(found).toContain('contracts deploy')
  const deployed = await runCli(['contracts', 'deploy', '--yes', '--rpc-url', node.url], {
    PRIVATE_KEY: payer,
  })
  expect(deployed.code, deployed.err).toBe(0)
  const after = await doctor({ 8453: node.url })
  expect(after.of('contracts on chain 8453').found).toMatch(/^all \d+ present/)

  await node.rpc('anvil_setCode', [caller, '0x6001'])
  const other = await doctor({ 8453: node.url })
  expect(other.code).toBe(1)
  expect(other.of('contracts on chain 8453')).toMatchObject({ ok: false })
  expect(other.of('contracts on chain 8453').found).toContain(`Caller at ${caller}`)
})
