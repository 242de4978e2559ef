/** Rules between the fields of routes and quotes. Each takes the fields as given, also those that are wrong by themselves. */
import { separatedPattern } from '../../domain/grammar.js'
import { nativeToken } from '../../domain/primitives.js'
import { type Given, textOf } from '../input.js'
import { entryAmountRules } from './entry-amounts.js'

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map((item) => textOf(item).toLowerCase()) : []
}

/** One token against one, at several amounts. */
export function isLadder(given: Given): boolean {
  const [tokensIn, tokensOut, amounts] = [given.tokenIn, given.tokenOut, given.amountIn].map(
    (value) => texts(value).length,
  )
  return tokensIn === 1 && tokensOut === 1 && (amounts ?? 0) > 1
}

/** Rules of an exact output: one token for one other. */
function exactOutputRules(given: Given): string[] {
  if (given.amountOut === undefined) {
    return given.amountIn === undefined ? ['amountIn is required'] : []
  }
  const problems: string[] = []
  if (given.amountIn !== undefined) {
    problems.push('amountIn must not be given together with amountOut: one follows from the other')
  }
  for (const name of ['tokenIn', 'tokenOut'] as const) {
    const count = texts(given[name]).length
    if (count > 1) problems.push(`${name} must hold one token with amountOut (not ${count})`)
  }
  if (given.minAmountOut !== undefined) {
    problems.push(
      'minAmountOut must not be given together with amountOut: slippage says how far below it the transaction may end',
    )
  }
  if (/^(true|timed)$/.test(textOf(given.explain))) {
    problems.push('explain must not be given with amountOut')
  }
  if (given.alternatives !== undefined) {
    problems.push('alternatives must not be given with amountOut')
  }
  return problems
}

/** Rules between tokens and amounts. */
function pairRules(given: Given, mayBeLadder = false): string[] {
  const problems: string[] = []
  const [tokensIn, tokensOut, amounts] = [given.tokenIn, given.tokenOut, given.amountIn].map(texts)
  if (!tokensIn || !tokensOut || !amounts) return problems
  if (new Set(tokensIn).size < tokensIn.length) problems.push('tokenIn must not name a token twice')
  if (new Set(tokensOut).size < tokensOut.length) {
    problems.push('tokenOut must not name a token twice')
  }
  if (!isElsewhere(given) && tokensIn.some((token) => tokensOut.includes(token))) {
    problems.push('tokenOut must differ from tokenIn')
  }
  if (mayBeLadder && isLadder(given)) return problems
  if (tokensIn.length > 0 && amounts.length > 0 && tokensIn.length !== amounts.length) {
    problems.push(
      `amountIn must hold one amount per tokenIn (${tokensIn.length}, not ${amounts.length})${separatorHint(amounts)}`,
    )
  }
  return problems
}

/** For amounts that look like one number whose thousands are set apart. */
function separatorHint(amounts: readonly string[]): string {
  return separatedPattern.test(amounts.join())
    ? `; one number is written without separators: ${amounts.join('')}`
    : ''
}

function isAllZero(fees: readonly string[]): boolean {
  return fees.every((fee) => /^0+$/.test(fee))
}

export function routeRules(given: Given): string[] {
  const problems = pairRules(given)
  const amounts = texts(given.amountIn)
  const fees = texts(given.fee)
  if (given.slippage !== undefined && given.minAmountOut !== undefined) {
    problems.push('slippage must not be given together with minAmountOut')
  }
  const [minimums, tokensOut] = [texts(given.minAmountOut), texts(given.tokenOut)]
  if (minimums.length > 0 && tokensOut.length > 0 && minimums.length !== tokensOut.length) {
    problems.push(
      `minAmountOut must hold one amount per tokenOut (${tokensOut.length}, not ${minimums.length})`,
    )
  }
  if (!isAllZero(fees)) {
    if (amounts.length > 0 && fees.length !== amounts.length) {
      problems.push(`fee must hold one value per amountIn (${amounts.length}, not ${fees.length})`)
    }
    fees.forEach((fee, index) => {
      if (/^0+$/.test(fee)) problems.push(`fee[${index}] must be from 1 to 100 basis points`)
    })
    if (given.feeReceiver === undefined) problems.push('feeReceiver is required with fee')
  }
  problems.push(...spenderRules(given), ...entryAmountRules(given))
  const isRouter = /^router/.test(textOf(given.routingStrategy ?? 'router'))
  if (textOf(given.permit) === 'true') {
    if (!isRouter) problems.push('permit must not be given without a router strategy')
    if (texts(given.tokenIn).length > 1)
      problems.push('permit must not be given with several tokenIn')
    if (texts(given.tokenIn).includes(nativeToken)) {
      problems.push('permit must not be given for the native token, which needs no allowance')
    }
  }
  return problems
}

/** Whether the tokens that come out are on another chain. */
export function isElsewhere({ chainId, destinationChainId }: Given): boolean {
  return (
    destinationChainId !== undefined &&
    Number(textOf(destinationChainId)) !== Number(textOf(chainId ?? 1))
  )
}

/** Rules of what has a meaning only with another chain, or none with one. */
export function crosschainRules(given: Given): string[] {
  const { destinationFeeReceiver, fee } = given
  if (!isElsewhere(given)) {
    return (['destinationBlockNumber', 'bridge', 'gasDrop'] as const)
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name} must not be given without a destinationChainId other than chainId`)
  }
  const problems: string[] = []
  const count = texts(given.tokenOut).length
  if (count > 1)
    problems.push(`tokenOut must hold one token with a destinationChainId (not ${count})`)
  for (const name of ['alternatives', 'once', 'stateOverrides', 'blockOverrides'] as const) {
    if (given[name] !== undefined) {
      problems.push(`${name} must not be given with a destinationChainId other than chainId`)
    }
  }
  if (destinationFeeReceiver !== undefined && new Set(texts(fee)).size > 1) {
    problems.push('fee must be the same for all amountIn with destinationFeeReceiver')
  }
  return problems
}

/** Rules of a slippage that is measured: at blocks before, with what goes in as it is, on this chain. */
export function autoSlippageRules(given: Given): string[] {
  if (textOf(given.slippage) !== 'auto') {
    return given.maxSlippage === undefined
      ? []
      : ['maxSlippage must not be given without slippage=auto']
  }
  const problems = (['amountOut', 'stateOverrides', 'blockOverrides'] as const)
    .filter((name) => given[name] !== undefined)
    .map((name) => `slippage must not be auto with ${name}`)
  if (isElsewhere(given)) {
    problems.push('slippage must not be auto with a destinationChainId other than chainId')
  }
  return problems
}

/** Only a wallet's order may spend the tokens of another address, its owner: which that is, the engine knows. */
export function spenderRules({ spender, fromAddress, routingStrategy }: Given): string[] {
  if (spender === undefined) return []
  if (textOf(spender).toLowerCase() === textOf(fromAddress).toLowerCase()) return []
  const strategy = textOf(routingStrategy ?? 'router')
  if (/^(router(-legacy)?|checkout)$/.test(strategy)) {
    return ['spender must equal fromAddress with a router strategy']
  }
  if (/^delegate(-legacy)?$/.test(strategy)) {
    return [
      'spender must equal fromAddress with a delegate strategy: the account spends its own tokens',
    ]
  }
  return fromAddress === undefined ? ['spender must not be given without fromAddress'] : []
}

export function quoteRules(given: Given): string[] {
  return [...pairRules(given), ...quoteFeeRules(given)]
}

/** Rules of a route with `amountIn` or `amountOut`. */
export function exactRouteRules(given: Given): string[] {
  return [
    ...exactOutputRules(given),
    ...routeRules(given),
    ...crosschainRules(given),
    ...autoSlippageRules(given),
  ]
}

/** Rules of a quote with `amountIn` or `amountOut`. */
export function exactQuoteRules(given: Given): string[] {
  return [
    ...exactOutputRules(given),
    ...quoteRules(given),
    ...crosschainRules(given),
    ...autoSlippageRules(given),
  ]
}

/** Rules of a quote that may be a ladder. */
export function quoteOrLadderRules(given: Given): string[] {
  const isOne = isLadder(given)
  const fees = isOne && texts(given.fee).length > 1 ? ['fee must be one value for a ladder'] : []
  const pair = [
    ...exactOutputRules(given),
    ...pairRules(given, true),
    ...crosschainRules(given),
    ...autoSlippageRules(given),
  ]
  return [...pair, ...(isOne ? fees : quoteFeeRules(given))]
}

function quoteFeeRules(given: Given): string[] {
  const problems: string[] = []
  const [amounts, fees] = [texts(given.amountIn), texts(given.fee)]
  if (fees.length > 1 && amounts.length > 0 && fees.length !== amounts.length) {
    problems.push(`fee must be one value, or one per amountIn (${amounts.length})`)
  }
  return problems
}
