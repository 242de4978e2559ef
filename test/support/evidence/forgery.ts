/** Single changes of evidence files, from a seed: what a forger would try, each with the name of what it is. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { createSeededRandom, pick, type SeededRandom } from '../../../src/sandbox/seeded-random.js'
import { type EvidenceFile, signedBytes } from '../../../src/verify/verify.js'

export interface Forgery {
  /** What was changed. */
  readonly kind: string
  readonly file: EvidenceFile
}

type Change = (file: EvidenceFile, random: SeededRandom, other: EvidenceFile) => EvidenceFile | null

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const forgersKey =
  `0x${publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex')}` as const

/** Signed anew by the forger, so that the signature finds nothing. */
export function resigned({ evidence }: EvidenceFile): EvidenceFile {
  const signature = `0x${sign(null, signedBytes(evidence), privateKey).toString('hex')}` as const
  return { evidence, publicKey: forgersKey, signature }
}

/** The text with one bit of its hexadecimal digits changed. */
function flipped<T extends string>(hex: T, random: SeededRandom): T {
  if (hex.length <= 2) return `${hex}01` as T
  const at = 2 + random(hex.length - 2)
  const digit = Number.parseInt(hex.charAt(at), 16) ^ (1 << random(4))
  return `${hex.slice(0, at)}${digit.toString(16)}${hex.slice(at + 1)}` as T
}

/** A digit of the amount is another one, or the amount has one more. */
function otherAmount(amount: string, random: SeededRandom): string {
  const at = random(amount.length + 1)
  const digit = (Number(amount.charAt(at)) + 1 + random(8)) % 10
  return at === amount.length
    ? `${amount}${digit}`
    : `${amount.slice(0, at)}${digit}${amount.slice(at + 1)}`
}

function flipIn<T extends string>(list: readonly T[], random: SeededRandom): T[] {
  const at = random(list.length)
  return list.map((entry, index) => (index === at ? flipped(entry, random) : entry))
}

const withPart = (file: EvidenceFile, part: Partial<EvidenceFile['evidence']>): EvidenceFile => ({
  ...file,
  evidence: { ...file.evidence, ...part },
})

/** Changes that are found although the forger signs them. */
const bound: Readonly<Record<string, Change>> = {
  'a bit of a proof': (file, random) => {
    const { state } = file.evidence
    return withPart(file, { state: { ...state, nodes: flipIn(state.nodes, random) } })
  },
  'a bit of code': (file, random) => {
    const { state } = file.evidence
    return withPart(file, { state: { ...state, codes: flipIn(state.codes, random) } })
  },
  'a bit of the header': (file, random) => {
    const { block } = file.evidence
    return withPart(file, { block: { ...block, header: flipped(block.header, random) } })
  },
  'a bit of the block’s hash': (file, random) => {
    const { block } = file.evidence
    return withPart(file, { block: { ...block, hash: flipped(block.hash, random) } })
  },
  'a bit of an address': (file, random) => {
    const { state } = file.evidence
    const at = random(state.accounts.length)
    const accounts = state.accounts.map((one, index) =>
      index === at ? { ...one, address: flipped(one.address, random) } : one,
    )
    return withPart(file, { state: { ...state, accounts } })
  },
  'a bit of a slot': (file, random) => {
    const { state } = file.evidence
    const owners = state.accounts.filter(({ slots }) => slots.length)
    const owner = pick(owners, random)
    const accounts = state.accounts.map((one) =>
      one === owner ? { ...one, slots: flipIn(one.slots, random) } : one,
    )
    return withPart(file, { state: { ...state, accounts } })
  },
  'an entry left out': (file, random) => {
    const { state } = file.evidence
    const names = ['accounts', 'nodes', 'codes'] as const
    const name = pick(names, random)
    const list = state[name]
    const at = random(list.length)
    return withPart(file, { state: { ...state, [name]: list.filter((_, index) => index !== at) } })
  },
  'the amount': (file, random) => {
    const { answer } = file.evidence
    const amountOut = otherAmount(String(answer.amountOut), random)
    return withPart(file, { answer: { ...answer, amountOut } })
  },
  'the gas': (file, random) => {
    const { answer } = file.evidence
    return withPart(file, { answer: { ...answer, gas: otherAmount(String(answer.gas), random) } })
  },
  'the input': (file, random) => {
    const { request } = file.evidence
    const [amountIn] = [request.input.amountIn].flat()
    const input = { ...request.input, amountIn: [otherAmount(String(amountIn), random)] }
    return withPart(file, { request: { ...request, input } })
  },
  'the transaction': (file, random) => {
    const { answer, execution } = file.evidence
    if (answer.tx === undefined) return null
    const names = ['from', 'to', 'data'] as const
    const name = pick(names, random)
    const transaction = {
      ...execution.transaction,
      [name]: flipped(execution.transaction[name], random),
    }
    return withPart(file, { execution: { ...execution, transaction } })
  },
  'who runs it': (file) => {
    const { execution } = file.evidence
    return withPart(file, { execution: { ...execution, isDelegated: !execution.isDelegated } })
  },
  'a part of another file': (file, random, other) => {
    const names = ['request', 'answer', 'block', 'execution', 'state'] as const
    const name = pick(names, random)
    const isSame = JSON.stringify(file.evidence[name]) === JSON.stringify(other.evidence[name])
    return isSame ? null : withPart(file, { [name]: other.evidence[name] })
  },
}

/** Changes of what is signed and cannot be proven, and of the signature itself. */
const signedOnly: Readonly<Record<string, Change>> = {
  'a bit of the signature': (file, random) => ({
    ...file,
    signature: flipped(file.signature, random),
  }),
  'a bit of the key': (file, random) => ({ ...file, publicKey: flipped(file.publicKey, random) }),
  'the signature of another file': (file, _, other) =>
    other.signature === file.signature ? null : { ...file, signature: other.signature },
  'the time of the block': (file, random) => {
    const { execution } = file.evidence
    return withPart(file, { execution: { ...execution, time: flipped(execution.time, random) } })
  },
  'another minimum': (file, random) => {
    const { answer } = file.evidence
    const minAmountOut = otherAmount(String(answer.minAmountOut ?? 0), random)
    return withPart(file, { answer: { ...answer, minAmountOut } })
  },
}

/** So many changes that are found although they are signed anew. */
export const boundForgeries = (files: readonly EvidenceFile[], seed: bigint, count: number) =>
  forgeries(bound, files, seed, count)

/** So many changes that the signature finds. */
export const signedForgeries = (files: readonly EvidenceFile[], seed: bigint, count: number) =>
  forgeries({ ...bound, ...signedOnly }, files, seed, count)

function* forgeries(
  changes: Readonly<Record<string, Change>>,
  files: readonly EvidenceFile[],
  seed: bigint,
  count: number,
): Generator<Forgery> {
  const random = createSeededRandom(seed)
  const kinds = Object.entries(changes)
  let made = 0
  for (let turn = 0; made < count; turn++) {
    const [kind, change] = kinds[turn % kinds.length] as [string, Change]
    const changed = change(pick(files, random), random, pick(files, random))
    if (!changed) continue
    made += 1
    yield { kind, file: changed }
  }
}
