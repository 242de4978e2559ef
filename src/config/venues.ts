/** The file of VENUES: pools that routes lead through without an adapter in code. Every mistake is told with its line. */
import { z } from 'zod'
import {
  type DeclaredArgument,
  type DeclaredPool,
  type DeclaredVenue,
  mostTokens,
} from '../domain/declared-venue.js'
import { addressPattern, hasValidChecksum, wrongChecksum } from '../domain/grammar.js'
import { nativeToken, toAddress, zeroAddress } from '../domain/primitives.js'
import { repeatedIn, venueProblems } from './venue-problems.js'
import {
  type FileProblem,
  mostProblems,
  parseYaml,
  placeText,
  problemsOf,
  readDeclarations,
  toSentence,
} from './yaml-file.js'

const mostVenues = 100
const mostPools = 500
/** Pools of one factory. */
const mostMade = 100_000
const usualMade = 10_000
/** A pool is quoted dozens of times at a block. */
const mostQuoteGas = 10_000_000
const mostLimits = 8

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
  .regex(addressPattern, { error: 'must be an address', abort: true })
  .refine(hasValidChecksum, wrongChecksum)
  .transform(toAddress)
const Token = Address.refine(
  (token) => token !== zeroAddress,
  `must not be the zero address: the native token is ${nativeToken}`,
)
const place = z.union(
  [z.literal('pool'), Address],
  'must be pool or an address, whose checksum is right or left out',
)
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
const output = z
  .array(whole(0, 63), 'must be a list of indexes, such as [0]')
  .min(1, 'must be a list of indexes, such as [0]')
  .max(8, 'must hold at most 8 indexes')
  .default([0])
const Limit = z.strictObject(
  {
    ...call,
    output,
    of: z.enum(['tokenIn', 'tokenOut'], 'must be tokenIn or tokenOut').optional(),
    negated: flag.optional(),
  },
  'must be a call: function, args',
)
const Quote = z.strictObject(
  {
    ...call,
    output,
    negated: flag.default(false),
    gasLimit: whole(21_000, mostQuoteGas).default(1_000_000),
    limits: z
      .array(Limit, 'must be a list of calls')
      .max(mostLimits, `must hold at most ${mostLimits} calls`)
      .default([]),
  },
  'must be a call: function, args',
)
const Swap = z.strictObject(
  {
    ...call,
    pay: z.enum(['approve', 'transfer', 'callback'], 'must be approve, transfer or callback'),
    to: z
      .union(
        [z.enum(['pool', 'contract']), Address],
        'must be pool, contract or an address, whose checksum is right or left out',
      )
      .default('contract'),
  },
  'must be a call: function, args, pay',
)
const literal = z.string('must be a literal, or a list of them')
const Constant = z.string().regex(/^[a-zA-Z]\w{0,31}$/)
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
        .array(Token, 'must be a list of tokens')
        .min(2, 'must hold at least 2 tokens')
        .max(mostTokens, `must hold at most ${mostTokens} tokens`)
        .refine((tokens) => new Set(tokens).size === tokens.length, 'must not name a token twice'),
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
          Constant,
          z.union([literal, z.array(literal)], 'must be a literal, or a list of them'),
          'must be literals by names of letters and digits, a letter first',
        )
        .default({}),
    },
    'must be a pool: address, tokens',
  )
  .transform((pool): DeclaredPool => ({ ...pool, id: pool.id ?? pool.address }))
const Parameter = z
  .string('must be the name of a parameter of the event')
  .regex(/^[a-zA-Z_]\w{0,63}$/, 'must be the name of a parameter of the event')
const Factory = z.strictObject(
  {
    address: Address,
    event: z
      .string('must be the signature of an event')
      .max(2_000, 'must be the signature of an event'),
    pool: z.union([Address, Parameter], 'must be a parameter of the event, or an address'),
    id: Parameter.optional(),
    tokens: z
      .array(
        z.union([Address, Parameter], 'must be a parameter of the event, or an address'),
        'must be a list of parameters of the event',
      )
      .min(1, 'must hold at least 1 parameter')
      .max(mostTokens, `must hold at most ${mostTokens} parameters`),
    constants: z
      .record(Constant, Parameter, 'must be parameters of the event by names of constants')
      .default({}),
    fromBlock: whole(0, Number.MAX_SAFE_INTEGER).default(0),
    mostPools: whole(1, mostMade).default(usualMade),
  },
  'must be a factory: address, event, pool, tokens',
)
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
    nativeAs: Address.optional(),
    quote: Quote,
    swap: Swap,
    reverse: z.strictObject({ quote: Quote, swap: Swap }, 'must be calls: quote, swap').optional(),
    pools: z
      .array(Pool, 'must be a list of pools')
      .max(mostPools, `must hold at most ${mostPools} pools`)
      .default([]),
    factory: Factory.optional(),
    // Of what a cassette keeps: a file need not say it.
    sizesByDepth: flag.optional(),
  },
  'must be a venue: name, gas, quote, swap, pools or factory',
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
  const file = readDeclarations(path)
  if ('problem' in file) return { venues: [], problems: [file.problem] }
  const { venues, problems } = parseVenues(file.text)
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
  const problems = [...venues.flatMap(venueProblems), ...repeatedIn(venues)]
    .slice(0, mostProblems)
    .map(({ path, message }) => ({
      line: file.lineOf(['venues', ...path]),
      message: `${placeText(['venues', ...path])} ${message}`,
    }))
    .sort((a, b) => a.line - b.line)
  const declared = venues.map((venue) => ({ ...venue, sizesByDepth: true }))
  return { venues: problems.length > 0 ? [] : declared, problems }
}
