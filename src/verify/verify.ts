/**
 * The rules by which evidence is accepted: an answer of the service, a signature, and all state of a block that the answer's
 * transaction reads, proven up to the block's hash. They need no node and nothing of the service, and believe no word of the file.
 */
import { MerklePatriciaTrie, updateMPTFromMerkleProof } from '@ethereumjs/mpt'
import { Account, createAccountFromRLP } from '@ethereumjs/util'
import { canonicalize } from 'ox/Json'
import { concatHex, type Hex, keccak256, numberToHex, pad } from 'viem'
import { bytesToHex, fromRlp, hexToBytes, stringToBytes } from 'viem/utils'
import * as z from 'zod/mini'

const hex = (pattern: RegExp) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value))
const hexBytes = (count: number) => hex(new RegExp(`^0x[0-9a-f]{${2 * count}}$`))
const [address, word, bytes] = [hexBytes(20), hexBytes(32), hex(/^0x(?:[0-9a-f]{2})*$/)]
const int = hex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/)
const text = z.string().check(z.regex(/^[\x20-\x7e]{0,100}$/))
const [token, list, fields] = [z.nullable(address), z.array(bytes), z.looseObject({})]
const call = z.strictObject({ from: address, to: address, data: bytes, value: int, gas: int })
/** What the sender has beyond the state: ether (no token), or a word in a mapping of a token, whose slot is hashed from these. */
const assumption = z.strictObject({ token, slot: word, value: word, preimages: list })
const account = z.strictObject({ address, slots: z.array(word) })
const evidence = z.strictObject({
  format: z.literal('forkroute-evidence-1'),
  madeBy: z.strictObject({ version: text, build: text, anvil: text }),
  request: z.strictObject({ endpoint: z.enum(['route', 'quote']), input: fields }),
  answer: fields,
  /** The header in RLP. */
  block: z.strictObject({ chainId: z.int(), hash: word, header: bytes }),
  /** The transaction in the block after: unix seconds, and wei per gas. */
  execution: z.strictObject({
    transaction: call,
    /** The sender's account has taken on the code of the recipient (EIP-7702), and is called itself. */
    isDelegated: z.boolean(),
    hardFork: z.string().check(z.regex(/^[a-z]{1,20}$/)),
    time: int,
    baseFeePerGas: int,
    priorityFeePerGas: int,
    assumed: z.array(assumption),
  }),
  /** All that it reads; nodes of all tries and codes in any order. */
  state: z.strictObject({ accounts: z.array(account), nodes: list, codes: list }),
})
const evidenceFile = z.strictObject({ evidence, publicKey: word, signature: hexBytes(64) })
export type Evidence = z.infer<typeof evidence>
export type EvidenceFile = z.infer<typeof evidenceFile>

/** What is checked, in this order. `branch`: the reader knows another block at this height. */
type Part = 'form' | 'signature' | 'chain' | 'branch' | 'header' | 'state' | 'answer' | 'execution'

export interface VerifyOptions {
  /** What the reader knows from elsewhere; absent: any will do, and the file names it. */
  readonly publicKeys?: readonly Hex[]
  readonly chainId?: number
  readonly blockHash?: Hex
  /** Answers the payloads from the proven state alone, and rejects where they read more; absent: nothing is run. */
  readonly run?: (execution: Execution, state: ProvenState) => Promise<Results>
}

export interface Report {
  /** All holds, and the transaction was run. */
  isProven: boolean
  /** The first that was found; what comes after it was not checked, and is null. */
  problem: { readonly part: Part; readonly message: string } | null
  file: EvidenceFile | null
  header: ReturnType<typeof headerOf> | null
  state: ProvenState | null
}

/** Accounts by address, slots by address and slot, codes by hash. What is not in it was not proven. */
export type ProvenState = Awaited<ReturnType<typeof proveState>>
export type Execution = ReturnType<typeof executionOf>
/** What each call of each payload gives. */
export type Results = readonly (readonly { status: Hex; gasUsed: Hex; returnData: Hex }[])[]

/** Never throws for what a file says. */
export async function verifyEvidence(content: string, options: VerifyOptions = {}) {
  const { run, publicKeys, chainId, blockHash } = options
  const report: Report = { isProven: false, problem: null, file: null, header: null, state: null }
  let part: Part = 'form'
  try {
    const file = parseEvidence(content)
    report.file = file
    const { publicKey, signature, evidence } = file
    const { chainId: chain, hash } = evidence.block
    part = 'signature'
    const raw = (value: Hex) => Uint8Array.from(hexToBytes(value))
    const key = await crypto.subtle.importKey('raw', raw(publicKey), 'Ed25519', false, ['verify'])
    const isIts = await crypto.subtle.verify('Ed25519', key, raw(signature), signedBytes(evidence))
    need(isIts, 'the key has not signed this evidence')
    need(publicKeys?.includes(publicKey) ?? true, `${publicKey} is not a key that is trusted`)
    part = 'chain'
    need(chain === (chainId ?? chain), `it is about chain ${chain}, not ${chainId}`)
    part = 'branch'
    need(hash === (blockHash ?? hash), `${hash} is of a branch that was left, or of another chain`)
    part = 'header'
    report.header = headerOf(evidence)
    part = 'state'
    report.state = await proveState(report.header.stateRoot, evidence.state)
    part = 'answer'
    const execution = executionOf(evidence, report.state)
    part = 'execution'
    if (run) execution.judge(await run(execution, report.state))
    report.isProven = run !== undefined
  } catch (error) {
    report.problem = { part, message: error instanceof Error ? error.message : String(error) }
  }
  return report
}

function parseEvidence(content: string): EvidenceFile {
  need(content.length <= 16 * 1024 * 1024, 'it is longer than any evidence')
  const file: unknown = JSON.parse(content)
  const [issue] = evidenceFile.safeParse(file).error?.issues ?? []
  need(!issue, `${['the file', ...(issue?.path ?? [])].join('.')} is malformed`)
  return file as EvidenceFile
}

/** For Ed25519: JSON by RFC 8785, equal for equal evidence, however it is written. */
export function signedBytes(evidence: Evidence): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(stringToBytes(`forkroute evidence\n${canonicalize(evidence)}`))
}

function headerOf({ block: { hash, header } }: Evidence) {
  need(keccak256(header) === hash, 'the header does not have the hash of the block')
  const fields = fromRlp(header, 'hex') as readonly Hex[]
  const [, , feeRecipient = '0x', stateRoot = '0x'] = fields
  const at = (place: number) => integer(fields[place])
  const [difficulty, number, gasLimit, timestamp] = [at(7), at(8), at(9), at(11)]
  const baseFeePerGas = at(15)
  return { feeRecipient, stateRoot, difficulty, number, gasLimit, timestamp, baseFeePerGas }
}

async function proveState(stateRoot: Hex, given: Evidence['state']) {
  const [accounts, slots] = [new Map<string, Account>(), new Map<string, bigint>()]
  const codes = new Map(given.codes.map((code) => [keccak256(code), code]))
  const used = new Set<string>()
  // It finds nodes by their hash alone, so one that no root leads to proves nothing. Null: there is proven to be nothing.
  const trie = new MerklePatriciaTrie()
  const nodes = given.nodes.map((node) => hexToBytes(node))
  await updateMPTFromMerkleProof(trie, nodes)
  async function valueAt(root: Uint8Array, key: Hex): Promise<Uint8Array | null> {
    if (bytesToHex(root) === keccak256('0x80')) return null
    trie.root(root)
    const { node, remaining, stack } = await trie.findPath(keccak256(key, 'bytes'), true)
    for (const one of stack) used.add(bytesToHex(one.serialize()))
    return node && !remaining.length ? node.value() : null
  }
  for (const { address, slots: own } of given.accounts) {
    const value = await valueAt(hexToBytes(stateRoot), address)
    const account = value ? createAccountFromRLP(value) : new Account()
    accounts.set(address, account)
    const codeHash = bytesToHex(account.codeHash)
    used.add(codeHash)
    need(!account.isContract() || codes.has(codeHash), `the code of ${address} is missing`)
    for (const slot of own) {
      const found = await valueAt(account.storageRoot, slot)
      slots.set(address + slot, found ? integer(fromRlp(found, 'hex') as Hex) : 0n)
    }
  }
  const isNeeded = [...given.nodes, ...codes.keys()].every((one) => used.has(one))
  need(isNeeded, 'a node or a code is not of this state')
  return { accounts, slots, codes }
}

const integer = (bytes: Hex = '0x') => BigInt(`0x0${bytes.slice(2)}`)
const listOf = (value: unknown) => [value].flat().map(String)
const native = `0x${'e'.repeat(40)}`
/** The reader calls tokens, and for ether the purse, whose code returns what the address in its call data has. */
const reader = '0x00000000000000000000000000000000f0e4de4c'
const purse = '0x00000000000000000000000000000000f0e4de4d'
const readers = {
  [reader]: { balance: numberToHex(2n ** 96n) },
  [purse]: { code: '0x6004353160005260206000f3' },
}

/** The transaction, between reads of what the sender spends and the receiver gains. */
export function executionOf(evidence: Evidence, state: Pick<ProvenState, 'accounts' | 'slots'>) {
  const { request, answer, execution } = evidence
  const { transaction, isDelegated, assumed, time, baseFeePerGas, priorityFeePerGas } = execution
  const { input } = request
  const { chainId, hash } = evidence.block
  const { difficulty, feeRecipient, ...block } = headerOf(evidence)
  const { from, to, data, value } = transaction
  const isHere = Number(input.chainId) === chainId && `${answer.blockNumber}` === `${block.number}`
  need(isHere, 'the answer is about another block')
  const tx = answer.tx as Record<string, unknown> | undefined
  need(tx !== undefined || request.endpoint === 'quote', 'the answer has no transaction')
  const told = tx && [tx.chainId, tx.from, tx.to, tx.data, tx.value]
  const isTold = !told || told.join() === [chainId, from, to, data, BigInt(value)].join()
  need(isTold, 'the answer has another transaction')
  need((input.fromAddress ?? from) === from, 'the request is of another sender')
  const seconds = BigInt(time) - block.timestamp
  need(seconds > 0n && seconds <= 86_400n, 'the time of the simulated block does not follow')
  const [fee, next] = [block.baseFeePerGas, BigInt(baseFeePerGas)]
  need(8n * next <= 9n * fee + 8n && 8n * next + 8n >= 7n * fee, 'the base fee does not follow')

  const [tokensIn, tokensOut] = [listOf(input.tokenIn), listOf(input.tokenOut)]
  const amountsIn = listOf(input.amountIn ?? answer.amountIn).map(BigInt)
  const sender = state.accounts.get(from)
  need(sender !== undefined, 'the sender is not proven')
  need(!isDelegated || !sender.isContract(), 'the sender has code of its own')
  let ether = sender.balance
  const words: Record<string, { stateDiff: Record<Hex, Hex> }> = {}
  for (const { token, slot, value, preimages } of assumed) {
    const at = tokensIn.indexOf(token ?? native)
    need(at >= 0, 'something is assumed of a token that is not swapped')
    if (token === null) {
      const isLittle = BigInt(value) <= (amountsIn[at] ?? 0n) || BigInt(value) <= ether
      need(isLittle, 'more ether is assumed than is swapped')
      ether = BigInt(value)
    } else {
      checkSlot(slot, preimages, from)
      words[token] = { stateDiff: { ...words[token]?.stateDiff, [slot]: value } }
    }
  }
  const price = next + BigInt(priorityFeePerGas)
  // Ether for the gas is always assumed.
  const balance = numberToHex(ether + BigInt(transaction.gas) * price)
  const own = isDelegated ? { balance, code: concatHex(['0xef0100', to]) } : { balance }
  const overrides = { ...words, ...readers, [from]: { ...words[from], ...own } }
  const owned = [
    ...tokensIn.map((token) => ({ token, owner: from })),
    ...tokensOut.map((token) => ({ token, owner: String(input.receiver ?? from) as Hex })),
  ]
  const read = (token: string, data: Hex) => ({
    from: reader,
    to: token === native ? purse : token,
    data,
    gas: '0x1e8480',
    maxFeePerGas: baseFeePerGas,
    maxPriorityFeePerGas: '0x0',
  })
  const [balanceOf, allowance] = ['0x70a08231', '0xdd62ed3e'] as const
  const balances = owned.map((one) => read(one.token, concatHex([balanceOf, pad(one.owner)])))
  const allowed = concatHex([allowance, pad(from), pad(to)])
  const before = [...balances, ...tokensIn.map((token) => read(token, allowed))]
  const prices = { maxFeePerGas: numberToHex(price), maxPriorityFeePerGas: priorityFeePerGas }
  const calls = [...before, { ...transaction, to: isDelegated ? from : to, ...prices }, ...balances]
  const [number, gasLimit] = [numberToHex(block.number + 1n), numberToHex(block.gasLimit)]
  // As the service has it: nothing that a contract could foresee.
  const prevRandao = difficulty ? numberToHex(difficulty, { size: 32 }) : keccak256(hash)
  const blockOverrides = { number, time, gasLimit, prevRandao, baseFeePerGas, feeRecipient }
  const simulated = (stateOverrides: object, calls: readonly object[]) => {
    return { blockStateCalls: [{ blockOverrides, stateOverrides, calls }], validation: true }
  }
  return {
    evidence,
    /** Parameters of eth_simulateV1, one call each: all of it, and what is read where nothing is assumed. */
    payloads: [simulated(overrides, calls), simulated(readers, before)],
    /** @throws Error where their results are not what the answer says. */
    judge([done = [], plain = []]: Results): void {
      const isRun = done.length === calls.length && plain.length === before.length
      need(isRun && done.every(({ status }) => status === '0x1'), 'the transaction fails')
      const result = (at: number) => BigInt(done[at]?.returnData ?? 0)
      const isMoved = (at: number) => done[at]?.returnData !== plain[at]?.returnData
      const places = new Set<number>()
      for (const { token, slot, value, preimages } of assumed) {
        if (token === null) continue
        const at = tokensIn.indexOf(token)
        const amount = amountsIn[at] ?? 0n
        // Tokens that count in shares may have to round up.
        const isMore = isMoved(at) && result(at) > amount + amount / 1_000n + 1_000n
        need(!isMore, 'more is assumed than is swapped')
        const place = preimages.some((one) => one.includes(to.slice(2))) ? owned.length + at : at
        const isSo = isMoved(place) || state.slots.get(token + slot) === BigInt(value)
        const isIt = isSo && !places.has(place)
        need(isIt, 'an assumed word is neither balance nor allowance of the sender')
        places.add(place)
      }
      const gas = BigInt(done[before.length]?.gasUsed ?? 0)
      const changes = owned.map(({ token, owner }, at) => {
        const paid = token === native && owner === from ? gas * price : 0n
        return result(before.length + 1 + at) - result(at) + paid
      })
      const gained = changes.slice(tokensIn.length)
      const spent = changes.slice(0, tokensIn.length).map((amount) => -amount)
      const out = listOf(answer.amountOutList ?? answer.amountOut)
      need(`${gained}` === `${out}`, `the receiver gains ${gained}, and the answer says ${out}`)
      need(`${spent}` === `${amountsIn}`, `the sender spends ${spent}, and it says ${amountsIn}`)
      need(`${gas}` === answer.gas, `it uses ${gas} gas, and the answer says ${answer.gas}`)
    },
  }
}

/** The slot has to be in a mapping by the sender: each text holds the hash of the next, and one of them the sender. */
function checkSlot(slot: Hex, preimages: readonly Hex[], sender: Hex): void {
  const [first = '0x0', ...others] = preimages.map((one) => keccak256(one))
  const field = BigInt(slot) - BigInt(first)
  const isLinked = others.every((hash, at) => preimages[at]?.includes(hash.slice(2)))
  need(field >= 0n && field < 64n && isLinked, 'an assumed slot is not hashed from its texts')
  const isOwn = preimages.some((one) => one.includes(sender.slice(2)))
  need(isOwn, 'an assumed slot is not of the sender')
}

/** @throws Error with the message. */
function need(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message)
}
