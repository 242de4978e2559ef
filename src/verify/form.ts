/** The form of an evidence file, and what is signed of it. */
import type { Hex } from 'viem'

/** Ether, or a word of storage in a token's mapping, that the sender is assumed to have. */
export interface Assumption {
  /** Of the token; null: ether, whose amount is the value. */
  readonly token: Hex | null
  readonly slot: Hex
  readonly value: Hex
  /** What is hashed to get the slot, the outermost first: each holds the hash of the next, and one of them the sender. */
  readonly preimages: readonly Hex[]
}

/** What is signed. Quantities are hexadecimal; those of request and answer are as the service gives them. */
export interface Evidence {
  readonly format: 'forkroute-evidence-1'
  readonly madeBy: { readonly version: string; readonly build: string; readonly anvil: string }
  readonly request: { readonly endpoint: 'route' | 'quote'; readonly input: Fields }
  readonly answer: Fields
  readonly block: {
    readonly chainId: number
    readonly hash: Hex
    readonly header: Readonly<Record<string, Hex>>
  }
  /** The transaction in the block after, as it was simulated. */
  readonly execution: {
    readonly transaction: Record<'from' | 'to' | 'data' | 'value' | 'gas', Hex>
    readonly hardFork: string
    /** Unix seconds. */
    readonly time: Hex
    /** Wei per gas. */
    readonly baseFeePerGas: Hex
    readonly priorityFeePerGas: Hex
    readonly assumed: readonly Assumption[]
  }
  /** All that it reads. Nodes of the tries and codes are each there once, in any order. */
  readonly state: {
    readonly accounts: readonly { readonly address: Hex; readonly slots: readonly Hex[] }[]
    readonly nodes: readonly Hex[]
    readonly codes: readonly Hex[]
  }
}

export interface EvidenceFile {
  readonly evidence: Evidence
  /** Ed25519, 32 bytes. */
  readonly publicKey: Hex
  /** Of `signedBytes`, 64 bytes. */
  readonly signature: Hex
}

export type Fields = Readonly<Record<string, unknown>>

const hex = (bytes: number) => new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`)
const [address, word, quantity] = [hex(20), hex(32), /^0x(0|[1-9a-f][0-9a-f]{0,63})$/]
const bytes = /^0x(?:[0-9a-f]{2})*$/
const text = /^[\x20-\x7e]{0,100}$/
/** Text by its pattern, lists by that of their entries, objects by exactly their fields; functions are of anything else. */
const fileForm = {
  evidence: {
    format: /^forkroute-evidence-1$/,
    madeBy: { version: text, build: text, anvil: text },
    request: { endpoint: /^(route|quote)$/, input: isObject },
    answer: isObject,
    block: { chainId: Number.isSafeInteger, hash: word, header: isObject },
    execution: {
      transaction: { from: address, to: address, data: bytes, value: quantity, gas: quantity },
      hardFork: /^[a-z]{1,20}$/,
      time: quantity,
      baseFeePerGas: quantity,
      priorityFeePerGas: quantity,
      assumed: [{ token: isTokenOrNull, slot: word, value: word, preimages: [bytes] }],
    },
    state: { accounts: [{ address, slots: [word] }], nodes: [bytes], codes: [bytes] },
  },
  publicKey: hex(32),
  signature: hex(64),
}

/** Characters of a file at most. */
const longestFile = 16 * 1024 * 1024

/** @throws Error that says what is wrong with it. */
export function parseEvidence(content: string): EvidenceFile {
  need(content.length <= longestFile, 'it is longer than any evidence')
  const file: unknown = JSON.parse(content)
  checkForm(file, fileForm, 'the file')
  return file as EvidenceFile
}

function checkForm(value: unknown, form: unknown, name: string): void {
  if (form instanceof RegExp)
    need(typeof value === 'string' && form.test(value), `${name} is malformed`)
  else if (typeof form === 'function') need(form(value), `${name} is malformed`)
  else if (Array.isArray(form)) {
    need(Array.isArray(value), `${name} is not a list`)
    for (const [at, entry] of (value as unknown[]).entries())
      checkForm(entry, form[0], `${name} ${at}`)
  } else {
    need(isObject(value), `${name} is not an object`)
    const names = Object.keys(form as Fields)
    const isExact = Object.keys(value as Fields).length === names.length
    need(
      isExact && names.every((key) => Object.hasOwn(value as Fields, key)),
      `${name} has other fields`,
    )
    for (const key of names)
      checkForm((value as Fields)[key], (form as Fields)[key], `${name}.${key}`)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTokenOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && address.test(value))
}

/** @throws Error with the message. */
export function need(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message)
}

/** The bytes that are signed: equal for equal evidence, however its JSON is written. */
export function signedBytes(evidence: Evidence): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`forkroute evidence\n${canonical(evidence)}`)
}

/** JSON with the keys of objects in order and no white space. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`
}
