/** Actions on the shares of a pair. The tokens pass through our helper, which returns dust. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { AmountRef } from '../../domain/order.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { type ActionContext, type ActionDefinition, defineAction } from '../positions.js'
import { balanceChanges } from '../shared/balance-changes.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord, toWord } from '../shared/storage-slots.js'
import { type PairSource, recogniseShares, type Tokens } from './pairs.js'

const [zapInAbi, addAbi, zapOutAbi, burnAbi, getPairAbi] = parseAbi([
  'function zapIn(address pair, address tokenIn, address tokenOther, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 liquidity)',
  'function add(address pair, address token0, address token1, address recipient) returns (uint256 liquidity)',
  'function zapOut(address pair, address tokenOut, address tokenOther, bool zeroForOne, uint256 feeBps, address recipient) returns (uint256 amountOut)',
  'function burn(address to) returns (uint256 amount0, uint256 amount1)',
  'function getPair(address a, address b) view returns (address pair)',
])

const zapper = 'UniswapV2Zapper'

const primaryAddress = {
  kind: 'address',
  description: 'The pair, or the router of the exchange.',
  optional: true,
} as const

export function pairActions(source: PairSource): readonly ActionDefinition[] {
  return [deposit(source), exit(source, 'redeem', 'Redeem'), exit(source, 'withdraw', 'Withdraw')]
}

function deposit(source: PairSource): ActionDefinition {
  return defineAction({
    action: 'deposit',
    name: 'Add liquidity',
    functionNames: ['swap', 'mint'],
    inputs: {
      primaryAddress,
      tokenIn: {
        kind: 'addresses',
        description: 'One token of the pair, part of which is swapped for the other, or both.',
      },
      amountIn: { kind: 'amounts', description: 'Raw units, one for each tokenIn.' },
      tokenOut: {
        kind: 'address',
        description:
          'The pair, whose shares come out; absent: primaryAddress, or the pair of both tokens.',
        optional: true,
      },
    },
    async build({ primaryAddress: primary, tokenIn, amountIn, tokenOut }, context) {
      const named = { argument: 'tokenOut', pair: tokenOut, primary, tokens: tokenIn }
      const pair = await pairOf(context, named)
      const tokens = await tokensOf(source, context, { ...named, pair })
      const tokensIn = distinct(context, 'tokenIn', tokenIn, tokens)
      if (amountIn.length !== tokensIn.length) {
        context.refuse('amountIn', `${tokensIn.length} amounts, one for each tokenIn`)
      }
      const target = context.helper(zapper)
      const spends = tokensIn.flatMap((token, index) => {
        const amount = amountIn[index]
        return amount === undefined ? [] : [{ token, amount }]
      })
      for (const { token, amount } of spends) {
        context.add({ kind: 'transfer', token, to: target, amount })
      }
      const [token0, token1] = tokens
      const [first = token0] = tokensIn
      const isFirst0 = first === token0
      const { runner } = context
      const step = context.add({
        kind: 'call',
        target,
        ...(tokensIn.length === 2
          ? { abi: addAbi, args: [pair, token0, token1, runner] }
          : {
              abi: zapInAbi,
              args: [pair, first, isFirst0 ? token1 : token0, isFirst0, feeOf(context), runner],
            }),
        output: { kind: 'word', index: 0 },
      })
      return {
        spends,
        outputs: [{ token: pair, amount: { ref: 'output', step } }],
        leftovers: tokensIn,
        positionsOut: [pair],
      }
    },
  })
}

function exit(source: PairSource, action: 'redeem' | 'withdraw', name: string): ActionDefinition {
  return defineAction({
    action,
    name: `${name} liquidity`,
    functionNames: ['burn', 'swap'],
    inputs: {
      primaryAddress,
      tokenIn: {
        kind: 'address',
        description:
          'The pair, whose shares are burnt; absent: primaryAddress, or the pair of both tokens.',
        optional: true,
      },
      amountIn: { kind: 'amount', description: 'Raw units of shares.' },
      tokenOut: {
        kind: 'addresses',
        description:
          'One token of the pair, for which the other is swapped, or both in any order; both if absent.',
        optional: true,
      },
    },
    async build({ primaryAddress: primary, tokenIn, amountIn, tokenOut }, context) {
      const named = { argument: 'tokenIn', pair: tokenIn, primary, tokens: tokenOut ?? [] }
      const pair = await pairOf(context, named)
      const tokens = await tokensOf(source, context, { ...named, pair })
      const wanted = tokenOut ? distinct(context, 'tokenOut', tokenOut, tokens) : tokens
      context.add({ kind: 'transfer', token: pair, to: pair, amount: amountIn })
      const amounts =
        wanted.length === 2
          ? burnToBoth(context, pair, tokens)
          : new Map([burnToOne(context, pair, tokens, wanted[0] ?? tokens[0])])
      return {
        spends: [{ token: pair, amount: amountIn }],
        outputs: wanted.flatMap((token) => {
          const amount = amounts.get(token)
          return amount ? [{ token, amount }] : []
        }),
        positionsIn: [pair],
      }
    },
  })
}

function burnToOne(
  context: ActionContext,
  pair: Address,
  [token0, token1]: Tokens,
  wanted: Address,
): [Address, AmountRef] {
  const other = wanted === token0 ? token1 : token0
  const step = context.add({
    kind: 'call',
    target: context.helper(zapper),
    abi: zapOutAbi,
    args: [pair, wanted, other, other === token0, feeOf(context), context.runner],
    output: { kind: 'balance', token: wanted },
  })
  return [wanted, { ref: 'output', step }]
}

function burnToBoth(
  context: ActionContext,
  pair: Address,
  [token0, token1]: Tokens,
): Map<Address, AmountRef> {
  const call = { target: pair, abi: burnAbi, args: [context.runner] }
  const gained = balanceChanges(context, call, [token0, token1])
  return new Map(gained.map(({ token, amount }) => [token, amount]))
}

function routerOf({ venue }: ActionContext): Address | null {
  return venue.router === undefined ? null : toAddress(String(venue.router))
}

/** How an action may name a pair. */
interface NamedPair {
  /** The argument that names it, which is refused where none does. */
  readonly argument: string
  readonly pair: Address | undefined
  /** The pair, or the router of the exchange. */
  readonly primary: Address | undefined
  readonly tokens: readonly Address[]
}

/** The pair that an action names, by itself, as its contract, or by both of its tokens. */
async function pairOf(
  context: ActionContext,
  { argument, pair: named, primary, tokens }: NamedPair,
): Promise<Address> {
  if (named !== undefined) return named
  if (primary !== undefined && primary !== routerOf(context)) return primary
  const [a, b] = tokens
  if (!a || !b) return context.refuse(argument, 'given: neither the pair nor both tokens are named')
  const data = encodeFunctionData({ abi: [getPairAbi], args: [a, b] })
  const [answer] = await context.reader.call([
    { to: toAddress(String(context.venue.factory)), data },
  ])
  const word = readWord(answer)
  const pair = word === null ? null : addressInWord(toWord(word))
  if (pair) return pair
  return context.refuse(argument, `given: the factory knows no pair of ${a} and ${b}`)
}

/** The tokens of a pair that the exchange's factory made; refuses anything else. */
async function tokensOf(
  source: PairSource,
  context: ActionContext,
  { argument, pair, primary }: NamedPair & { readonly pair: Address },
): Promise<Tokens> {
  const { reader, venue } = context
  const router = routerOf(context) ?? pair
  if (primary !== undefined && primary !== pair && primary !== router) {
    context.refuse('primaryAddress', `the pair ${pair} or the router ${router}`)
  }
  const found = (await recogniseShares(source, { reader, venue, tokens: [pair] })).get(pair)
  if (found && !('message' in found)) return found
  if (found) context.refuse(argument, `a pair; it could not be read: ${found.message}`)
  return context.refuse(argument, `a pair that the factory ${venue.factory} has made`)
}

/** One token of the pair or both, each once. */
function distinct(
  context: ActionContext,
  argument: string,
  asked: readonly Address[],
  tokens: Tokens,
): readonly Address[] {
  const isFine =
    asked.length > 0 &&
    new Set(asked).size === asked.length &&
    asked.every((token) => tokens.includes(token))
  if (!isFine) context.refuse(argument, `one or both of the pair's tokens ${tokens.join(', ')}`)
  return asked
}

function feeOf({ venue }: ActionContext): bigint {
  return BigInt(Number(venue.feeBps))
}
