/** `forkroute sandbox` as users run it: chains of the sandbox as JSON-RPC nodes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { basePlan } from '../../../src/sandbox/plans/base.js'
import { cliEntry, runCli } from '../../support/cli.js'

async function rpc(url: string, method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body })
  return ((await response.json()) as { result: unknown }).result
}

test('each chain that is named has a node of its own, until Ctrl-C', async () => {
  const args = ['sandbox', '--chains', '8453,42161', '--json']
  const command = spawn(process.execPath, [cliEntry, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void command.kill('SIGKILL'))
  const ended = once(command, 'exit')
  let text = ''
  for await (const part of command.stdout) {
    text += part
    if (text.trimEnd().endsWith(']')) break
  }
  const nodes = JSON.parse(text) as { url: string; chainId: number }[]
  expect(nodes.map(({ chainId }) => chainId)).toEqual([8453, 42161])
  for (const { url, chainId } of nodes) {
    expect(Number(await rpc(url, 'eth_chainId'))).toBe(chainId)
    expect(
      await rpc(url, 'eth_getCode', [basePlan.market.factories['uniswap-v3'], 'latest']),
    ).toMatch(chainId === 8453 ? /^0x6/ : /^0x$/)
  }
  const heads = await Promise.all(
    nodes.map(({ url }) => rpc(url, 'eth_getBlockByNumber', ['latest', false])),
  )
  const times = heads.map((head) => (head as { timestamp: string }).timestamp)
  expect(times[0]).toBe(times[1])
  command.kill('SIGINT')
  expect(await ended).toEqual([0, null])
})

test.each([
  [['--chains', '1,ethereum'], 'must be different chains'],
  [['--chains', 'mars'], 'no chain is called mars; known: 1 (Ethereum), 8453 (Base)'],
  [['--chains', '10'], 'The sandbox has no chain 10, but 1, 42161, 8453'],
])('%j is refused', async (args, message) => {
  const { code, err } = await runCli(['sandbox', ...args])
  expect(code).not.toBe(0)
  expect(err).toContain(message)
})
