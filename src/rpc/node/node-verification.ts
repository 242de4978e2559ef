/**
 * Whether a node is of the right chain and what it can do: asked before its first use, and again now and then for what
 * it lacks. Owned by `upstream-node.ts`.
 */
import type { Address } from '../../domain/primitives.js'
import { quietly } from '../../telemetry/quietly.js'
import type { VerifiedBlock } from './block-check.js'
import { insist } from './insist.js'
import type { NodeHealth } from './learnt/node-health.js'
import { type NodeAbilities, probeAbilities } from './learnt/node-probe.js'
import { createProbedAbilities } from './learnt/probed-abilities.js'
import type { NodeRequest, Outcome } from './node-request.js'
import { type BlockRules, chainIdRequest, latestRequest } from './read-requests.js'

/** Attempts at what is asked of a node before it is used. */
const verifyAttempts = 4

export interface NodeVerificationParts {
  readonly rules: BlockRules
  readonly anchor: Address | null
  readonly health: NodeHealth
  readonly takesBatches: () => boolean
  /** A node without proofs is of no use. */
  readonly needsProofs: boolean
  readonly send: (requests: readonly NodeRequest[], isAgain: boolean) => Promise<Outcome[]>
}

export class NodeVerification {
  readonly #parts: NodeVerificationParts
  readonly #abilities = createProbedAbilities()
  #running: Promise<boolean> | null = null
  #latencyMs: number | null = null

  constructor(parts: NodeVerificationParts) {
    this.#parts = parts
  }

  /** Milliseconds of the last verification; null before the first. */
  get latencyMs(): number | null {
    return this.#latencyMs
  }

  /** Null before the first verification. */
  abilities(): NodeAbilities | null {
    return this.#abilities.current()
  }

  /** Verifies the node if that has not been done; false when it may not be used. */
  ready(): Promise<boolean> {
    const trust = this.#parts.health.trust()
    if (trust !== 'unverified') return Promise.resolve(trust === 'verified')
    this.#running ??= this.#verify().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Probes again, without being waited for, what the node lacks, when it is time to. */
  refresh(): void {
    if (this.#abilities.isDue()) void quietly(this.#probeAgain(), 'A node was not probed again.')
  }

  #ask(requests: readonly NodeRequest[]): Promise<Outcome[]> {
    const { send, health } = this.#parts
    const mayGoOn = () => health.waitMs() === 0
    return insist(requests, { send, attempts: verifyAttempts, mayGoOn })
  }

  async #verify(): Promise<boolean> {
    const { health, rules } = this.#parts
    const startedAt = Date.now()
    const [[chain], [latest]] = await Promise.all([
      this.#ask([chainIdRequest]),
      this.#ask([latestRequest(rules)]),
    ])
    if (chain?.kind === 'refused' || latest?.kind === 'refused') {
      health.setAside(`it does not tell its chain or its newest block.`)
      return false
    }
    if (chain?.kind !== 'value') return false
    if (chain.value !== rules.chainId) {
      health.setAside(`it answers for chain ${chain.value}, not for chain ${rules.chainId}.`)
      return false
    }
    if (latest?.kind !== 'value') return false
    this.#latencyMs = Date.now() - startedAt
    await this.#probe(latest.value as VerifiedBlock)
    if (this.#parts.needsProofs && !this.abilities()?.proofs) {
      health.setAside('it gives no proofs (eth_getProof), which VERIFY_STATE=all needs.')
      return false
    }
    return health.verified()
  }

  async #probe(latest: VerifiedBlock): Promise<void> {
    const { anchor, takesBatches } = this.#parts
    const ask = (requests: readonly NodeRequest[]) => this.#ask(requests)
    this.#abilities.take(await probeAbilities(ask, latest, anchor, takesBatches))
  }

  /** What the node lacked may have been there all the time: its answers fail, or another one stands behind its address. */
  async #probeAgain(): Promise<void> {
    const [latest] = await this.#ask([latestRequest(this.#parts.rules)])
    if (latest?.kind === 'value') await this.#probe(latest.value as VerifiedBlock)
    else this.#abilities.postpone()
  }
}
