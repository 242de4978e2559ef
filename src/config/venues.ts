/** The file of VENUES: pools that routes lead through without an adapter in code. Every mistake is told with its line. */
import { readFileSync } from 'node:fs'
import { type AbiFunction, type AbiParameter, encodeFunctionData } from 'viem'
import { z } from 'zod'
import { chainById } from '../chains/registry.js'
import {
  argumentValues,
  type DeclaredArgument,
  type DeclaredCall,
  type DeclaredPool,
  type DeclaredVenue,
  namesOf,
  parseFunction,
  quoteNames,
  swapNames,
  UnfitArgument,
  usesName,
} from '../domain/declared-venue.js'
import { nativeToken, toAddress, zeroAddress } from '../domain/primitives.js'
import { knownChains } from './chains.js'
import {
  type FileProblem,
  mostProblems,
  parseYaml,
  placeText,
  problemsOf,
  toSentence,
} from './yaml-file.js'

const mostBytes = 1_048_576
const mostVenues = 100
const mostPools = 500
const mostTokens = 8
/** A pool is quoted dozens of times at a block. */
const mostQuoteGas = 10_000_000

/** A whole number, in a file or in what was read of one. */
function whole(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .union([z.string().regex(/^\d{1,15}$/, message), z.int()], message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

const flag = z
  .union([z.enum(['true', 'false']), z.boolean()], 'must be true or false')
  .transform((value) => String(value) === 'true')
const Address = z
  .string('must be an address')
  .regex(/^0[xX][0-9a-fA-F]{40}$/, 'must be an address')
  .transform(toAddress)
const place = z.union([z.literal('pool'), Address], 'must be pool or an address')
const Signature = z
  .string('must be the signature of a function')
  .max(2_000, 'must be the signature of a function')
const Argument: z.ZodType<DeclaredArgument> = z.lazy(() =>
  z.union(
    [z.string(), z.array(Argument), z.record(z.string(), Argument)],
    'must be a name, a literal, a list, or the fields of a tuple',
  ),
)
const call = {
  contract: place.default('pool'),
  function: Signature,
  args: z.array(Argument, 'must be a list of arguments').max(64, 'must hold at most 64 arguments'),
}
const Quote = z.strictObject(
  {
    ...call,
    output: z
      .array(whole(0, 63), 'must be a list of indexes, such as [0]')
      .min(1, 'must be a list of indexes, such as [0]')
      .max(8, 'must hold at most 8 indexes')
      .default([0]),
    negated: flag.default(false),
    gasLimit: whole(21_000, mostQuoteGas).default(1_000_000),
  },
  'must be a call: function, args',
)
const Swap = z.strictObject(
  {
    ...call,
    pay: z.enum(['approve', 'transfer'], 'must be approve or transfer'),
    to: z
      .union([z.enum(['pool', 'contract']), Address], 'must be pool, contract or an address')
      .default('contract'),
  },
  'must be a call: function, args, pay',
)
const literal = z.string('must be a literal, or a list of them')
const Pool = z
  .strictObject(
    {
      address: Address,
      id: z
        .string('must be 0x and 20 or 32 bytes')
        .regex(/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, 'must be 0x and 20 or 32 bytes')
        .transform((id) => id.toLowerCase())
        .optional(),
      tokens: z
        .array(Address, 'must be a list of tokens')
        .min(2, 'must hold at least 2 tokens')
        .max(mostTokens, `must hold at most ${mostTokens} tokens`)
        .refine((tokens) => new Set(tokens).size === tokens.length, 'must not name a token twice')
        .refine(
          (tokens) => !tokens.includes(nativeToken),
          'must not hold the native token: name the wrapped one',
        ),
      largest: z
        .array(
          z
            .string('must be an amount in raw units')
            .regex(/^[1-9]\d{0,37}$/, 'must be an amount in raw units'),
          'must be a list of amounts, one for each token',
        )
        .optional(),
      constants: z
        .record(
          z.string().regex(/^[a-zA-Z]\w{0,31}$/),
          z.union([literal, z.array(literal)], 'must be a literal, or a list of them'),
          'must be literals by names of letters and digits, a letter first',
        )
        .default({}),
    },
    'must be a pool: address, tokens',
  )
  .transform((pool): DeclaredPool => ({ ...pool, id: pool.id ?? pool.address }))
const Venue = z.strictObject(
  {
    name: z
      .string('must be a name')
      .regex(
        /^[a-z][a-z0-9-]{0,31}$/,
        'must be 1 to 32 lower-case letters, digits or hyphens, a letter first',
      ),
    chainId: whole(1, Number.MAX_SAFE_INTEGER).default(1),
    gas: whole(1, 30_000_000),
    trust: z.enum(['none', 'operator'], 'must be none or operator').default('none'),
    holder: place.default('pool'),
    quote: Quote,
    swap: Swap,
    pools: z
      .array(Pool, 'must be a list of pools')
      .min(1, 'must hold at least 1 pool')
      .max(mostPools, `must hold at most ${mostPools} pools`),
  },
  'must be a venue: name, gas, quote, swap, pools',
)

/** Takes what a file says, and what it gave before. */
export const DeclaredVenues: z.ZodType<readonly DeclaredVenue[]> = z
  .array(Venue, 'must be a list of venues')
  .max(mostVenues, `must hold at most ${mostVenues} venues`)

const File = z.strictObject({ venues: DeclaredVenues }, 'must be a map: venues')

/** @returns the venues, or none and sentences on what is wrong, each with its line. */
export function readVenuesFile(path: string): {
  readonly venues: readonly DeclaredVenue[]
  readonly problems: readonly string[]
} {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { venues: [], problems: [`${path} cannot be read (${code}).`] }
  }
  if (text.length > mostBytes) {
    return { venues: [], problems: [`${path} is longer than ${mostBytes} characters.`] }
  }
  const { venues, problems } = parseVenues(text)
  return { venues, problems: problems.map(toSentence) }
}

/** @returns the venues, or none and what is wrong: all of it, or the first hundred mistakes. */
export function parseVenues(text: string): {
  readonly venues: readonly DeclaredVenue[]
  readonly problems: readonly FileProblem[]
} {
  const file = parseYaml(text, { asText: true })
  if (file.problems.length > 0) return { venues: [], problems: file.problems }
  const parsed = File.safeParse(file.value)
  if (!parsed.success) return { venues: [], problems: problemsOf(file, parsed.error) }
  const { venues } = parsed.data
  const problems = [...venues.flatMap(venueProblems), ...repeated(venues)]
    .slice(0, mostProblems)
    .map(({ path, message }) => ({
      line: file.lineOf(['venues', ...path]),
      message: `${placeText(['venues', ...path])} ${message}`,
    }))
    .sort((a, b) => a.line - b.line)
  return { venues: problems.length > 0 ? [] : venues, problems }
}

interface Problem {
  /** Within the list of venues. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function venueProblems(venue: DeclaredVenue, index: number): Problem[] {
  const problems: Problem[] = []
  const add = (path: readonly PropertyKey[], message: string) =>
    problems.push({ path: [index, ...path], message })
  if (!chainById(venue.chainId)) {
    add(['chainId'], `must be the id of a known chain; ${knownChains} are`)
  }
  for (const [place, pool] of venue.pools.entries()) {
    if (pool.largest && pool.largest.length !== pool.tokens.length) {
      add(['pools', place, 'largest'], 'must have one amount for each token')
    }
    for (const name of swapNames) {
      if (!Object.hasOwn(pool.constants, name)) continue
      add(['pools', place, 'constants', name], 'must have another name: this one has a meaning')
    }
  }
  const { quote, swap } = venue
  if (!usesName(quote.args, 'amountIn')) add(['quote', 'args'], 'must use amountIn')
  if (swap.pay === 'transfer' && usesName(swap.args, 'amountIn')) {
    add(['swap', 'args'], 'must not use amountIn: what was transferred has left the balance')
  }
  const quoted = callProblem(venue, quote, quoteNames)
  if (quoted) add(['quote', ...quoted.path], quoted.message)
  else if (!leadsToNumber(parseFunction(quote.function)?.outputs ?? [], quote.output)) {
    add(['quote', 'output'], 'does not lead to a number among the results of the function')
  }
  const swapped = callProblem(venue, swap, swapNames)
  if (swapped) add(['swap', ...swapped.path], swapped.message)
  return problems
}

/** What is wrong with the call for the first pool for which something is; null: nothing. */
function callProblem(
  { pools }: DeclaredVenue,
  declared: DeclaredCall,
  names: readonly string[],
): Problem | null {
  const abi = parseFunction(declared.function)
  if (!abi) {
    const message = 'must be the signature of a function, such as function f(uint256 a)'
    return { path: ['function'], message }
  }
  for (const [place, pool] of pools.entries()) {
    const message = argumentProblem(abi, declared, pool, names)
    if (!message) continue
    const of = place === 0 ? '' : ` for pools[${place}]`
    return { path: ['args', ...message.path], message: `${message.message}${of}` }
  }
  return null
}

function argumentProblem(
  abi: AbiFunction,
  { args }: DeclaredCall,
  pool: DeclaredPool,
  names: readonly string[],
): Problem | null {
  const [tokenIn = zeroAddress, tokenOut = zeroAddress] = pool.tokens
  const address = zeroAddress
  const values = new Map(
    Object.entries({
      ...namesOf(pool, tokenIn, tokenOut),
      amountIn: 1n,
      recipient: address,
      executor: address,
      deadline: 1n,
    }).filter(([name]) => names.includes(name) || Object.hasOwn(pool.constants, name)),
  )
  try {
    const encoded = argumentValues(abi.inputs, args, Object.fromEntries(values))
    encodeFunctionData({ abi: [abi], functionName: abi.name, args: encoded })
    return null
  } catch (error) {
    if (error instanceof UnfitArgument) return { path: error.path, message: error.message }
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    return { path: [], message: `do not fit the function: ${reason.replace(/\.$/, '')}` }
  }
}

function leadsToNumber(outputs: readonly AbiParameter[], path: readonly number[]): boolean {
  const [index = 0, ...rest] = path
  const output = outputs[index]
  if (!output) return false
  let { type } = output
  for (const [depth, inner] of rest.entries()) {
    const list = /^(.*)\[\d*\]$/.exec(type)
    if (list) type = list[1] ?? ''
    else if ('components' in output) {
      return leadsToNumber(output.components, [inner, ...rest.slice(depth + 1)])
    } else return false
  }
  return /^u?int\d*$/.test(type)
}

/** Names of venues, and ids of pools on a chain, that stand twice. */
function repeated(venues: readonly DeclaredVenue[]): Problem[] {
  const seen = new Set<string>()
  const isRepeated = (key: string) => seen.size === seen.add(key).size
  return venues.flatMap(({ name, chainId, pools }, index) => [
    ...(isRepeated(name) ? [{ path: [index, 'name'], message: 'is the name of another one' }] : []),
    ...pools.flatMap(({ id }, place) =>
      isRepeated(`${chainId}:${id}`)
        ? [{ path: [index, 'pools', place], message: `has the id of another pool: ${id}` }]
        : [],
    ),
  ])
}
