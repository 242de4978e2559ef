/**
 * What a request says, by the conventions of the API family: four spellings of a list, text for every value, empty
 * text and `null` for "not given". Names what is wrong with it, so that an answer to it can be judged.
 */
import { isAddress } from 'viem'

const isBps = (text: string) => /^\d+(\.\d{1,2})?$/.test(text) && Number(text) <= 10_000

const kinds = {
  // Letter case is free unless it carries a checksum, which then must be right.
  address: (text: string) =>
    /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) || isAddress(text, { strict: true }),
  wei: (text: string) => /^\d+$/.test(text) && BigInt(text) < 2n ** 256n,
  integer: (text: string) => /^\d+$/.test(text) && Number.isSafeInteger(Number(text)),
  number: (text: string) => Number.isFinite(Number(text)),
  boolean: (text: string) => text === 'true' || text === 'false',
  bps: isBps,
  slippage: (text: string) => text === 'auto' || isBps(text),
  /** Of one amount. */
  fee: (text: string) => /^\d+$/.test(text) && Number(text) <= 100,
  chainOrAll: (text: string) => text === 'all' || /^\d+$/.test(text),
  text: () => true,
} satisfies Record<string, (text: string) => boolean>

type Kind = keyof typeof kinds

/** `!` after a kind: required. `[]`: a list, which may also be one value. */
export type Inputs = Readonly<Record<string, Kind | `${Kind}${'!' | '[]' | '[]!'}`>>

export interface Request {
  readonly method: string
  /** As it was sent, below `/api/v1`. */
  readonly path: string
  readonly parameters: ReadonlyMap<string, readonly string[]>
  /** JSON; undefined without one. */
  readonly body: unknown
  /** What the path names, in its order. */
  readonly named: readonly string[]
}

/** The values of each name, `k[]` and `k[0]` being `k`. */
export function parametersOf(query: URLSearchParams): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [name, value] of query) {
    const key = name.replace(/\[\d*\]$/, '')
    found.set(key, [...(found.get(key) ?? []), value])
  }
  return found
}

/** The same of a JSON object, whose lists are lists. */
export function parametersOfBody(body: unknown): Map<string, string[]> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return new Map()
  return new Map(
    Object.entries(body).map(([name, value]) => [
      name,
      [value ?? []].flat().map((one) => (typeof one === 'object' ? '' : textOf(one))),
    ]),
  )
}

/** Numbers without an exponent. */
function textOf(value: unknown): string {
  return typeof value === 'number' && Number.isInteger(value)
    ? BigInt(value).toString()
    : String(value)
}

/** Values of a list, also where it is one text with commas. */
export function listOf(request: Request, name: string): string[] {
  const values = request.parameters.get(name) ?? []
  return values.flatMap((value) => value.split(',')).filter(isGiven)
}

export function firstOf(request: Request, name: string): string | undefined {
  return request.parameters.get(name)?.find(isGiven)
}

export function isTrue(request: Request, name: string): boolean {
  return firstOf(request, name) === 'true'
}

const isGiven = (value: string) => value !== '' && value !== 'null'

/** What is wrong with the request; an answer that is a success has nothing of it. */
export function problemsOf(request: Request, inputs: Inputs): string[] {
  return Object.entries(inputs).flatMap(([name, form]) => {
    const kind = form.replace(/[![\]]/g, '') as Kind
    const isList = form.includes('[]')
    const sent = request.parameters.get(name) ?? []
    const values = isList ? listOf(request, name) : sent.filter(isGiven)
    if (values.length === 0) return form.endsWith('!') ? [`${name} is missing`] : []
    if (!isList && sent.length > 1) return [`${name} is given ${sent.length} times`]
    return values.flatMap((value) =>
      kinds[kind](value) ? [] : [`${name}: ${value.slice(0, 80)} is no ${kind}`],
    )
  })
}
