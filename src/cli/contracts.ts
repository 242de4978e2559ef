/** `forkroute contracts`: prints the addresses of the contracts, and deploys them. */
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { chains } from '../chains/registry.js'
import { ConfigError } from '../config/config.js'
import { landingsOf, titleOf } from '../doctor/own-contracts.js'
import { defined } from '../domain/defined.js'
import type { Hex } from '../domain/primitives.js'
import { type DeploymentPlan, deployContracts, planDeployment } from '../executor/deploy.js'
import {
  executorContracts,
  type StandaloneContractName,
  standaloneContracts,
} from '../executor/deployments.js'
import { type OutputOptions, printJson, printTable, withProgress } from './output.js'

interface Options extends OutputOptions {
  readonly rpcUrl?: string
  readonly privateKey?: string
  readonly yes?: boolean
  readonly orders?: boolean
}

/** Order of secp256k1; private keys are below it. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function privateKeyOf(options: Options): Hex {
  const key = options.privateKey ?? process.env.PRIVATE_KEY ?? ''
  // Checked here, because the signing library repeats a key that is out of range in its error.
  if (/^0x[0-9a-fA-F]{64}$/.test(key) && BigInt(key) > 0n && BigInt(key) < curveOrder) {
    return key as Hex
  }
  throw new ConfigError(
    [
      '--private-key (or the variable PRIVATE_KEY): must be 0x and 64 hexadecimal digits, a secp256k1 key.',
    ],
    'command line',
  )
}

function rpcUrlOf(options: Options): string {
  const url = options.rpcUrl ?? process.env.RPC_URL ?? ''
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new ConfigError(
    ['--rpc-url (or the variable RPC_URL): must be an http(s) URL.'],
    'command line',
  )
}

/** Addresses without looking at a chain: those that are the same on every one, and each chain's landings. */
function known(extras: readonly StandaloneContractName[]) {
  const everywhere = [
    ...Object.entries(executorContracts),
    ...extras.map((name) => [name, standaloneContracts[name]] as const),
  ].map(([name, { address }]) => ({ name, address }))
  const landings = chains.flatMap(({ id }) =>
    landingsOf(id).map(({ name, address, pool }) => {
      return { name, address, chainId: id, ...defined({ pool }) }
    }),
  )
  return [...everywhere, ...landings]
}

async function confirm(plan: DeploymentPlan): Promise<boolean> {
  const absent = plan.contracts.filter(({ state }) => state === 'absent').map(titleOf)
  if (!stdin.isTTY) {
    throw new ConfigError(['--yes: is needed where nobody can be asked.'], 'command line')
  }
  const terminal = createInterface({ input: stdin, output: stdout })
  const question = `Deploy ${absent.join(', ')} on chain ${plan.chainId}? [y/N] `
  const answer = await terminal.question(question)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

const ordersHelp = 'with OrderSettlement, which signed orders need'

function extrasOf({ orders }: Options): readonly StandaloneContractName[] {
  return orders ? ['OrderSettlement'] : []
}

export function addContracts(program: Command): void {
  const group = program.command('contracts').description('the executor contracts (unaudited)')

  group
    .command('list')
    .description('print the addresses, the same on every chain, and those of landings')
    .option('--rpc-url <url>', 'also look whether they are there')
    .option('--orders', ordersHelp)
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const plan = options.rpcUrl
        ? await planDeployment(rpcUrlOf(options), landingsOf, extrasOf(options))
        : null
      const contracts = plan?.contracts ?? known(extrasOf(options))
      if (options.json) printJson(plan ?? contracts)
      else {
        printTable(
          ['contract', 'address', ...(plan ? [`chain ${plan.chainId}`] : [])],
          contracts.map((one) => [
            titleOf(one),
            one.address,
            ...('state' in one ? [String(one.state)] : []),
          ]),
        )
      }
    })

  group
    .command('deploy')
    .description('put the contracts on a chain; safe to repeat')
    .option('--rpc-url <url>', 'node of the chain; or the variable RPC_URL')
    .option('--private-key <key>', 'pays; safer in the variable PRIVATE_KEY')
    .option('--orders', ordersHelp)
    .option('--yes', 'do not ask')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const args = {
        rpcUrl: rpcUrlOf(options),
        privateKey: privateKeyOf(options),
        landingsOf,
        extras: extrasOf(options),
      }
      const result = options.yes
        ? await withProgress('Deploying', () => deployContracts({ ...args, confirm: () => true }))
        : await deployContracts({ ...args, confirm })
      if (options.json) {
        printJson(result)
        return
      }
      printTable(
        ['contract', 'address', 'state', 'transaction', 'gas'],
        result.contracts.map((one) => [
          titleOf(one),
          one.address,
          one.state,
          one.transactionHash,
          one.gasUsed?.toString(),
        ]),
      )
    })
}
