/** `forkroute replay-tx`: what a mined transaction promised, what happened, and which step made the difference. */
import type { Command } from 'commander'
import { ConfigError } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { Movement } from '../domain/trace.js'
import type { Explanation } from '../mined/explain-transaction.js'
import { chainOrEthereum } from './chains.js'
import { type OutputOptions, printJson, printTable, shortHex, withProgress } from './output.js'
import { nodeUrls } from './process.js'
import { localConfig } from './record.js'
import { amountOf, type TokenNamer } from './token-names.js'

interface Options extends OutputOptions {
  readonly chain: number
  readonly rpcUrl?: string
  readonly block?: string
}

function hashOf(text: string): Hex {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase() as Hex
  throw new ForkrouteError('INVALID_REQUEST', 'The hash must be 0x and 64 hexadecimal digits.')
}

function blockOf(text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^\d{1,15}$/.test(text)) return BigInt(text)
  throw new ConfigError(['--block: must be the number of a block.'], 'command line')
}

async function explain(hash: Hex, options: Options): Promise<Explanation> {
  const simulatedAt = blockOf(options.block)
  const config = localConfig()
  const chainId = options.chain
  const [url] = nodeUrls(config, options)
  // Loaded when needed: the other commands start faster without it.
  const { openMined } = await import('../mined/open.js')
  const priorityFeePerGas = config.priorityFeePerGas[chainId]
  const mined = await openMined({
    chainId,
    url,
    verifyHeaderHash: config.checkHeaderHashes,
    ...defined({ priorityFeePerGas }),
  })
  try {
    return await mined.explain(hash, simulatedAt === null ? {} : { simulatedAt })
  } finally {
    await mined.close()
  }
}

/** Names the tokens of the outputs and movements: an order that was mined is explained without a service. */
async function namerFor(found: Explanation, options: Options): Promise<TokenNamer> {
  const config = localConfig()
  const [url] = nodeUrls(config, options)
  const movements = found.steps.flatMap(({ promised, happened }) => [
    ...promised,
    ...(happened ?? []),
  ])
  // Loaded when needed: the other commands start faster without it.
  const { createRpcClient } = await import('../rpc/node/json-rpc.js')
  const { namerAtNode } = await import('./node-names.js')
  const node = createRpcClient(url)
  try {
    return await namerAtNode({
      node,
      chainId: found.chainId,
      tokenLists: config.tokenLists,
      tokens: [...found.outputs, ...movements].map(({ token }) => token),
    })
  } finally {
    await node.close()
  }
}

function print(found: Explanation, nameOf: TokenNamer): void {
  const named = (address: Address) => nameOf({ chainId: found.chainId, address })
  const amountText = (amount: bigint | null, token: Address) =>
    amount === null ? null : amountOf(amount, named(token))
  const list = (movements: readonly Movement[] | null) => {
    if (!movements) return 'failed or not reached'
    const lines = movements.flatMap(({ token, from, to, amount }) => [
      amountText(amount, token),
      `  ${shortHex(from)} > ${shortHex(to)}`,
    ])
    return lines.join('\n')
  }
  printTable(
    [],
    [
      ['transaction', found.hash],
      ['block', `${found.blockNumber}, number ${found.transactionIndex} in it`],
      ['order', `${found.entry}, run by ${found.runner}`],
      ['status', found.reason === null ? found.status : `${found.status}: ${found.reason}`],
      ...(found.failedStep === null ? [] : [['failed step', found.failedStep]]),
      ['promised', `as simulated at the end of block ${found.simulatedAt}`],
      ...(found.simulationFails === null ? [] : [['simulation', found.simulationFails]]),
      ['happened', found.readFrom === 'node' ? 'by the trace of the node' : 'run again on a fork'],
    ],
  )
  printTable(
    ['output', 'at least', 'promised', 'happened'],
    found.outputs.map(({ token, minAmountOut, promised, happened }) => [
      named(token).symbol,
      ...[minAmountOut, promised, happened].map((amount) => amountText(amount, token)),
    ]),
  )
  printTable(
    ['step', 'of', 'promised', 'happened', 'short'],
    found.steps.map(({ step, kind, target, promised, happened, shortfall }) => [
      step,
      `${kind}\n${shortHex(target)}`,
      list(promised),
      list(happened),
      shortfall && `${shortfall.bps} bps`,
    ]),
  )
  if (found.skipped > 0) {
    console.error(`warning: ${found.skipped} earlier transactions of the block were not run`)
  }
  console.log(conclusion(found, nameOf))
}

/** One sentence: who gave too little, where somebody did. */
export function conclusion(
  {
    chainId,
    culprit,
    simulatedAt,
    simulationFails,
  }: Pick<Explanation, 'chainId' | 'culprit' | 'simulatedAt' | 'simulationFails'>,
  nameOf: TokenNamer,
): string {
  if (!culprit && simulationFails === null) {
    return 'Every step that was reached gave what it promised.'
  }
  if (!culprit) {
    return `At the end of block ${simulatedAt} it fails: name the block of its answer with --block.`
  }
  const { step, payer, token, happened, expected, bps, cause } = culprit
  const named = nameOf({ chainId, address: token })
  const short = `gave ${amountOf(happened, named)} where ${amountOf(expected, named)} were due, ${bps} bps less`
  return cause === 'lied'
    ? `Step ${step}: ${payer} lied: it ${short}, and nobody had touched it since the simulation.`
    : `Step ${step}: ${payer} ${short}; other transactions had moved it since the simulation.`
}

export function addReplayTx(program: Command): void {
  program
    .command('replay-tx')
    .description(
      'explain a mined transaction: promised and happened by step, and who gave too little',
    )
    .argument('<hash>', 'of a transaction that carries an order of forkroute')
    .addOption(chainOrEthereum())
    .option('--rpc-url <url>', 'node of the chain; default: the first of RPC_URL_<chain id>')
    .option('--block <number>', 'where the answer was calculated; default: the block before')
    .action(async (text: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const hash = hashOf(text)
      const found = await withProgress('Replaying', () => explain(hash, options))
      if (options.json) printJson(found)
      else print(found, await namerFor(found, options))
    })
}
