/**
 * Venues that an operator's file declares: how a pool is quoted, and the call that swaps in it. Plain JSON values, so
 * that threads and cassettes take them as they are. Pure.
 */
import { type AbiEvent, type AbiFunction, type AbiParameter, parseAbiItem } from 'viem'
import { addressPattern, hasValidChecksum } from './grammar.js'
import { isAmountRef } from './order.js'
import { type Address, isNative, nativeToken, toAddress } from './primitives.js'

/** Tokens of one pool. */
export const mostTokens = 8

/**
 * An argument of a call: a name of `DeclaredNames`, a constant of the pool, or a literal; lists and tuples of them. In a
 * place that takes no tuple, `{ if, then, else }` is one of two arguments. Numbers are decimal text.
 */
export type DeclaredArgument =
  | string
  | readonly DeclaredArgument[]
  | { readonly [field: string]: DeclaredArgument }

export interface DeclaredCall {
  readonly contract: Address | 'pool'
  /** Human-readable signature, such as `function get_dy(int128 i, int128 j, uint256 dx) view returns (uint256)`. */
  readonly function: string
  readonly args: readonly DeclaredArgument[]
}

/** A call that tells how much is swapped at most, or whether anything is, where the quote does not know. */
export interface DeclaredLimit extends DeclaredCall {
  /** Leads from the results of the function to a number, or to true or false. */
  readonly output: readonly number[]
  /** Whose amount the number bounds, raw units; absent for true (no bound) or false (nothing is swapped). */
  readonly of?: 'tokenIn' | 'tokenOut' | undefined
  /** Whether true and false mean each other, as where the function tells of a pause. */
  readonly negated?: boolean | undefined
}

export interface DeclaredQuote extends DeclaredCall {
  /** Leads from the results of the function to the amount out: the result's index, then indexes inside of it. */
  readonly output: readonly number[]
  /** True where the function counts what it pays as negative. */
  readonly negated: boolean
  /** Gas of one quote at most, and of each limit. */
  readonly gasLimit: number
  /** Each bounds what is quoted; one that fails leaves nothing. */
  readonly limits: readonly DeclaredLimit[]
}

export interface DeclaredSwap extends DeclaredCall {
  /**
   * How an input that is no native token is paid: by an allowance for `to`, by a transfer to it before the call, or when the
   * contract calls back in the style of Uniswap V3. Native is sent with the call.
   */
  readonly pay: 'approve' | 'transfer' | 'callback'
  readonly to: Address | 'pool' | 'contract'
}

export interface DeclaredPool {
  /** 20 or 32 bytes, unique on the chain. */
  readonly id: string
  readonly address: Address
  readonly tokens: readonly Address[]
  /** Largest amount of each token that is quoted, raw units; absent: one and a half times what `holder` has of it. */
  readonly largest?: readonly string[] | undefined
  readonly constants: Readonly<Record<string, string | readonly string[]>>
}

/** A contract whose events tell of pools. Names are those of parameters of the event. */
export interface DeclaredFactory {
  readonly address: Address
  /** Human-readable signature, such as `event PairCreated(address indexed token0, address indexed token1, address pair, uint256)`. */
  readonly event: string
  /** The parameter that is the pool; an address, where all pools share a contract. */
  readonly pool: string
  /** The parameter that tells pools of one contract apart; absent: their addresses do. */
  readonly id?: string | undefined
  /** Parameters, or the address of a token that all pools have. */
  readonly tokens: readonly string[]
  /** Constants of the pools: name to parameter. */
  readonly constants: Readonly<Record<string, string>>
  /** In which it was deployed, or later; its events before are not read. */
  readonly fromBlock: number
  /** Later ones are left out. */
  readonly mostPools: number
}

/** How a pool is quoted, and what swaps in it. */
export interface DeclaredCalls {
  readonly quote: DeclaredQuote
  readonly swap: DeclaredSwap
}

export interface DeclaredVenue extends DeclaredCalls {
  readonly name: string
  readonly chainId: number
  /** That one swap adds to a transaction, for ranking alone. */
  readonly gas: number
  /** `operator`: routes through it rank as those through verified pools. */
  readonly trust: 'none' | 'operator'
  /** Who has the tokens of a pool. */
  readonly holder: Address | 'pool'
  /** How its functions name the native token; absent: by the address that stands for it in requests. */
  readonly nativeAs?: Address | undefined
  /**
   * Whether sizes begin where the pool is not exhausted yet, however large the most is that it is asked for; absent, as in
   * cassettes recorded before: they follow from that alone.
   */
  readonly sizesByDepth?: boolean | undefined
  /** Where the token that goes in stands behind the one that comes out; absent: the same calls. */
  readonly reverse?: DeclaredCalls | undefined
  readonly pools: readonly DeclaredPool[]
  /** Absent: `pools` are all. */
  readonly factory?: DeclaredFactory | undefined
}

/** Names that arguments of a limit may use besides the constants of the pool. */
export const limitNames = [
  'tokenIn',
  'tokenOut',
  'pool',
  'poolId',
  'indexIn',
  'indexOut',
  'zeroForOne',
] as const

/** Names that arguments of a quote may use. */
export const quoteNames = [...limitNames, 'amountIn'] as const

/** Names that arguments of a swap may use. `quotedOut` is what the quote gives within the transaction. */
export const swapNames = [...quoteNames, 'recipient', 'executor', 'deadline', 'quotedOut'] as const

/** Values by name: text, bigint, boolean or AmountRef, and lists of text. */
export type DeclaredNames = Readonly<Record<string, unknown>>

/** What a swap of the pool's tokens says by name, besides amounts and receivers. */
export function namesOf(
  { nativeAs = nativeToken }: Pick<DeclaredVenue, 'nativeAs'>,
  pool: DeclaredPool,
  tokenIn: Address,
  tokenOut: Address,
): DeclaredNames {
  const [indexIn, indexOut] = [tokenIn, tokenOut].map((token) => pool.tokens.indexOf(token))
  const nameOf = (token: Address) => (isNative(token) ? nativeAs : token)
  return {
    ...pool.constants,
    tokenIn: nameOf(tokenIn),
    tokenOut: nameOf(tokenOut),
    pool: pool.address,
    poolId: pool.id,
    indexIn: BigInt(indexIn ?? 0),
    indexOut: BigInt(indexOut ?? 0),
    zeroForOne: Number(indexIn) < Number(indexOut),
  }
}

/** An argument that does not fit its place. The message goes on after the name of the place. */
export class UnfitArgument extends Error {
  override readonly name = 'UnfitArgument'
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
  ) {
    super(message)
  }
}

/**
 * Values for the parameters of a function.
 * @throws UnfitArgument for the first that does not fit.
 */
export function argumentValues(
  inputs: readonly AbiParameter[],
  args: readonly DeclaredArgument[],
  names: DeclaredNames,
): unknown[] {
  if (args.length !== inputs.length) {
    throw new UnfitArgument([], `must be a list of ${inputs.length}, as the function takes`)
  }
  return inputs.map((input, index) => encodable(input, args[index], names, [index]))
}

function encodable(
  parameter: AbiParameter,
  argument: unknown,
  names: DeclaredNames,
  path: readonly (string | number)[],
): unknown {
  const { type } = parameter
  if (!('components' in parameter) && isChoice(argument)) {
    const side = chosenOf(argument, names, path)
    return encodable(parameter, argument[side], names, [...path, side])
  }
  const known =
    typeof argument === 'string' && Object.hasOwn(names, argument) ? names[argument] : argument
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    const [, inner = '', length] = list
    if (!Array.isArray(known) || (length && known.length !== Number(length))) {
      throw new UnfitArgument(path, `must be a list of ${length || 'any length'} for ${type}`)
    }
    const item = { ...parameter, type: inner }
    return known.map((each, index) => encodable(item, each, names, [...path, index]))
  }
  if ('components' in parameter) return fieldsOf(parameter.components, known, names, path)
  if (isAmountRef(known)) return known
  const value = typeof known === 'string' ? literalOf(type, known) : known
  const fits =
    typeof value === 'bigint'
      ? /^u?int\d*$/.test(type)
      : typeof value === 'boolean'
        ? type === 'bool'
        : typeof value === 'string'
  if (fits) return value
  const stated = typeof argument === 'string' ? `, which ${argument} is not` : ''
  throw new UnfitArgument(path, `must be a name or a literal of type ${type}${stated}`)
}

type Choice = Readonly<Record<'if' | 'then' | 'else', unknown>>

function isChoice(argument: unknown): argument is Choice {
  const keys = Array.isArray(argument) ? [] : Object.keys(Object(argument)).sort()
  return keys.join() === 'else,if,then'
}

function chosenOf(
  { if: name }: Choice,
  names: DeclaredNames,
  path: readonly (string | number)[],
): 'then' | 'else' {
  const known = typeof name === 'string' && Object.hasOwn(names, name) ? names[name] : name
  if (known === true || known === 'true') return 'then'
  if (known === false || known === 'false') return 'else'
  throw new UnfitArgument([...path, 'if'], 'must be the name of something that is true or false')
}

function fieldsOf(
  components: readonly AbiParameter[],
  argument: unknown,
  names: DeclaredNames,
  path: readonly (string | number)[],
): Record<string, unknown> {
  const fields = components.map(({ name = '' }) => name)
  const given = Object.keys(Object(argument))
  const isAlike = given.length === fields.length && fields.every((name) => given.includes(name))
  if (Array.isArray(argument) || !isAlike) {
    throw new UnfitArgument(path, `must have the fields ${fields.join(', ')}`)
  }
  const values = new Map<string, unknown>(Object.entries(Object(argument)))
  return Object.fromEntries(
    components.map((field) => {
      const name = field.name ?? ''
      return [name, encodable(field, values.get(name), names, [...path, name])]
    }),
  )
}

/** Undefined where the text is no literal of the type. */
function literalOf(type: string, text: string): bigint | boolean | string | undefined {
  if (/^u?int\d*$/.test(type)) return /^-?\d{1,78}$/.test(text) ? BigInt(text) : undefined
  if (type === 'bool') return text === 'true' ? true : text === 'false' ? false : undefined
  if (type === 'address') {
    return addressPattern.test(text) && hasValidChecksum(text) ? toAddress(text) : undefined
  }
  if (type === 'string') return text
  const [, bytes] = /^bytes(\d*)$/.exec(type) ?? []
  const isHex = /^0x([0-9a-fA-F]{2})*$/.test(text)
  return isHex && (!bytes || text.length === 2 + 2 * Number(bytes)) ? text : undefined
}

/** Whether one of the arguments is the name, at any depth. */
export function usesName(argument: DeclaredArgument, name: string): boolean {
  if (typeof argument === 'string') return argument === name
  return Object.values(argument).some((each: DeclaredArgument) => usesName(each, name))
}

/**
 * Where the number that a path leads to stands in the return data, in words of 32 bytes; null where that is not fixed, or
 * the path leads elsewhere.
 */
export function wordOf(outputs: readonly AbiParameter[], path: readonly number[]): number | null {
  const [index = 0, ...rest] = path
  const output = outputs[index]
  if (!output) return null
  const before = outputs.slice(0, index).reduce((sum, one) => sum + (wordsOf(one) ?? 1), 0)
  if (rest.length === 0) return /^u?int\d*$/.test(output.type) ? before : null
  const parts = wordsOf(output) === null ? null : partsOf(output)
  const within = parts && wordOf(parts, rest)
  return within === null ? null : before + within
}

/** Members of a tuple or of a list of fixed length; null of anything else. */
function partsOf(parameter: AbiParameter): readonly AbiParameter[] | null {
  const list = /^(.*)\[(\d+)\]$/.exec(parameter.type)
  if (list) return Array(Number(list[2])).fill({ ...parameter, type: list[1] ?? '' })
  return parameter.type === 'tuple' && 'components' in parameter ? parameter.components : null
}

/** Words that a value takes in place; null where its length is not fixed. */
function wordsOf(parameter: AbiParameter): number | null {
  if (/\[\]$/.test(parameter.type) || /^(bytes|string)$/.test(parameter.type)) return null
  const parts = partsOf(parameter)
  if (!parts) return 1
  return parts.reduce<number | null>((sum, part) => {
    const words = wordsOf(part)
    return sum === null || words === null ? null : sum + words
  }, 0)
}

/** The function of a human-readable signature; null where it is none. */
export function parseFunction(signature: string): AbiFunction | null {
  const found = parseSignature('function', signature)
  return found?.type === 'function' ? found : null
}

/** The event of a human-readable signature; null where it is none. */
export function parseEvent(signature: string): AbiEvent | null {
  const found = parseSignature('event', signature)
  return found?.type === 'event' ? found : null
}

function parseSignature(
  kind: 'function' | 'event',
  signature: string,
): AbiFunction | AbiEvent | null {
  try {
    const text = signature.trim()
    const item: unknown = parseAbiItem(text.startsWith(`${kind} `) ? text : `${kind} ${text}`)
    return item as AbiFunction | AbiEvent
  } catch {
    return null
  }
}
