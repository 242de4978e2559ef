/** What is wrong with the venues of a file beyond the form of its fields: each mistake with its place. Pure. */
import {
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  encodeFunctionData,
  toEventSelector,
  zeroHash,
} from 'viem'
import { chainById } from '../chains/registry.js'
import {
  argumentValues,
  type DeclaredCall,
  type DeclaredCalls,
  type DeclaredFactory,
  type DeclaredPool,
  type DeclaredVenue,
  limitNames,
  namesOf,
  parseEvent,
  parseFunction,
  quoteNames,
  swapNames,
  UnfitArgument,
  usesName,
  wordOf,
} from '../domain/declared-venue.js'
import { type Address, nativeToken, zeroAddress } from '../domain/primitives.js'
import { knownChains } from './chains.js'

interface Problem {
  /** Within the list of venues. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export function venueProblems(venue: DeclaredVenue, index: number): Problem[] {
  const problems: Problem[] = []
  const add = (path: readonly PropertyKey[], message: string) =>
    problems.push({ path: [index, ...path], message })
  if (!chainById(venue.chainId)) {
    add(['chainId'], `must be the id of a known chain; ${knownChains} are`)
  }
  if (venue.pools.length === 0 && !venue.factory) {
    add(['pools'], 'must hold at least 1 pool, where there is no factory')
  }
  for (const [place, pool] of venue.pools.entries()) {
    if (pool.tokens.includes(nativeToken)) {
      if (!pool.largest) {
        add(
          ['pools', place],
          'must have largest, since what it has of the native token is not read',
        )
      }
      if (venue.swap.pay === 'callback' || venue.reverse?.swap.pay === 'callback') {
        add(['pools', place, 'tokens'], 'must not hold the native token, which no callback pays')
      }
    }
    if (pool.largest && pool.largest.length !== pool.tokens.length) {
      add(['pools', place, 'largest'], 'must have one amount for each token')
    }
    for (const name of swapNames) {
      if (!Object.hasOwn(pool.constants, name)) continue
      add(['pools', place, 'constants', name], 'must have another name: this one has a meaning')
    }
  }
  if (venue.factory) {
    for (const { path, message } of factoryProblems(venue.factory))
      add(['factory', ...path], message)
  }
  for (const { path, message } of callsProblems(venue, venue)) add(path, message)
  if (venue.reverse) {
    for (const { path, message } of callsProblems(venue, venue.reverse)) {
      add(['reverse', ...path], message)
    }
  }
  return problems
}

function callsProblems(venue: DeclaredVenue, { quote, swap }: DeclaredCalls): Problem[] {
  const problems: Problem[] = []
  const add = (path: readonly PropertyKey[], message: string) => problems.push({ path, message })
  if (!usesName(quote.args, 'amountIn')) add(['quote', 'args'], 'must use amountIn')
  if (swap.pay === 'callback' && swap.to !== 'contract') {
    add(['swap', 'to'], 'must be absent: the contract that calls back is paid')
  }
  const outputs = parseFunction(quote.function)?.outputs ?? []
  const quoted = callProblem(venue, quote, quoteNames)
  if (quoted) add(['quote', ...quoted.path], quoted.message)
  else if (!isNumber(typeAt(outputs, quote.output))) {
    add(['quote', 'output'], 'does not lead to a number among the results of the function')
  } else if (usesName(swap.args, 'quotedOut')) {
    if (quote.negated) add(['swap', 'args'], 'must not use quotedOut, where the quote is negated')
    if (wordOf(outputs, quote.output) === null) {
      add(['swap', 'args'], 'must not use quotedOut, where no fixed place of the results has it')
    }
  }
  for (const [place, limit] of quote.limits.entries()) {
    const path = ['quote', 'limits', place]
    const limited = callProblem(venue, limit, limitNames)
    if (limited) add([...path, ...limited.path], limited.message)
    else {
      const type = typeAt(parseFunction(limit.function)?.outputs ?? [], limit.output)
      const wanted = limit.of ? 'a number' : 'true or false, or of must say what the number bounds'
      if (limit.of ? !isNumber(type) : type !== 'bool') {
        add([...path, 'output'], `must lead to ${wanted}`)
      } else if (limit.of && limit.negated) {
        add([...path, 'negated'], 'must be absent, where a number bounds an amount')
      }
    }
  }
  const swapped = callProblem(venue, swap, swapNames)
  if (swapped) add(['swap', ...swapped.path], swapped.message)
  return problems
}

function topicOf({ event: signature }: DeclaredFactory): string {
  const event = parseEvent(signature)
  return event ? toEventSelector(event) : signature
}

/** Types of parameters that constants can be. */
const scalar = /^(address|bool|string|u?int\d*|bytes\d*)$/

function factoryProblems(factory: DeclaredFactory): Problem[] {
  const event = parseEvent(factory.event)
  if (!event) {
    const message = 'must be the signature of an event, such as event Made(address indexed pool)'
    return [{ path: ['event'], message }]
  }
  const parameters = event.inputs.map((input) => `${input.name ?? ''}: ${input.type}`).join(', ')
  const isOf = (name: string, type: RegExp) => type.test(parameterOf(event, name)?.type ?? '')
  const problems: Problem[] = []
  const require = (path: readonly PropertyKey[], name: string, type: RegExp, what: string) => {
    if (isOf(name, type)) return
    const message = `must be a parameter of the event that is ${what}; it has ${parameters}`
    problems.push({ path, message })
  }
  if (!factory.pool.startsWith('0x')) require(['pool'], factory.pool, /^address$/, 'an address')
  else if (factory.id === undefined) {
    problems.push({
      path: ['id'],
      message: 'must tell the pools apart, where they share a contract',
    })
  }
  if (factory.id !== undefined) {
    require(['id'], factory.id, /^(address|bytes20|bytes32)$/, '20 or 32 bytes')
  }
  for (const [place, name] of factory.tokens.entries()) {
    if (name.startsWith('0x')) continue
    require(['tokens', place], name, /^address(\[\d*\])?$/, 'an address, or a list of them')
    const isHashed =
      /\]$/.test(parameterOf(event, name)?.type ?? '') && parameterOf(event, name)?.indexed
    if (isHashed) problems.push({ path: ['tokens', place], message: 'must not be an indexed list' })
  }
  for (const [name, parameter] of Object.entries(factory.constants)) {
    require(['constants', name], parameter, scalar, 'a single value')
    if (swapNames.some((each) => each === name)) {
      const message = 'must have another name: this one has a meaning'
      problems.push({ path: ['constants', name], message })
    }
  }
  return problems
}

function parameterOf({ inputs }: AbiEvent, name: string) {
  return inputs.find((input) => input.name === name)
}

const [first, second]: readonly Address[] = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
]

/** A pool as the factory makes them, to try calls with; null where its event does not tell one. */
function poolLike(factory: DeclaredFactory): DeclaredPool | null {
  const event = parseEvent(factory.event)
  if (!event || !first || !second) return null
  const constants = Object.entries(factory.constants).map(([name, parameter]) => [
    name,
    literalFor(parameterOf(event, parameter)?.type ?? ''),
  ])
  const id =
    factory.id === undefined ? zeroAddress : literalFor(parameterOf(event, factory.id)?.type ?? '')
  return {
    id,
    address: zeroAddress,
    tokens: [first, second],
    constants: Object.fromEntries(constants),
  }
}

function literalFor(type: string): string {
  if (type === 'bool') return 'true'
  if (type === 'address') return zeroAddress
  const [, bytes] = /^bytes(\d*)$/.exec(type) ?? []
  if (bytes !== undefined) return zeroHash.slice(0, 2 + 2 * Number(bytes))
  return type === 'string' ? '' : '1'
}

/** What is wrong with the call for the first pool for which something is; null: nothing. */
function callProblem(
  venue: DeclaredVenue,
  declared: DeclaredCall,
  names: readonly string[],
): Problem | null {
  const abi = parseFunction(declared.function)
  if (!abi) {
    const message = 'must be the signature of a function, such as function f(uint256 a)'
    return { path: ['function'], message }
  }
  const made = venue.factory ? poolLike(venue.factory) : null
  const pools = [...venue.pools, ...(made ? [made] : [])]
  for (const [place, pool] of pools.entries()) {
    const message = argumentProblem(abi, declared, { venue, pool }, names)
    if (!message) continue
    const of =
      place === 0 ? '' : pool === made ? ' for pools of the factory' : ` for pools[${place}]`
    return { path: ['args', ...message.path], message: `${message.message}${of}` }
  }
  return null
}

function argumentProblem(
  abi: AbiFunction,
  { args }: DeclaredCall,
  { venue, pool }: { readonly venue: DeclaredVenue; readonly pool: DeclaredPool },
  names: readonly string[],
): Problem | null {
  const [tokenIn = zeroAddress, tokenOut = zeroAddress] = pool.tokens
  const address = zeroAddress
  const values = new Map(
    Object.entries({
      ...namesOf(venue, pool, tokenIn, tokenOut),
      amountIn: 1n,
      recipient: address,
      executor: address,
      deadline: 1n,
      quotedOut: 1n,
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

function isNumber(type: string): boolean {
  return /^u?int\d*$/.test(type)
}

/** Type of the result that the path leads to; empty where it leads nowhere. */
function typeAt(outputs: readonly AbiParameter[], path: readonly number[]): string {
  const [index = 0, ...rest] = path
  const output = outputs[index]
  if (!output) return ''
  let { type } = output
  for (const [depth, inner] of rest.entries()) {
    const list = /^(.*)\[\d*\]$/.exec(type)
    if (list) type = list[1] ?? ''
    else if ('components' in output) {
      return typeAt(output.components, [inner, ...rest.slice(depth + 1)])
    } else return ''
  }
  return type
}

/** Names of venues, factories, and ids of pools on a chain, that stand twice. */
export function repeatedIn(venues: readonly DeclaredVenue[]): Problem[] {
  const seen = new Set<string>()
  const isRepeated = (key: string) => seen.size === seen.add(key).size
  return venues.flatMap(({ name, chainId, pools, factory }, index) => [
    ...(factory && isRepeated(`${chainId}:${factory.address}:${topicOf(factory)}`)
      ? [{ path: [index, 'factory'], message: 'is the factory of another venue' }]
      : []),
    ...(isRepeated(name) ? [{ path: [index, 'name'], message: 'is the name of another one' }] : []),
    ...pools.flatMap(({ id }, place) =>
      isRepeated(`${chainId}:${id}`)
        ? [{ path: [index, 'pools', place], message: `has the id of another pool: ${id}` }]
        : [],
    ),
  ])
}
