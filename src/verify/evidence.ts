/**
 * Checks an evidence file: an answer, all state of its block that the final transaction touches, with proofs up to the
 * block's hash, and a signature. Needs no node and nothing of the service, and believes nothing that the file says.
 */
import { type Hex, hexToBytes, keccak256 } from 'viem'
import { type Execution, executionOf, type Outcome } from './execution.js'
import { type Assumption, type EvidenceFile, need, parseEvidence, signedBytes } from './form.js'
import { fieldsOfAll, headerFields, headerHash } from './header.js'
import {
  noCode,
  type ProvenAccount,
  type ProvenState,
  provenAccount,
  provenSlot,
  TrieNodes,
} from './trie.js'

export interface VerifyOptions {
  /**
   * Runs the calls over the proven state alone, and rejects where they read anything else; absent: what the transaction
   * does is not checked.
   */
  readonly run?: (execution: Execution, state: ProvenState) => Promise<readonly unknown[]>
  /** Keys that the reader trusts; absent: any, and the report names it. */
  readonly publicKeys?: readonly Hex[]
  /** What the reader knows from elsewhere. */
  readonly chainId?: number
  readonly blockHash?: Hex
}

type Part = 'form' | 'signature' | 'header' | 'chain' | 'branch' | 'state' | 'answer' | 'execution'

export interface Report {
  /** Without a problem, and run. */
  readonly isProven: boolean
  readonly problems: readonly { readonly part: Part; readonly message: string }[]
  /** Null where the file has no such form. */
  readonly file: EvidenceFile | null
  readonly state: { readonly accounts: number; readonly slots: number; readonly codes: number }
  /** What is not of the chain. */
  readonly assumed: readonly Assumption[]
  /** Null: it was not run. */
  readonly outcome: Outcome | null
}

/** Never throws for what a file says. */
export async function verifyEvidence(
  content: string,
  options: VerifyOptions = {},
): Promise<Report> {
  const problems: { part: Part; message: string }[] = []
  async function check<T>(part: Part, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      problems.push({ part, message: error instanceof Error ? error.message : String(error) })
      return null
    }
  }
  const file = await check('form', () => parseEvidence(content))
  const state = file && (await checkParts(file, options, check))
  const execution =
    file && state && (await check('answer', () => executionOf(file.evidence, state)))
  const { run } = options
  const outcome =
    execution && run && !problems.length
      ? await check('execution', async () => execution.judge(await run(execution, state)))
      : null
  return {
    isProven: outcome !== null && !problems.length,
    problems,
    file,
    state: {
      accounts: state?.accounts.size ?? 0,
      slots: state?.slots.size ?? 0,
      codes: state?.codes.size ?? 0,
    },
    assumed: file?.evidence.execution.assumed ?? [],
    outcome,
  }
}

async function checkParts(
  file: EvidenceFile,
  { publicKeys, chainId, blockHash }: VerifyOptions,
  check: <T>(part: Part, work: () => T | Promise<T>) => Promise<T | null>,
): Promise<ProvenState | null> {
  const { block, state } = file.evidence
  await check('signature', async () => {
    const bytes = hexToBytes(file.publicKey) as Uint8Array<ArrayBuffer>
    const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify'])
    const signature = hexToBytes(file.signature) as Uint8Array<ArrayBuffer>
    const isValid = await crypto.subtle.verify(
      'Ed25519',
      key,
      signature,
      signedBytes(file.evidence),
    )
    need(isValid, 'the key has not signed this evidence')
    need(
      publicKeys?.includes(file.publicKey) ?? true,
      `${file.publicKey} is not a key that is trusted`,
    )
  })
  await check('chain', () =>
    need(
      block.chainId === (chainId ?? block.chainId),
      `it is about chain ${block.chainId}, not ${chainId}`,
    ),
  )
  await check('branch', () =>
    need(
      block.hash === (blockHash ?? block.hash),
      `block ${block.header.number} is ${blockHash} on the chain: ${block.hash} is of a branch that was left, or of another chain`,
    ),
  )
  await check('header', () => {
    const names = headerFields.map(([name]) => name)
    const count = Object.keys(block.header).length
    // Fields of later forks may be absent from the end alone, so that none can stand in the place of another.
    const isWhole = names.every((name, at) => Object.hasOwn(block.header, name) === at < count)
    need(
      isWhole && count >= fieldsOfAll && count <= names.length,
      'the header lacks fields, or has others',
    )
    need(headerHash(block.header) === block.hash, 'the header does not have the hash of the block')
  })
  return check('state', () => proveState(block.header.stateRoot as Hex, state))
}

/** @throws ProofError, or an Error for what is there twice or for nothing. */
function proveState(
  stateRoot: Hex,
  { accounts, ...given }: EvidenceFile['evidence']['state'],
): ProvenState {
  const nodes = new TrieNodes(given.nodes)
  const codes = new Map(given.codes.map((code) => [keccak256(code), code]))
  const proven = new Map<string, ProvenAccount>()
  const slots = new Map<string, bigint>()
  for (const { address, slots: own } of accounts) {
    const account = provenAccount(stateRoot, address, nodes)
    proven.set(address, account)
    for (const slot of own)
      slots.set(`${address}${slot}`, provenSlot(account.storageRoot, slot, nodes))
  }
  const used = new Set(
    [...proven.values()].map(({ codeHash }) => codeHash).filter((hash) => hash !== noCode),
  )
  const listed = accounts.reduce((sum, { slots: own }) => sum + own.length, 0)
  const isOnce = proven.size === accounts.length && slots.size === listed
  need(isOnce && codes.size === given.codes.length, 'an account, a slot or a code is there twice')
  need(nodes.used().length === given.nodes.length, 'a node is there twice, or proves nothing')
  need(
    codes.size === used.size && [...used].every((hash) => codes.has(hash)),
    'the codes are not those of the accounts',
  )
  return { accounts: proven, slots, codes }
}
