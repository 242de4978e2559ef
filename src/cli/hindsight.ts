/** `forkroute hindsight`: what mined swaps gave, and what our own transaction gives in their place. */
import type { Command } from 'commander'
import type { AnswerOf } from '../client/calls.js'
import type { ForkrouteClient } from '../client/client.js'
import { UnexpectedAnswerError } from '../client/errors.js'
import { ConfigError } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { hindsightLimits } from '../domain/hindsight.js'
import { bigintToString } from '../domain/primitives.js'
import { conclude, follow, type JobOptions } from './backtest.js'
import { hindsightFormats, parseFormats } from './backtest-outcome.js'
import { chainOrEthereum } from './chains.js'
import { withApi } from './client.js'
import { printJson, printTable, shortHex, withProgress } from './output.js'
import { amountOf, type TokenNamer, tokenNamer } from './token-names.js'

interface Options extends JobOptions {
  readonly chain: number
  readonly blocks?: string
  readonly since?: string
}

type Found = AnswerOf<'postHindsight'>['transactions'][number]
type Own = NonNullable<Found['atItsPlace']>

/** Each block is a request of its own, so that the first are printed while the others are asked for. */
const mostBlocks = 10_000

/** @throws ConfigError: it is no range. */
export function blocksOf(text: string): { readonly from: number; readonly to: number } {
  const [, first = '', last = first] = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/.exec(text) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first !== '' && to >= from && to - from < mostBlocks) return { from, to }
  const problem = `--blocks: must be a range of at most ${mostBlocks} blocks, such as 21000000..21000010.`
  throw new ConfigError([problem], 'command line')
}

/** @throws ConfigError: it is no number of blocks. */
export function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const since = Number(text)
  if (/^\d{1,5}$/.test(text) && since >= 1 && since <= hindsightLimits.since) return since
  const problem = `--since: must be an integer from 1 to ${hindsightLimits.since}.`
  throw new ConfigError([problem], 'command line')
}

async function explainOne(
  client: ForkrouteClient,
  hash: string,
  { chain: chainId, since, json }: Options,
): Promise<void> {
  const input = { chainId, hash, ...defined({ since: sinceOf(since) }) }
  const answer = await withProgress('Running the block again', () => client.hindsight(input))
  if (json) {
    printJson(answer)
    return
  }
  for (const found of answer.transactions) {
    printTable([], factsOf(found, await namerOf(client, [found])))
  }
}

async function explainBlocks(
  client: ForkrouteClient,
  text: string,
  { chain: chainId, since, json }: Options,
): Promise<void> {
  const { from, to } = blocksOf(text)
  for (let block = from; block <= to; block++) {
    const input = { chainId, fromBlock: block, ...defined({ since: sinceOf(since) }) }
    const answer = await withProgress(`Block ${block}`, () => client.hindsight(input))
    for (const warning of answer.warnings ?? []) console.error(`warning: ${warning}`)
    if (json) {
      for (const one of answer.transactions) console.log(JSON.stringify(one, bigintToString))
      continue
    }
    if (since !== undefined) printReverts(answer.transactions)
    const swaps = answer.transactions.filter(({ swap }) => swap)
    if (swaps.length === 0) {
      console.error(`Block ${block}: no swap in ${answer.transactions.length} transactions.`)
      continue
    }
    const nameOf = await namerOf(client, swaps)
    printTable(
      ['block', 'transaction', 'gave', 'got', 'through', 'ours', 'after gas', 'sandwich'],
      swaps.map((one) => rowOf(one, nameOf)),
    )
  }
}

/** Of those that reverted, which no table of swaps has. */
function printReverts(transactions: readonly Found[]): void {
  for (const { blockNumber, hash, status, reason, revertsSince } of transactions) {
    if (status !== 'reverted') continue
    const since =
      revertsSince === null ? 'not at the ends of the blocks before' : `since block ${revertsSince}`
    console.error(`Block ${blockNumber}: ${hash} reverted, ${since}: ${reason ?? 'no reason'}`)
  }
}

/** In the background, as a backtest: its results are written once it is done. */
async function explainAsJob(
  client: ForkrouteClient,
  text: string,
  options: Options,
): Promise<void> {
  const { from: fromBlock, to: toBlock } = blocksOf(text)
  const { chain: chainId, since, json } = options
  const { job } = await client.hindsight({
    chainId,
    fromBlock,
    toBlock,
    job: true,
    ...defined({ since: sinceOf(since) }),
  })
  if (!job) throw new UnexpectedAnswerError(200, 'An answer without the job that was asked for.')
  if (!json) console.error(`hindsight ${job.id}: ${job.blocksTotal} blocks`)
  await conclude(client, await follow(client, job), options)
}

function namerOf(client: ForkrouteClient, found: readonly Found[]): Promise<TokenNamer> {
  const places = found.flatMap(({ chainId, swap }) =>
    swap ? [swap.tokenIn, swap.tokenOut].map((address) => ({ chainId, address })) : [],
  )
  return tokenNamer(client, places, { withPositions: true })
}

/** Texts of a swap; of a transaction that is none, why. */
function textsOf({ chainId, swap, noSwap, sandwich }: Found, nameOf: TokenNamer) {
  const text = (amount: bigint, address: string) => amountOf(amount, nameOf({ chainId, address }))
  const ownText = (own: Own | null) => {
    if (!own || !swap) return null
    if (own.amountOut === undefined) return own.error?.code ?? null
    return text(own.amountOut, swap.tokenOut)
  }
  return {
    ownText,
    gave: swap ? text(swap.amountIn, swap.tokenIn) : `no swap: ${noSwap}`,
    got: swap && text(swap.amountOut, swap.tokenOut),
    loss:
      sandwich &&
      swap &&
      (sandwich.loss === null ? 'yes' : text(BigInt(sandwich.loss), swap.tokenOut)),
  }
}

function rowOf(found: Found, nameOf: TokenNamer) {
  const { gave, got, loss, ownText } = textsOf(found, nameOf)
  const { blockNumber, hash, through, atItsPlace } = found
  return [
    blockNumber,
    shortHex(hash),
    gave,
    got,
    venuesOf(through),
    ownText(atItsPlace),
    resultText(atItsPlace),
    loss && `lost ${loss}`,
  ]
}

function venuesOf(
  pools: readonly { readonly protocol: string | null; readonly address: string }[],
) {
  const names = pools.map(({ protocol, address }) => protocol ?? shortHex(address))
  return [...new Set(names)].join(', ') || null
}

function resultText(own: Own | null): string | null {
  if (!own?.result) return null
  return `${own.result}${own.result === 'tied' ? '' : ` by ${Math.abs(own.netBps ?? 0)} bps`}`
}

function factsOf(found: Found, nameOf: TokenNamer) {
  const { gave, got, loss, ownText } = textsOf(found, nameOf)
  const { blockNumber, before, atItsPlace, sandwich, reason, revertsSince } = found
  const sides = (own: Own | null) =>
    own &&
    [ownText(own), own.route && venuesOf(legsOf(own)), resultText(own)].filter(Boolean).join('\n')
  return [
    ['transaction', found.hash],
    ['block', `${blockNumber}, number ${found.transactionIndex} in it`],
    ['status', reason === null ? found.status : `${found.status}: ${reason}`],
    ...(revertsSince === null ? [] : [['reverts since', `the end of block ${revertsSince}`]]),
    ['gave', gave],
    ...(got === null ? [] : [['got', got]]),
    ['through', venuesOf(found.through)],
    ['gas', String(found.gasUsed)],
    ...(before ? [[`ours at the end of ${blockNumber - 1}`, sides(before)]] : []),
    ...(atItsPlace ? [['ours at its place', sides(atItsPlace)]] : []),
    ...(sandwich ? [['sandwiched by', `${sandwich.attacker}\nlost ${loss}`]] : []),
  ]
}

function legsOf({ route = [] }: Own) {
  return route.map(({ protocol, pool }) => ({ protocol, address: pool }))
}

export function addHindsight(program: Command): void {
  program
    .command('hindsight')
    .description('what mined swaps gave, and what our own transaction gives in their place')
    .argument('[hash]', 'of a mined transaction, of anybody')
    .addOption(chainOrEthereum())
    .option('--blocks <range>', 'in place of a hash: all transactions of these blocks, as from..to')
    .option(
      '--since <blocks>',
      'for one that reverted: look so many blocks back for the first revert',
    )
    .option('--out <folder>', 'of blocks: work on them as a job, and write its results there')
    .option(
      '--format <list>',
      `of the results: ${hindsightFormats.join(', ')}`,
      hindsightFormats.join(','),
    )
    .action(async (hash: string | undefined, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { blocks, out } = options
      parseFormats(options.format, hindsightFormats)
      if (hash !== undefined && out !== undefined) {
        throw new ConfigError(['--out is for a range: give --blocks.'], 'command line')
      }
      if ((hash === undefined) === (blocks === undefined)) {
        throw new ConfigError(['Give a hash, or a range with --blocks.'], 'command line')
      }
      if (blocks !== undefined) blocksOf(blocks)
      sinceOf(options.since)
      await withApi(options, (client) => {
        if (blocks === undefined) return explainOne(client, hash ?? '', options)
        const explain = out === undefined ? explainBlocks : explainAsJob
        return explain(client, blocks, options)
      })
    })
}
