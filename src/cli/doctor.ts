/** `forkroute doctor`: whether this machine and the configured nodes are fit for the service. */
import type { Command } from 'commander'
import { loadTokenLists } from '../catalog/token-lists.js'
import type { ChainDefinition } from '../chains/chain.js'
import { ConfigError, loadConfig } from '../config/config.js'
import { examinePlaces, type Finding } from '../doctor/chain-places.js'
import { examine } from '../doctor/machine-checks.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { chainOption, chainText, knownChain } from './chains.js'
import { type OutputOptions, printJson, printTable, withProgress } from './output.js'

interface ChainReport {
  readonly chainId: number
  readonly name: string
  /** How many addresses of the chain's definition were examined. */
  readonly addresses: number
  readonly findings: readonly Finding[]
}

/**
 * @throws ConfigError for a chain that is not known or has no node; Error where a node is of another chain, or gives no
 * answer.
 */
async function examineChain(id: number): Promise<ChainReport> {
  const chain = knownChain(id)
  const { rpcUrls, tokenLists } = loadConfig(process.env)
  const [first, ...others] = rpcUrls[chain.id] ?? []
  if (first === undefined) {
    const problem = `RPC_URL_${chain.id} is not set: it names the node of ${chain.name} to ask.`
    throw new ConfigError([problem])
  }
  const client = createRpcClient(first)
  try {
    for (const [index, url] of [first, ...others].entries()) await checkChainId(chain, url, index)
    const findings = await examinePlaces(chain, client, await loadTokenLists(tokenLists))
    const addresses = new Set(findings.map(({ address }) => address)).size
    return { chainId: chain.id, name: chain.name, addresses, findings }
  } finally {
    await client.close()
  }
}

async function checkChainId(chain: ChainDefinition, url: string, index: number): Promise<void> {
  const client = createRpcClient(url)
  try {
    const id = Number(await client.request<string>('eth_chainId', []))
    if (id === chain.id) return
    const which = `node ${index + 1} of RPC_URL_${chain.id}`
    throw new Error(`The ${which} is of chain ${id}, not of ${chain.id} (${chain.name}).`)
  } finally {
    await client.close()
  }
}

function printReport({ chainId, addresses, findings }: ChainReport): void {
  const problems = findings.filter(({ state }) => state !== 'ok')
  if (problems.length > 0) {
    printTable(
      ['', 'check', 'address', 'found'],
      problems.map(({ state, check, address, found }) => [state, check, address, found]),
    )
  }
  const wrong = new Set(problems.map(({ address }) => address)).size
  const place = chainText(chainId)
  console.log(
    wrong === 0
      ? `All ${addresses} addresses of ${place} are what they are taken for: ${findings.length} calls.`
      : `${wrong} of ${addresses} addresses of ${place} are not what they are taken for.`,
  )
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check Node.js, Anvil, the configuration, the nodes, and our contracts and bridges on each chain',
    )
    .addOption(chainOption('ask the node of a chain about every address that the chain’s file has'))
    .action(async ({ chain }: { chain?: number }, command: Command) => {
      const { json } = command.optsWithGlobals<OutputOptions>()
      if (chain !== undefined) {
        const report = await withProgress('Asking the node', () => examineChain(chain))
        if (json) printJson(report)
        else printReport(report)
        if (report.findings.some(({ state }) => state !== 'ok')) process.exitCode = 1
        return
      }
      const checks = await withProgress('Checking', () => examine(() => loadConfig(process.env)))
      if (json) printJson(checks)
      else {
        printTable(
          ['', 'check', 'found'],
          checks.map(({ ok, check, found }) => [ok ? 'ok' : 'FAIL', check, found]),
        )
      }
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1
    })
}
