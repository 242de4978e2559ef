/**
 * The vocabulary of the wire: the allowed forms of every request field, and its parsed value.
 * All inputs are strings here, as `input.ts` makes them from queries and JSON bodies.
 * Addresses are lower-cased here, once. Messages complete the sentence "<field> …".
 */
import { z } from 'zod'
import { type BlockTag, blockTagForms, parseBlockTag } from '../domain/block-tag.js'
import { type Deadline, deadlineForms, parseDeadline } from '../domain/deadline.js'
import { defined } from '../domain/defined.js'
import {
  addressForm,
  addressPattern,
  amountPattern,
  hasValidChecksum,
  separatedPattern,
  slippageForm,
  slippagePattern,
  toCentiBps,
  wrongChecksum,
} from '../domain/grammar.js'
import { type RoutingStrategy, routingStrategies } from '../domain/order.js'
import {
  type Address as Address20,
  bpsDenominator,
  centiBpsDenominator,
  defaultCentiBps,
  type Hex,
  maxUint256,
  nativeToken,
  toAddress,
  toBps,
  zeroAddress,
} from '../domain/primitives.js'
import { defaultMaxSlippageBps } from '../domain/validity.js'

/** Documents a string of the query as the JSON type that it represents. */
function documentedAs(type: 'integer' | 'number' | 'boolean', more: Record<string, unknown> = {}) {
  return {
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.pattern
      delete jsonSchema.enum
      Object.assign(jsonSchema, { type, ...more })
    },
  }
}

/** For a refinement: what to give in place of what is refused; null: nothing. */
function instead(value: string | null): { readonly instead: string | null } {
  return { instead: value }
}

const addressMessage = `must be ${addressForm}`
export const Address = z
  .string(addressMessage)
  .regex(addressPattern, { error: addressMessage, abort: true })
  .refine(hasValidChecksum, wrongChecksum)
  .transform((text): Address20 => toAddress(text))

/**
 * Address of a token. The native token, which other services write as the zero address, has a constant of its own here.
 */
export const TokenAddress = Address.refine((token) => token !== zeroAddress, {
  error: `must not be the zero address: the native token is ${nativeToken}`,
  params: instead(nativeToken),
})

/** Examples of required fields: together they form requests that work on the sandbox. */
export const examples = {
  sender: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  oneEther: '1000000000000000000',
} as const

const amountMessage = 'must be an amount in the smallest unit: a decimal string below 2^256'
const inexactMessage = 'must be a string: a number above 2^53 loses digits'
/** Raw units, zero allowed. */
export const AmountOrZero = z
  .string({ error: ({ input }) => (typeof input === 'number' ? inexactMessage : amountMessage) })
  .superRefine((text, context) => {
    if (!separatedPattern.test(text)) return
    const digits = text.replaceAll(',', '')
    const message = `must be written without separators: ${digits}`
    context.addIssue({ code: 'custom', message, params: instead(digits), continue: false })
  })
  .regex(amountPattern, { error: amountMessage, abort: true })
  .transform(BigInt)
  .refine((amount) => amount <= maxUint256, amountMessage)

/** Raw units, > 0. */
export const Amount = AmountOrZero.refine((amount) => amount > 0n, 'must be greater than zero')

/** @param advice - is added to what is said of anything else. */
export function integer(min: number, max: number, advice = '') {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  const error = `must be an integer ${range}${advice}`
  return z
    .string(error)
    .regex(/^\d{1,16}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, error)
    .meta(documentedAs('integer', { minimum: min, maximum: max }))
}

const tagMessage16 = 'must be a tag of 16 bytes: 0x and 32 hexadecimal digits'
export const Tag = z
  .string(tagMessage16)
  .regex(/^0x[0-9a-fA-F]{32}$/, tagMessage16)
  .transform((text) => text.toLowerCase() as Hex)

export const ChainId = integer(1, Number.MAX_SAFE_INTEGER).meta({
  description: 'EIP-155 chain id.',
})

export const BlockNumber = integer(0, Number.MAX_SAFE_INTEGER, '; without it the newest is taken')
  .transform(BigInt)
  .meta({ description: 'Calculate at the end of this block; absent: the newest pinned block.' })

const tagMessage = `must be ${blockTagForms}`
export const BlockTagText = z
  .string(tagMessage)
  .transform((text, context): BlockTag => {
    try {
      return parseBlockTag(text)
    } catch {
      context.addIssue({ code: 'custom', message: tagMessage })
      return z.NEVER
    }
  })
  .meta({ description: `A block: ${blockTagForms}.` })

export const DeadlineMs = integer(50, 60_000).meta({
  description: 'Answer with the best found by then, in milliseconds.',
})

const deadlineMessage = `must be ${deadlineForms}`
export const TransactionDeadline = z
  .string(deadlineMessage)
  .transform((text, context): Deadline => {
    try {
      return parseDeadline(text)
    } catch {
      context.addIssue({ code: 'custom', message: deadlineMessage })
      return z.NEVER
    }
  })
  .meta({
    description: `After it the transaction reverts: ${deadlineForms}. Absent: no deadline.`,
  })

const decimalMessage = 'must be a number'
/** A number to compare with, such as an APY or a TVL. */
export const Decimal = z
  .string(decimalMessage)
  .regex(/^-?\d{1,15}(\.\d{1,18})?$/, decimalMessage)
  .transform(Number)
  .meta(documentedAs('number'))

export const Flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .meta(documentedAs('boolean'))

const autoSlippage = 'auto'
const slippageOrAutoPattern = new RegExp(`${slippagePattern.source}|^${autoSlippage}$`)
const slippageMessage = `must be ${slippageForm}`
/** Basis points on the wire, hundredths of a basis point inside. */
export const Slippage = z
  .string(slippageMessage)
  .regex(slippagePattern, { error: slippageMessage, abort: true })
  .transform(toCentiBps)
  .refine((centiBps) => centiBps <= centiBpsDenominator, slippageMessage)
  .meta({
    description: `Basis points with at most two decimals; ${toBps(defaultCentiBps)} when neither it nor minAmountOut is given.`,
  })

/** The same, or `auto`, which leaves it to be measured. */
export const SlippageOrAuto = z
  .string(slippageMessage)
  .regex(slippageOrAutoPattern, { error: slippageMessage, abort: true })
  .transform((text) => (text === autoSlippage ? autoSlippage : toCentiBps(text)))
  .refine((given) => given === autoSlippage || given <= centiBpsDenominator, slippageMessage)
  .meta({
    description:
      `Basis points with at most two decimals, or auto; ${toBps(defaultCentiBps)} when neither it nor minAmountOut is given. ` +
      'auto: the least with which 99.5 % of the quotes before the block would have been filled up to three blocks later.',
  })

/** Only as `auto`: a quote promises no minimum, and any other slippage is not known to it. */
export const AutoSlippageOnly = z
  .unknown()
  .transform((given) => (given === autoSlippage ? autoSlippage : undefined))
  .meta({
    description:
      'auto: adds the slippage with which 99.5 % of the quotes before the block would have been filled up to three blocks ' +
      'later. Any other value is ignored.',
    type: 'string',
  })

export const MaxSlippage = integer(1, Number(bpsDenominator)).meta({
  description: `With slippage=auto: basis points that it is at most; default ${defaultMaxSlippageBps}.`,
})

/** Whole basis points; the allowed range depends on the endpoint. */
export const FeeBps = z
  .string('must be whole basis points')
  .regex(/^\d{1,5}$/, { error: 'must be whole basis points', abort: true })
  .transform(BigInt)
  .refine((bps) => bps <= 100n, 'must be at most 100 basis points')
  .meta({
    // Bodies of clients hold numbers as well as texts.
    override: ({ jsonSchema }) => {
      const { pattern = '' } = jsonSchema
      delete jsonSchema.type
      delete jsonSchema.pattern
      jsonSchema.anyOf = [
        { type: 'string', pattern },
        { type: 'integer', minimum: 0, maximum: 100 },
      ]
    },
  })

export const ReferralCode = z
  .string('must be 1 to 16 printable ASCII characters')
  .regex(/^[\x20-\x7e]{1,16}$/, 'must be 1 to 16 printable ASCII characters')
  .meta({ description: 'At most 16 characters, carried in the on-chain event.' })

export const Name = z.string('must be a text').max(256, 'must be at most 256 characters')

const poolMessage = 'must be an address (20 bytes) or an id (32 bytes) of a pool'
/** Lower-case. */
export const TransactionHash = hashOf('a transaction')
/** Lower-case. */
export const OrderHash = hashOf('an order')

function hashOf(what: string) {
  const message = `must be the hash of ${what} (32 bytes)`
  return z
    .string(message)
    .regex(/^0x[0-9a-fA-F]{64}$/, message)
    .transform((text) => text.toLowerCase() as Hex)
}

/** Lower-case. */
export const PoolId = z
  .string('must be a pool')
  .transform((text) => text.toLowerCase())
  .refine((id) => /^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(id), poolMessage)

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`)
}

/** The schema of lower-case words, or of any, for any letter case; parsed to lower case. */
export function anyCase<T extends z.ZodType<string>>(words: T) {
  return z
    .preprocess((value) => (typeof value === 'string' ? value.toLowerCase() : value), words)
    .meta({ override: z.toJSONSchema(words) as Record<string, unknown> })
}

/** A default whose documented form differs from the parsed value; zod leaves such defaults out of the document. */
export function withDefault<T extends z.ZodType>(
  schema: T,
  parsed: z.core.util.NoUndefined<z.output<T>>,
  documented: string | number | boolean | readonly never[],
) {
  return schema.default(parsed).meta({ ...schema.meta(), override: { default: documented } })
}

/** The schema with its meaning in the document. @param example - of a required field only. */
export function described<T extends z.ZodType>(schema: T, description: string, example?: unknown) {
  return schema.meta({ description, ...defined({ example }) })
}

export function listOf<T extends z.ZodType>(item: T, min: number, max: number) {
  return z
    .array(item, 'must be a list')
    .min(min, `must hold at least ${min} value`)
    .max(max, `must hold at most ${max} values`)
}

/** The strategy's name on the wire: `wallet-v2` is prefixed with the service name. */
export function strategyToWire(strategy: RoutingStrategy, serviceName: string): string {
  return strategy === 'wallet-v2' ? `${serviceName}wallet-v2` : strategy
}

export function routingStrategy(serviceName: string) {
  const byWire = new Map(routingStrategies.map((name) => [strategyToWire(name, serviceName), name]))
  const names = [...byWire.keys()] as [string, ...string[]]
  return oneOf(names)
    .transform((text): RoutingStrategy => byWire.get(text) ?? 'router')
    .meta({
      description:
        'What executes: router pulls tokenIn from fromAddress (it needs an allowance); delegate runs ' +
        `inside fromAddress; ${strategyToWire('wallet-v2', serviceName)} runs in its smart wallet.`,
    })
}
