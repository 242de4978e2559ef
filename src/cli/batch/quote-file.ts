/** `forkroute quote --file`: every trade of a file at one block, or each at its own, in calls of many. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUnits } from 'viem'
import type { ForkrouteClient, Quote, QuoteBatch } from '../../client/client.js'
import { ConnectionError, ForkrouteApiError, UnexpectedAnswerError } from '../../client/errors.js'
import { ConfigError } from '../../config/config.js'
import { defined } from '../../domain/defined.js'
import { type ConnectionOptions, resolveBlock, toStrategy, withApi } from '../client.js'
import {
  type OutputOptions,
  parseRaw,
  parseUnits,
  printJson,
  printTable,
  type Report,
  shortHex,
  withProgress,
} from '../output.js'
import { type NamedToken, resolveToken } from '../token-names.js'
import { formatOf, type TradeOutcome, writeOutcomes } from './outcome-file.js'
import { readTrades, type TradeRow } from './trades-file.js'

/** Quotes of one call; fewer where the service refuses so many a minute. */
const quotesPerCall = 50
/** Refusals in a row after which a call is given up, and the longest wait for the next, seconds. */
const mostRefusals = 10
const longestWait = 60

export interface FileOptions extends ConnectionOptions, OutputOptions {
  readonly file: string
  readonly chain: number
  readonly from?: string
  readonly block?: string
  readonly strategy?: string
  readonly raw?: boolean
  readonly out?: readonly string[]
}

type Item = QuoteBatch['quotes'][number]

/** A trade whose words have been looked up. */
interface Trade {
  readonly row: TradeRow
  readonly tokenIn: NamedToken
  readonly tokenOut: NamedToken
  readonly amountIn: bigint
  /** Undefined: the block of all trades that name none. */
  readonly block: number | undefined
}

export async function quoteFile(options: FileOptions): Promise<void> {
  const files = options.out ?? []
  for (const file of files) formatOf(file)
  // Before a service is started for it, which takes long.
  const rows = await readTrades(options.file)
  await withApi(options, async (client) => {
    const outcomes = await withProgress('Quoting', (report) =>
      quoteAll(client, options, rows, report),
    )
    for (const file of files) await writeOutcomes(file, outcomes)
    if (options.json) printJson(outcomes)
    else if (!files.length) print(outcomes)
    for (const file of files) console.error(file)
    const failed = outcomes.filter(({ error }) => error !== null).length
    const done = `${outcomes.length - failed} of ${outcomes.length} trades are quoted`
    console.error(failed ? `${done}; ${failed} failed: see error and message.` : `${done}.`)
    if (failed) process.exitCode = 1
  })
}

async function quoteAll(
  client: ForkrouteClient,
  options: FileOptions,
  rows: readonly TradeRow[],
  report: Report,
): Promise<TradeOutcome[]> {
  const outcomes = new Map<TradeRow, TradeOutcome>()
  const trades: Trade[] = []
  const look = lookUp(client, options)
  for (const row of rows) {
    try {
      trades.push(await look(row))
    } catch (error) {
      outcomes.set(row, failed(row, null, reasonOf(error)))
    }
  }
  const groups = new Map<number | undefined, Trade[]>()
  for (const trade of trades) {
    const group = groups.get(trade.block)
    if (group) group.push(trade)
    else groups.set(trade.block, [trade])
  }
  let size = quotesPerCall
  for (const [named, group] of groups) {
    let block = named
    for (let next = 0; next < group.length; ) {
      const part = group.slice(next, next + size)
      const answer = await ask(client, options, block, part)
      if (answer === 'fewer') {
        size = Math.max(1, Math.floor(size / 2))
        continue
      }
      if (answer instanceof ForkrouteApiError) {
        for (const trade of part)
          outcomes.set(trade.row, failed(trade.row, trade, reasonOf(answer)))
      } else {
        // All trades without a block are quoted at the one of the first call.
        block ??= answer.blockNumber
        for (const [index, trade] of part.entries()) {
          outcomes.set(trade.row, outcomeOf(trade, answer.quotes[index], answer.blockNumber))
        }
      }
      next += part.length
      report(`${outcomes.size} of ${rows.length}`, outcomes.size / rows.length)
    }
  }
  return rows.flatMap((row) => outcomes.get(row) ?? [])
}

/** Finds tokens and blocks once for each name. */
function lookUp(client: ForkrouteClient, options: FileOptions): (row: TradeRow) => Promise<Trade> {
  const chainId = options.chain
  const tokens = new Map<string, Promise<NamedToken>>()
  const blocks = new Map<string, Promise<number | undefined>>()
  const token = (text: string) => once(tokens, text, () => resolveToken(client, chainId, text))
  const blockOf = (text: string | undefined) =>
    text === undefined ? undefined : once(blocks, text, () => resolveBlock(client, chainId, text))
  return async (row) => {
    const [tokenIn, tokenOut] = [await token(row.tokenIn), await token(row.tokenOut)]
    const block = await blockOf(row.block ?? options.block)
    if (options.raw) return { row, tokenIn, tokenOut, block, amountIn: parseRaw(row.amount) }
    if (tokenIn.decimals === null) {
      throw new Error(`The decimals of ${row.tokenIn} are not known: give raw units and --raw.`)
    }
    const amountIn = parseUnits(row.amount, tokenIn.decimals)
    return { row, tokenIn, tokenOut, block, amountIn }
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? find()
  known.set(key, found)
  return found
}

/** `fewer`: so many are refused at once, and have been waited for. @throws what concerns every call. */
async function ask(
  client: ForkrouteClient,
  options: FileOptions,
  blockNumber: number | undefined,
  trades: readonly Trade[],
): Promise<QuoteBatch | ForkrouteApiError | 'fewer'> {
  const body = {
    chainId: options.chain,
    ...defined({ blockNumber }),
    quotes: trades.map(({ row, tokenIn, tokenOut, amountIn }) => ({
      tokenIn: [tokenIn.address],
      tokenOut: [tokenOut.address],
      amountIn: [amountIn],
      ...defined({
        fromAddress: row.from ?? options.from,
        routingStrategy: toStrategy(row.strategy ?? options.strategy),
      }),
      ...(row.fee !== undefined && { fee: [row.fee] }),
    })),
  }
  for (let refusals = 1; ; refusals++) {
    try {
      return await client.quotes(body)
    } catch (error) {
      if (!(error instanceof ForkrouteApiError) || isForAll(error)) throw error
      const { retryAfterSeconds } = error
      if (retryAfterSeconds === null || refusals === mostRefusals) return error
      await sleep(Math.min(retryAfterSeconds, longestWait) * 1_000)
      if (error.code === 'RATE_LIMITED' && trades.length > 1) return 'fewer'
    }
  }
}

/** Without a key or the chain no call has an answer. */
function isForAll({ code }: ForkrouteApiError): boolean {
  return ['UNAUTHORIZED', 'KEY_DISABLED', 'UNKNOWN_CHAIN'].includes(code)
}

interface Failure {
  readonly code: string
  readonly message: string
}

/** @throws what is no fault of the row. */
function reasonOf(error: unknown): Failure {
  if (error instanceof ForkrouteApiError) {
    if (isForAll(error)) throw error
    return { code: error.code, message: error.messages.join(' ') }
  }
  if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError) throw error
  if (error instanceof TypeError || !(error instanceof Error)) throw error
  return { code: 'INVALID_REQUEST', message: error.message }
}

function failed(
  row: TradeRow,
  trade: Trade | null,
  { code, message }: Failure,
  blockNumber: number | null = null,
): TradeOutcome {
  return {
    row: row.row,
    name: row.name ?? null,
    tokenIn: trade?.tokenIn.address ?? row.tokenIn,
    tokenOut: trade?.tokenOut.address ?? row.tokenOut,
    amountIn: trade?.amountIn.toString() ?? null,
    amountOut: null,
    amountOutWhole: null,
    gas: null,
    priceImpact: null,
    blockNumber,
    route: null,
    warnings: null,
    error: code,
    message,
  }
}

function outcomeOf(trade: Trade, item: Item | undefined, blockNumber: number): TradeOutcome {
  const { row, tokenOut } = trade
  if (!item || !('amountOut' in item)) {
    const missing = { code: 'INTERNAL', message: 'The answer lacks this quote.' }
    const { code, message } = item && 'error' in item ? item.error : missing
    return failed(row, trade, { code, message: [message].flat().join(' ') }, blockNumber)
  }
  const { amountOut, gas, priceImpact = null, warnings = [] } = item
  const { decimals } = tokenOut
  return {
    ...failed(row, trade, { code: '', message: '' }, blockNumber),
    amountOut: amountOut.toString(),
    amountOutWhole: decimals === null ? null : formatUnits(amountOut, decimals),
    gas: gas.toString(),
    priceImpact,
    route: item.route.map(stepText).join(' > '),
    warnings: warnings.length ? warnings.join(' ') : null,
    error: null,
    message: null,
  }
}

function stepText({ protocol, primary, internalRoutes }: Quote['route'][number]): string {
  const legs = internalRoutes?.map((leg) => `${leg.protocol} ${leg.pool} ${leg.share / 100}%`) ?? [
    `${protocol}${primary ? ` ${primary}` : ''}`,
  ]
  return legs.join(' + ')
}

function print(outcomes: readonly TradeOutcome[]): void {
  printTable(
    ['row', 'name', 'amount out', 'gas', 'impact bps', 'block', 'route'],
    outcomes.map((one) => [
      one.row,
      one.name,
      one.amountOutWhole ?? one.amountOut,
      one.gas,
      one.priceImpact,
      one.blockNumber,
      one.error === null ? shortened(one.route) : `${one.error}: ${one.message}`,
    ]),
  )
}

/** The pools of a route by their first and last digits. */
function shortened(route: string | null): string | undefined {
  return route?.replaceAll(/0x[0-9a-f]{40,}/g, shortHex)
}

/** @throws ConfigError where neither a trade nor a file is given, or both. */
export function refuseHalf(trade: readonly (string | undefined)[], file: string | undefined): void {
  const given = trade.filter((word) => word !== undefined).length
  if (file === undefined ? given === trade.length : given === 0) return
  throw new ConfigError(
    ['Give an amount and two tokens, or --file and a file of trades.'],
    'command line',
  )
}
