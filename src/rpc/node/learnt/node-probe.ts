/**
 * Finds out what a node can do beyond headers, balance, nonce, code and storage.
 * Only `blockHash`, `batch`, `overrides`, `proofs`, `accessLists` and `prestates` change how the archive reads; the rest is for `doctor` and `/ready`.
 */
import { numberToHex } from 'viem'
import type { Address } from '../../../domain/primitives.js'
import type { VerifiedBlock } from '../block-check.js'
import { accessCall } from '../bulk/access-list.js'
import { prestateRequest } from '../bulk/prestate.js'
import type { NodeRequest, Outcome } from '../node-request.js'

/** What a node can do, probed when it is verified. */
export interface NodeAbilities {
  readonly ethCall: boolean
  readonly overrides: boolean
  readonly logs: boolean
  readonly proofs: boolean
  /** Tells what a call touches (eth_createAccessList). */
  readonly accessLists: boolean
  /** Tells the state that calls touch (debug_traceCall with its tracer of what was there before). */
  readonly prestates: boolean
  readonly batch: boolean
  /** Accepts EIP-1898 block parameters, so that a read can name a block by hash. */
  readonly blockHash: boolean
  /** A development node, where anyone may replace the code of an account. */
  readonly devNode: boolean
  /** State at least 100,000 blocks back, or at block 1 of a shorter chain. */
  readonly archive: boolean
  /** The furthest probed distance from the head at which state was readable, in blocks. */
  readonly archiveDepth: number
  /** The contract by which state that is not there is told (`anchor.ts`) is there at the newest block. */
  readonly anchor: boolean
}

const probeAddress = '0x00000000000000000000000000000000f0f0f0f0'
/** Returns the word 42: PUSH1 2a, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN. */
const returns42 = '0x602a60005260206000f3'
/** The identity precompile. */
const identity = '0x0000000000000000000000000000000000000004'
const depths = [128, 1_024, 10_000, 100_000]

/** What probes told, and of which abilities nothing: no answer, or one that may be another next time. */
export interface Probed {
  /** False where nothing was told. */
  readonly abilities: NodeAbilities
  readonly unsure: ReadonlySet<keyof NodeAbilities>
}

/** The abilities that one request of its own tells each. */
type Single = Exclude<keyof NodeAbilities, 'batch' | 'archive' | 'archiveDepth'>

export async function probeAbilities(
  send: (requests: readonly NodeRequest[]) => Promise<Outcome[]>,
  head: VerifiedBlock,
  anchor: Address | null,
  takesBatches: () => boolean,
): Promise<Probed> {
  const { pin, json } = head
  // Every block touches its fee recipient, so nodes that replay a recording have this account.
  const account = typeof json.miner === 'string' ? json.miner : probeAddress
  const reachable = [...new Set(depths.map((depth) => Math.min(depth, Number(pin.number) - 1)))]
  const asked = reachable.filter((depth) => depth > 0)
  const singles: readonly (readonly [Single, NodeRequest])[] = [
    ['devNode', expecting('web3_clientVersion', [], (v) => typeof v === 'string')],
    ['blockHash', expecting('eth_getBalance', [account, { blockHash: pin.hash }], isHex)],
    [
      'ethCall',
      expecting('eth_call', [{ to: identity, data: '0x1234' }, 'latest'], (v) => v === '0x1234'),
    ],
    [
      'overrides',
      expecting(
        'eth_call',
        [{ to: probeAddress }, 'latest', { [probeAddress]: { code: returns42 } }],
        (value) => isHex(value) && BigInt(value) === 42n,
      ),
    ],
    [
      'logs',
      expecting('eth_getLogs', [{ blockHash: pin.hash, address: probeAddress }], Array.isArray),
    ],
    [
      'proofs',
      expecting(
        'eth_getProof',
        [account, [], 'latest'],
        (v) => typeof v === 'object' && v !== null,
      ),
    ],
    [
      'accessLists',
      expecting('eth_createAccessList', [accessCall(identity, '0x1234'), 'latest'], isAccessList),
    ],
    [
      'prestates',
      prestateRequest([{ to: identity, data: '0x1234' }], {
        block: numberToHex(pin.number),
        number: pin.number,
      }),
    ],
    ...(anchor ? [['anchor', expecting('eth_getCode', [anchor, 'latest'], isHex)] as const] : []),
  ]
  const outcomes = await send([
    ...singles.map(([, request]) => request),
    ...asked.map((depth) =>
      expecting('eth_getBalance', [account, numberToHex(pin.number - BigInt(depth))], isHex),
    ),
  ])
  const old = outcomes.slice(singles.length)
  const told = new Map(singles.map(([name], index) => [name, outcomes[index]]))
  const can = (name: Single) => told.get(name)?.kind === 'value'
  const version = told.get('devNode')
  const archiveDepth = asked.filter((_depth, index) => old[index]?.kind === 'value').at(-1) ?? 0
  return {
    abilities: {
      ethCall: can('ethCall'),
      overrides: can('overrides'),
      logs: can('logs'),
      proofs: can('proofs'),
      accessLists: can('accessLists'),
      prestates: can('prestates'),
      batch: takesBatches(),
      blockHash: can('blockHash'),
      devNode: version?.kind === 'value' && /anvil|hardhat|ganache/i.test(String(version.value)),
      archive: asked.length === 0 || archiveDepth === asked.at(-1),
      archiveDepth,
      anchor: can('anchor'),
    },
    unsure: new Set<keyof NodeAbilities>([
      ...[...told].flatMap(([name, outcome]) => (isUnclear(outcome) ? [name] : [])),
      ...(old.some(isUnclear) ? (['archive', 'archiveDepth'] as const) : []),
    ]),
  }
}

function isUnclear(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'failed' || outcome?.kind === 'odd'
}

function expecting(
  method: string,
  params: readonly unknown[],
  isRight: (value: unknown) => boolean,
): NodeRequest {
  return {
    call: { method, params },
    judge: (value) =>
      isRight(value) ? { kind: 'value', value } : { kind: 'odd', message: 'not as expected' },
  }
}

function isAccessList(value: unknown): boolean {
  return Array.isArray((value as { accessList?: unknown } | null)?.accessList)
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
}
