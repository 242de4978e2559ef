/** The service's answers, asked over HTTP as its users ask. */
import { performance } from 'node:perf_hooks'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { wrappedNativeSlug } from '../../src/domain/route-step.js'
import { type Asked, type LeagueMarket, trader } from './market.js'
import type { Trade } from './trades.js'

export interface OurAnswer {
  readonly tx: { readonly to: Address; readonly data: Hex }
  /** Raw units, before gas. */
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** @param ignored - slugs of protocols to leave out. @returns the code of the error where the service has no answer. */
export async function askOurs(
  { service, pin }: Pick<LeagueMarket, 'pin'> & { readonly service: Pick<Asked, 'url'> },
  trade: Trade,
  ignored: readonly string[],
): Promise<OurAnswer | string> {
  const query = queryOf(trade, pin.number, ignored)
  query.set('fromAddress', trader)
  // The judge gives the trader what it lacks.
  query.set('executionMode', 'backend')
  const response = await fetch(`${service.url}/api/v1/shortcuts/route?${query}`)
  const body = JSON.parse(await response.text())
  if (response.ok) {
    const amountIn = trade.exact === 'input' ? trade.amount : BigInt(body.amountIn)
    return { tx: body.tx, amountIn, amountOut: BigInt(body.amountOut) }
  }
  // Only what is about the trade, or about state that is not there, is no answer; anything else is a mistake of the league.
  if (response.status !== 422 && body.code !== 'STATE_UNAVAILABLE') {
    throw new Error(JSON.stringify(body))
  }
  return String(body.code)
}

/** Milliseconds to a quote. */
export async function timeOurs(
  { service, pin }: LeagueMarket,
  trade: Trade,
  ignored: readonly string[],
): Promise<number> {
  const query = queryOf(trade, pin.number, ignored)
  const started = performance.now()
  const response = await fetch(`${service.url}/api/v1/shortcuts/quote?${query}`)
  await response.arrayBuffer()
  return performance.now() - started
}

/** Slugs of everything but these protocols; wrapping is not counted as one. */
export async function allBut(
  { service }: LeagueMarket,
  venues: readonly string[],
): Promise<string[]> {
  const protocols: { readonly slug: string }[] = JSON.parse(
    await service.get('/api/v1/protocols?chainId=1'),
  )
  const kept = [...venues, wrappedNativeSlug]
  return protocols.map(({ slug }) => slug).filter((slug) => !kept.includes(slug))
}

function queryOf(
  { tokenIn, tokenOut, exact, amount }: Trade,
  blockNumber: bigint,
  ignored: readonly string[],
): URLSearchParams {
  return new URLSearchParams({
    tokenIn,
    tokenOut,
    chainId: '1',
    [exact === 'input' ? 'amountIn' : 'amountOut']: String(amount),
    blockNumber: String(blockNumber),
    ...(ignored.length && { ignoreStandards: ignored.join(',') }),
  })
}
