/** Answers of routes and bundles as tables: facts by name, the steps with their tokens, and the transaction to sign. */
import type { Quote, Route } from '../../client/client.js'
import type { components } from '../../client/generated/schema.js'
import { printTable, shortHex } from '../output.js'
import { nativeAmountOf, type TokenNamer, type TokenPlace } from '../token-names.js'

export type Step = components['schemas']['RouteStep']
export type Fact = readonly [name: string, value: string | number | null | undefined]

/** Significant digits of a fee in USD. */
const usdDigits = 4
/** Characters of call data that a table shows. */
const shownDataChars = 34

/** The tokens that the steps name, each on its chain. */
export function tokensOf(steps: readonly Step[]): TokenPlace[] {
  return steps.flatMap(({ chainId, destinationChainId = chainId, tokenIn, tokenOut }) => [
    ...tokenIn.map((address) => ({ chainId, address })),
    ...tokenOut.map((address) => ({ chainId: destinationChainId, address })),
  ])
}

/** Whether a step may lead to or from a position, such as shares of a vault. */
export function hasPositions(steps: readonly Step[]): boolean {
  return steps.some(({ action }) => !['swap', 'wrap', 'unwrap', 'bridge'].includes(action))
}

export function printSteps(steps: readonly Step[], nameOf: TokenNamer): void {
  const hasBridge = steps.some(({ destinationChainId }) => destinationChainId !== undefined)
  printTable(
    [...(hasBridge ? ['chain'] : []), 'step', 'protocol', 'from', 'to', 'pools'],
    steps.map((step) => {
      const { chainId, destinationChainId = chainId, tokenIn, tokenOut } = step
      const symbols = (chain: number, addresses: readonly string[]) =>
        addresses.map((address) => nameOf({ chainId: chain, address }).symbol).join('\n')
      const chain =
        destinationChainId === chainId ? `${chainId}` : `${chainId} to ${destinationChainId}`
      return [
        ...(hasBridge ? [chain] : []),
        step.action,
        (step.protocols ?? [step.protocol]).join('\n'),
        symbols(chainId, tokenIn),
        symbols(destinationChainId, tokenOut),
        poolsOf(step),
      ]
    }),
  )
}

/** A line for each pool with its part of the step; the protocol of each where there are several. */
function poolsOf({ primary, internalRoutes, protocols = [] }: Step): string | undefined {
  if (!internalRoutes) return primary && shortHex(primary)
  return internalRoutes
    .map(({ protocol, pool, share }) => {
      const name = protocols.length > 1 ? `${protocol} ` : ''
      return `${name}${shortHex(pool)} ${share / 100}%`
    })
    .join('\n')
}

type BridgeFigures = Pick<
  Route | Quote,
  'destinationBlockNumber' | 'bridgeFee' | 'bridgingEstimates'
>

/** What simulations measured, and at which block. @param chainId - the chain that the transaction is sent on. */
export function measuredFacts(
  answer: BridgeFigures & {
    readonly priceImpact?: number | null
    readonly gas?: bigint | null
    readonly blockNumber: number
  },
  chainId: number,
): Fact[] {
  const { priceImpact, gas, blockNumber } = answer
  return [
    ['price impact', typeof priceImpact === 'number' ? `${priceImpact} bps` : 'not known'],
    ['gas', gas?.toString()],
    ['block', blockNumber],
    ...bridgeFacts(answer, chainId),
  ]
}

/** What a route over a bridge takes and lasts. */
function bridgeFacts(
  { destinationBlockNumber, bridgeFee, bridgingEstimates = [] }: BridgeFigures,
  sourceChainId: number,
): Fact[] {
  if (!bridgeFee) return []
  const usd = bridgeFee.usd === null ? '' : `, ${Number(bridgeFee.usd.toPrecision(usdDigits))} USD`
  return [
    ['destination block', destinationBlockNumber],
    ['bridge fee', `${nativeAmountOf(bridgeFee.native, sourceChainId)}${usd}`],
    ...bridgingEstimates.flatMap(
      ({ bridge, fromChainId, toChainId, estimatedSeconds, afterwards = [] }): Fact[] => [
        [`${bridge}, chain ${fromChainId} to ${toChainId}`, `about ${estimatedSeconds} s`],
        ...afterwards.map(
          ({ action, chainId, sender, afterSeconds }): Fact => [
            `${action}, on chain ${chainId}`,
            `by ${sender}, after about ${afterSeconds} s`,
          ],
        ),
      ],
    ),
  ]
}

export function transactionFacts(tx: {
  readonly to: string
  readonly value: bigint
  readonly data: string
  readonly chainId: number
}): Fact[] {
  const bytes = tx.data.length / 2 - 1
  const isWhole = tx.data.length <= shownDataChars
  const data = isWhole
    ? tx.data
    : `${tx.data.slice(0, shownDataChars)}… (${bytes} bytes; all with --json)`
  return [
    ['to', tx.to],
    ['value', nativeAmountOf(tx.value, tx.chainId)],
    ['data', data],
  ]
}

/** What an answer counts on that is not on the chain yet. */
export function printOverlay(
  overlay: { readonly blockNumber: number; readonly venues: readonly string[] } | undefined,
): void {
  if (!overlay) return
  const { blockNumber, venues } = overlay
  console.error(
    `overlay: it counts on what makers publish of block ${blockNumber}, for ${venues.join(', ')}`,
  )
}

export function printWarnings(warnings: readonly string[] | undefined): void {
  for (const warning of warnings ?? []) console.error(`warning: ${warning}`)
}
