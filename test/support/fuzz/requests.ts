/** Requests at random for every endpoint that the service's own document lists, bundles of all listed actions included. */
import {
  amount,
  address as anyAddress,
  createDice,
  type Schema,
  sender,
  sensible,
  someOf,
  wild,
} from './values.js'

export interface FuzzRequest {
  readonly endpoint: string
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** As `/api/v1/actions` lists it. */
interface ListedAction {
  readonly action: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/** As `/api/v1/standards` lists it. */
interface ListedProtocol {
  readonly protocol: { readonly slug: string }
  readonly methods: readonly {
    readonly method: string
    readonly inputs: Readonly<Record<string, unknown>>
  }[]
}

/** As `/api/v1/tokens?type=defi` lists it with metadata. */
interface ListedPosition {
  readonly address: string
  readonly primaryAddress: string
  readonly protocolSlug: string
  readonly underlyingTokens: readonly { readonly address: string }[]
}

const ofSwaps = new Set(['tokenIn', 'tokenOut', 'amountIn', 'primaryAddress'])
const mostQuery = 30_000

/** Calculations are asked most. */
function weightOf(path: string): number {
  if (path.endsWith('/bundle')) return 24
  return path.includes('/shortcuts/') ? 8 : 1
}

export function createFuzz(args: {
  readonly openapi: OpenApi
  readonly actions: readonly ListedAction[]
  readonly standards: readonly ListedProtocol[]
  readonly positions: readonly ListedPosition[]
  readonly seed: number
}): () => FuzzRequest {
  const dice = createDice(args.seed)
  const operations = Object.entries(args.openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Array.from({ length: weightOf(path) }, () => ({ path, method, operation })),
    ),
  )
  const others = args.standards.flatMap(({ protocol, methods }) =>
    methods.map(({ method, inputs }) => ({ protocol: protocol.slug, action: method, inputs })),
  )
  const own = args.actions
    .filter(({ action }) => action === 'swap' || !others.some((each) => each.action === action))
    .map(({ action, inputs }) => ({ protocol: 'svc', action, inputs }))

  const routes = own.filter(({ action }) => action === 'route')

  function bundleAction(_: unknown, at: number) {
    // Routes are what bundles hold most.
    const from = dice.chance(40) ? routes : dice.chance(40) ? own : others
    const { protocol, action, inputs } = dice.one(from)
    const positions = args.positions.filter(({ protocolSlug }) => protocolSlug === protocol)
    const position = positions.length ? dice.one(positions) : undefined
    // All that may be given seldom goes together, so most have little more than what swaps need.
    const isPlain = dice.chance(70)
    const isGiven = (name: string) =>
      isPlain ? ofSwaps.has(name) || dice.chance(15) : !dice.mess(6)
    const entries = Object.keys(inputs)
      .filter(isGiven)
      .map((name) => [name, dice.mess(5) ? wild(dice) : argument(name, at, position)])
    return {
      protocol: dice.mess(4) ? wild(dice) : protocol,
      action: dice.mess(4) ? wild(dice) : action,
      args: Object.fromEntries(entries),
    }
  }

  function ofPosition(name: string, position: ListedPosition): unknown {
    const underlying = position.underlyingTokens.map(({ address }) => address)
    if (name === 'primaryAddress') return position.primaryAddress
    const isPaid = dice.chance(50) === (name === 'tokenIn')
    if (name === 'tokenIn' || name === 'tokenOut') {
      return isPaid ? underlying[0] : position.address
    }
    return null
  }

  function argument(name: string, at: number, position: ListedPosition | undefined): unknown {
    const known = position && dice.chance(85) ? ofPosition(name, position) : null
    if (known) return known
    if (/amount|shares|value|^id$|tokenId|nonce|deadline|loss|liquidity|min/i.test(name)) {
      if (at > 0 ? dice.chance(40) : !dice.mess(5)) return amount(dice)
      return {
        useOutputOfCallAt: dice.mess(20) ? dice.below(4) : dice.below(at),
        ...(dice.chance(20) && { index: dice.below(3) }),
      }
    }
    if (name === 'method') return dice.one(['f', 'transfer', 'balanceOf', 'deposit'])
    if (name === 'abi') return dice.one(['function f()', 'function transfer(address,uint256)', 'x'])
    if (name === 'args') return dice.chance(50) ? [] : [anyAddress(dice), amount(dice)]
    if (name === 'receiver' && dice.chance(70)) return sender
    if (name === 'tokenIn' && dice.mess(10)) return [anyAddress(dice), anyAddress(dice)]
    if (/fee$/i.test(name)) return String(dice.one([0, 5, 30, 100, 500, 3_000, 10_000]))
    if (/slippage/i.test(name)) return String(dice.below(dice.mess(30) ? 12_000 : 10_001))
    return /^tick/.test(name) ? 60 * (dice.below(6_000) - 3_000) : anyAddress(dice)
  }

  function bodyOf(path: string, schema: Schema): string {
    if (dice.mess(8)) return dice.one(brokenBodies)
    if (dice.mess(8)) return JSON.stringify(wild(dice))
    const isBundle = path.endsWith('/bundle')
    const few = dice.chance(50) ? 1 : 1 + dice.below(3)
    const count = dice.chance(95) ? few : dice.below(60)
    return JSON.stringify(
      isBundle ? Array.from({ length: count }, bundleAction) : someOf(dice, schema),
    )
  }

  function queryOf(parameters: readonly Parameter[]): string {
    const query = new URLSearchParams()
    for (const { name, required, schema, example } of parameters) {
      const isWanted = required || example !== undefined
      if (isWanted ? dice.mess(5) : !dice.chance(8)) continue
      const isTaken = example !== undefined && dice.chance(40)
      const value = dice.mess(8) ? wild(dice) : isTaken ? example : sensible(dice, name, schema)
      const times = dice.mess(5) ? 2 : 1
      for (let time = 0; time < times; time++) {
        for (const each of Array.isArray(value) ? value : [value]) query.append(name, textOf(each))
      }
    }
    if (dice.mess(8)) query.append('nobody', textOf(wild(dice)))
    return query.toString().slice(0, mostQuery)
  }

  return () => {
    dice.shake()
    const { path, method, operation } = dice.one(operations)
    const parameters = operation.parameters ?? []
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const known = parameters.find((each) => each.name === name)
      const value = dice.chance(15)
        ? wild(dice)
        : (known?.example ?? sensible(dice, name, known?.schema ?? {}))
      return encodeURIComponent(textOf(value))
    })
    const query = queryOf(parameters.filter((parameter) => parameter.in === 'query'))
    const schema = operation.requestBody?.content['application/json']?.schema
    return {
      endpoint: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: query ? `${filled}?${query}` : filled,
      ...(schema && {
        body: bodyOf(path, schema),
        contentType: dice.mess(8) ? 'text/plain' : 'application/json',
      }),
    }
  }
}

const brokenBodies = [
  '',
  '{',
  '"x"',
  '[',
  '[]',
  'null',
  '\u0000',
  '{"a":1,"a":2}',
  '['.repeat(20_000),
  `{"__proto__":{"isAdmin":true},"tokenIn":[]}`,
  `"${'x'.repeat(3_000_000)}"`,
]

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
