/**
 * What an answer owes to the request that it answers: fields that are there because they were asked for, one value for
 * each that was given, and figures that follow from each other. Each function names what does not hold.
 */
import { firstOf, isTrue, listOf, type Request } from './requests.js'

// biome-ignore lint/suspicious/noExplicitAny: bodies are of the described shape when they come here
export type Body = any

/** Whose reading the answers of a service have. */
export type Dialect = 'specification' | 'family'

export type Agreement = (request: Request, body: Body, dialect: Dialect) => string[]

/** The text when it does not hold. */
const unless = (holds: boolean, text: string): string[] => (holds ? [] : [text])

/** A field is there if and only if it was asked for. */
const present = (body: Body, field: string, isAsked: boolean): string[] =>
  unless(
    (body[field] !== undefined) === isAsked,
    isAsked ? `${field} was asked for` : `${field} was not asked for`,
  )

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Of a step: that of the request, after a bridge that to which it leads. */
function chainAt(request: Request, route: readonly Body[], index: number): number {
  const bridges = route.slice(0, index).filter(({ action }) => action === 'bridge')
  const reached = [chainOf(request), ...bridges.map((one) => one.destinationChainId)]
  const { action, sourceChainId } = route[index] ?? {}
  // A transaction may send over several bridges, and so begins each time where it is itself.
  if (action === 'bridge' && reached.includes(sourceChainId)) return sourceChainId
  const bridge = bridges.at(-1)
  return bridge ? bridge.destinationChainId : chainOf(request)
}

const chainOf = (request: Request) => Number(firstOf(request, 'chainId') ?? 1)

const hasFee = (request: Request) => listOf(request, 'fee').some((bps) => Number(bps) > 0)

/** `amount` less slippage in bps, of which two decimals count; rounded down. */
function least(amount: string, slippage = '50'): string {
  const [whole = '0', rest = ''] = slippage.split('.')
  const centiBps = BigInt(`${whole}${rest.padEnd(2, '0')}`)
  return ((BigInt(amount) * (1_000_000n - centiBps)) / 1_000_000n).toString()
}

function calculated(request: Request, body: Body): string[] {
  const block = firstOf(request, 'blockNumber')
  return [
    ...unless(
      block === undefined || body.blockNumber === Number(block),
      `blockNumber is ${body.blockNumber}, of a request for ${block}`,
    ),
    ...unless(
      body.createdAt === undefined || body.createdAt === body.blockNumber,
      'createdAt is not blockNumber',
    ),
    ...unless(body.tx === undefined || body.tx.chainId === chainOf(request), 'tx.chainId'),
    ...(body.route ?? []).flatMap((step: Body, index: number) => [
      ...unless(step.chainId === chainAt(request, body.route, index), `route[${index}].chainId`),
      ...['amountIn', 'amountOut'].flatMap((name, side) => {
        const tokens = side === 0 ? step.tokenIn : step.tokenOut
        return unless(
          step[name] === undefined || step[name].length === tokens.length,
          `route[${index}].${name} is no list like its tokens`,
        )
      }),
    ]),
  ]
}

function explained(request: Request, body: Body): string[] {
  const isAsked = ['true', 'timed'].includes(firstOf(request, 'explain') ?? '')
  return [
    ...present(body, 'candidates', isAsked),
    ...present(body, 'pools', isAsked),
    ...present(body, 'times', firstOf(request, 'explain') === 'timed'),
  ]
}

function fees(request: Request, body: Body): string[] {
  const count = listOf(request, 'tokenIn').length
  return [
    ...present(body, 'feeAmount', hasFee(request)),
    ...unless((body.feeAmount?.length ?? count) === count, 'feeAmount is not one per amountIn'),
  ]
}

/** Of an exact output the input is the answer. */
function exact(request: Request, body: Body): string[] {
  const wanted = firstOf(request, 'amountOut')
  if (wanted === undefined) return present(body, 'maxAmountIn', false)
  return [
    ...present(body, 'amountIn', true),
    ...present(body, 'maxAmountIn', true),
    ...unless(BigInt(body.amountOut) >= BigInt(wanted), 'amountOut is less than asked for'),
    ...unless(BigInt(body.maxAmountIn ?? 0) >= BigInt(body.amountIn ?? 0), 'maxAmountIn'),
  ]
}

function minimums(request: Request, body: Body): string[] {
  const asked = listOf(request, 'minAmountOut')
  const stated = firstOf(request, 'slippage')
  const slippage = stated === 'auto' ? String(body.slippage?.bps) : stated
  const amounts: string[] = [body.amountOut].flat()
  const given: string[] = [body.minAmountOut].flat()
  const wanted = asked.length > 0 ? asked : amounts.map((one) => least(one, slippage))
  return unless(
    wanted.map(BigInt).join() === given.join(),
    `minAmountOut is ${given}, not ${wanted}`,
  )
}

export const route: Agreement = (request, body) => {
  const count = listOf(request, 'tokenOut').length
  const lengths = [body.amountOut, body.minAmountOut].map((one) =>
    Array.isArray(one) ? one.length : 1,
  )
  const isPulled = ['router', 'router-legacy', undefined].includes(
    firstOf(request, 'routingStrategy'),
  )
  const tokensIn = listOf(request, 'tokenIn').map((token) => token.toLowerCase())
  const value = BigInt(listOf(request, 'amountIn')[tokensIn.indexOf(native)] ?? '0')
  // Over a bridge the messaging fee comes on top, with a tenth that comes back.
  const most = value + (BigInt(body.bridgeFee?.native ?? 0) * 11n) / 10n
  return [
    ...calculated(request, body),
    ...explained(request, body),
    ...fees(request, body),
    ...exact(request, body),
    ...minimums(request, body),
    ...unless(
      lengths.every((length) => length === count),
      'amounts are not one per tokenOut',
    ),
    ...present(body, 'priceImpact', firstOf(request, 'priceImpact') !== 'false'),
    ...present(body, 'gasCost', isTrue(request, 'includeTransactionCost')),
    ...present(body, 'permit', isTrue(request, 'permit')),
    ...present(body, 'trace', isTrue(request, 'trace')),
    ...present(body, 'evidence', isTrue(request, 'evidence')),
    ...unless(
      !isPulled || firstOf(request, 'amountOut') !== undefined || body.tx.value === most.toString(),
      `tx.value is ${body.tx.value}, ${value} of the native token is given`,
    ),
    ...unless(
      firstOf(request, 'spender') !== undefined ||
        body.tx.from === firstOf(request, 'fromAddress')?.toLowerCase(),
      'tx.from is not fromAddress',
    ),
  ]
}

export const quote: Agreement = (request, body) => [
  ...calculated(request, body),
  ...explained(request, body),
  ...fees(request, body),
  ...exact(request, body),
  ...present(body, 'priceImpact', firstOf(request, 'priceImpact') !== 'false'),
]

export const nontokenized: Agreement = (request, body) => [
  ...calculated(request, body),
  ...fees(request, body),
  ...minimums(request, body),
  ...unless(body.amountDeposited === body.amountOut, 'amountDeposited is not amountOut'),
]

export const quotes: Agreement = (request, body) => {
  const asked = (request.body as { quotes?: unknown } | undefined)?.quotes
  return [
    ...unless(body.chainId === chainOf(request), 'chainId'),
    ...unless(
      !Array.isArray(asked) || asked.length === body.quotes.length,
      'quotes are not one per quote',
    ),
  ]
}

export const bundle: Agreement = (request, body) => {
  const { body: sent } = request
  const actions = Array.isArray(sent) ? sent : (sent as { actions: unknown[] }).actions
  const isSkipped = isTrue(request, 'skipQuote')
  const amounts = Object.keys(body.amountsOut)
  return [
    ...calculated(request, body),
    ...explained(request, body),
    ...present(body, 'gas', !isSkipped),
    ...present(body, 'trace', isTrue(request, 'trace')),
    ...unless(!isSkipped || amounts.length === 0, 'amountsOut of a bundle that was not run'),
    ...unless(actions.length === body.bundle.length, 'bundle is not one per action'),
    ...netAmounts(body),
    ...Object.keys(body.minAmountsOut).flatMap((token) =>
      unless(amounts.includes(token), `minAmountsOut of ${token}, of which nothing comes out`),
    ),
    ...Object.entries(body.maxAmountsIn as Record<string, string>).flatMap(([token, most]) =>
      unless(
        BigInt(most) <= BigInt(body.amountsIn[token] ?? 0),
        `maxAmountsIn of ${token} is more than is taken`,
      ),
    ),
  ]
}

/** Of each token that goes in and comes out, and of no other. */
function netAmounts({ amountsIn, amountsOut, netAmounts: given = {} }: Body): string[] {
  const both = Object.keys(amountsIn).filter((token) => token in amountsOut)
  const isNet = (token: string) =>
    given[token] === String(BigInt(amountsOut[token]) - BigInt(amountsIn[token]))
  const isWhole = Object.keys(given).length === both.length
  return unless(isWhole && both.every(isNet), 'netAmounts are not amountsOut less amountsIn')
}

export const prices: Agreement = (request, body) => {
  const asked = listOf(request, 'addresses').map((address) => address.toLowerCase())
  return [
    ...unless(asked.length === body.length, 'prices are not one per address'),
    ...(body as Body[]).flatMap((price, index) =>
      unless(price === null || price.address === asked[index], `price ${index} is of another`),
    ),
  ]
}

export const price: Agreement = ({ named: [chainId, address = ''] }, body) => [
  ...unless(body.chainId === Number(chainId), 'chainId'),
  ...unless(body.address === address.toLowerCase(), 'address'),
]

/** Newest first, and ids sort by creation. */
export const backtestList: Agreement = (request, body) => {
  const ids = (body as { id: string }[]).map(({ id }) => id)
  const before = firstOf(request, 'before')
  const limit = Number(firstOf(request, 'limit') ?? 1_000)
  return [
    ...unless(ids.length <= limit, 'more backtests than the page has'),
    ...unless(ids.join() === ids.toSorted().toReversed().join(), 'not the newest first'),
    ...unless(
      before === undefined || ids.every((id) => id < before),
      `a backtest that is not older than ${before}`,
    ),
  ]
}

export const page: Agreement = (request, { meta, data }) => {
  const size = Number(firstOf(request, 'pageSize') ?? 1_000)
  return [
    ...unless(meta.perPage === size, 'meta.perPage'),
    ...unless(data.length <= size && data.length <= meta.total, 'more entries than the page has'),
    ...unless(
      firstOf(request, 'cursor') !== undefined ||
        meta.currentPage === Number(firstOf(request, 'page') ?? 1),
      'meta.currentPage',
    ),
    ...unless(meta.lastPage === Math.max(1, Math.ceil(meta.total / size)), 'meta.lastPage'),
  ]
}

/** The names of both forms are the same. */
export const actions: Agreement = (_request, body) =>
  (body as Body[]).flatMap(({ name, inputs, inputTypes }) =>
    unless(
      Object.keys(inputs).join() === Object.keys(inputTypes).join(),
      `inputs of ${name} are others than its inputTypes`,
    ),
  )

export const tokens: Agreement = (request, body, dialect) => {
  const isDescribed = isTrue(request, 'includeMetadata')
  const isTaken = firstOf(request, 'includeUnderlying') !== 'false'
  return [
    ...page(request, body, dialect),
    ...(body.data as Body[]).flatMap((token) => [
      ...present(token, 'symbol', isDescribed),
      ...present(token, 'name', isDescribed),
      ...present(token, 'logosUri', isDescribed),
      ...present(token, 'underlyingTokens', isTaken),
      ...(token.underlyingTokens ?? []).flatMap((one: Body) =>
        unless(
          (typeof one === 'object') === (isDescribed || dialect === 'family'),
          `underlyingTokens of ${token.address}: ${JSON.stringify(one)}`,
        ),
      ),
      ...unless(token.protocol === token.protocolSlug, 'protocol is not protocolSlug'),
    ]),
  ]
}

export const approval: Agreement = (request, body) => [
  ...unless(body.tx.to === body.token, 'tx.to is not the token'),
  ...unless(body.token === firstOf(request, 'tokenAddress')?.toLowerCase(), 'token'),
  ...unless(body.tx.from === firstOf(request, 'fromAddress')?.toLowerCase(), 'tx.from'),
  ...unless(body.amount === BigInt(firstOf(request, 'amount') ?? 0).toString(), 'amount'),
]

export const wallet: Agreement = (request, body) =>
  unless(body.chainId === chainOf(request), 'chainId')

export const bridgeCheck: Agreement = (request, body) => {
  const isOpen = ['pending', 'inflight'].includes(body.status)
  return [
    ...unless(body.sourceChainId === chainOf(request), 'sourceChainId'),
    ...unless(body.sourceTxHash === firstOf(request, 'txHash')?.toLowerCase(), 'sourceTxHash'),
    ...unless(!isOpen || body.destinationTxHash === undefined, 'delivered, and yet it is not'),
    ...unless(body.status !== 'failed' || body.error !== undefined, 'failed without a reason'),
    ...unless(
      body.status !== 'pending' || body.destinationChainId === undefined,
      'nothing is known of what is not mined',
    ),
  ]
}

export const messagingPool: Agreement = (request, body) => {
  const token = firstOf(request, 'token')?.toLowerCase()
  const to = firstOf(request, 'destinationChainId')
  return (body ?? []).flatMap((one: Body) => [
    ...unless(one.chainId === chainOf(request), 'chainId'),
    ...unless(one.token === token, 'token'),
    ...unless(one.destinationChainId !== one.chainId, 'a pool that sends to its own chain'),
    ...unless(to === undefined || one.destinationChainId === Number(to), 'destinationChainId'),
  ])
}

export const plan: Agreement = ({ body: asked }, body) => {
  const { inputs = [] } = asked as { inputs?: readonly { chainId: unknown }[] }
  const chainIds = [...new Set(inputs.map(({ chainId }) => Number(chainId)))]
  const given = body.transactions as readonly {
    tx: { chainId: number }
    minAmountOut: string
  }[]
  const least = given.reduce((sum, { minAmountOut }) => sum + BigInt(minAmountOut), 0n)
  return [
    ...unless(String(given.map(({ tx }) => tx.chainId)) === String(chainIds), 'tx.chainId'),
    ...unless(least === BigInt(body.minAmountOut), 'minAmountOut'),
  ]
}

export const multichain: Agreement = ({ body: asked, parameters }, body) => {
  const { in: given } = asked as { in?: { sourceChainId?: unknown } }
  const [sender = ''] = parameters.get('fromAddress') ?? []
  return [
    ...unless(body.tx.chainId === Number(given?.sourceChainId), 'tx.chainId'),
    ...unless(body.tx.from === sender.toLowerCase(), 'tx.from'),
  ]
}
