/**
 * Claims over CCTP: what a transaction has burnt, what is attested of it, and the transaction that has it minted. Circle's
 * service, or one of its form, is asked where the configuration names it, and nowhere else.
 */
import { slice } from 'viem'
import type { Delivery } from '../../bridges/bridge.js'
import {
  type Attestation,
  attestationsFor,
  readAttestations,
} from '../../bridges/cctp/attestations.js'
import { cctpChain } from '../../bridges/cctp/chain.js'
import { deliveryTransaction, isClaimable } from '../../bridges/cctp/claim.js'
import { bridgeOf } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import type { BridgeClaim } from '../../domain/bridges/check.js'
import { notFound } from '../../domain/common-errors.js'
import type { CallContext, Engine } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import type { Hex } from '../../domain/primitives.js'
import type { Archive } from '../../rpc/archive/archive.js'
import type { ConfiguredChains } from '../configured-chains.js'
import type { TaskRunner } from '../task-runner.js'

const slug = 'cctp'

export interface ClaimParts {
  readonly chains: ConfiguredChains
  readonly tasks: Pick<TaskRunner, 'pin' | 'runAt'>
  /** Where attestations are read; null: nowhere. */
  readonly attestationUrl: string | null
  outcomeOf(chainId: number, hash: Hex, context: CallContext): ReturnType<Archive['transaction']>
}

type ClaimArgs = Parameters<Engine['cctpClaim']>[0]

export function createClaims(parts: ClaimParts): Pick<Engine, 'cctpClaim' | 'cctpMessenger'> {
  const { chains, attestationUrl } = parts

  /** What may be claimed of a burn, at the destination's newest block. */
  async function claimOf(
    delivery: Delivery,
    attestation: Attestation | null,
    context: CallContext,
  ): Promise<BridgeClaim> {
    const { destinationChainId } = delivery
    const destination = chains.all.find(({ id }) => id === destinationChainId)
    if (!destination || destinationChainId === null) {
      return unclaimable('The chain that it is minted on is not configured here.')
    }
    const refuse = (reason: string) => ({ ...unclaimable(reason), destinationChainId })
    if (attestationUrl === null) {
      return refuse('Nothing is known of attestations here: CCTP_ATTESTATION_URL names nobody.')
    }
    if (!attestation) {
      return refuse(
        'It is not attested yet: Circle waits until the source’s block is final enough.',
      )
    }
    if (!isClaimable(delivery, destination)) {
      return refuse('The burn names somebody who alone may have it minted.')
    }
    if (await isMinted(delivery, attestation, { destination, context })) {
      return refuse('It has been minted already.')
    }
    const { to, data } = deliveryTransaction(delivery, destination, attestation)
    const tx = { chainId: destinationChainId, to, data, value: 0n }
    return { claimable: true, destinationChainId, tx }
  }

  async function isMinted(
    delivery: Delivery,
    attestation: Attestation,
    at: { readonly destination: ChainDefinition; readonly context: CallContext },
  ): Promise<boolean> {
    const pin = await parts.tasks.pin({ chainId: at.destination.id }, at.context)
    const args = { delivery: attested(delivery, attestation), since: pin.number }
    const { status } = await parts.tasks.runAt('deliveryStatus', args, pin, at.context)
    return status !== 'inflight'
  }

  return {
    cctpMessenger: (chainId) => cctpChain(chains.of(chainId))?.messenger ?? null,

    async cctpClaim({ chainId, transactionHash }: ClaimArgs, context) {
      const source = chains.of(chainId)
      const outcome = await parts.outcomeOf(chainId, transactionHash, context)
      if (outcome.kind === 'unknown') {
        throw notFound(`transaction ${transactionHash} on chain ${chainId}`)
      }
      if (outcome.kind === 'pending') return unclaimable('The transaction is in no block yet.')
      if (!outcome.isSuccess) {
        return unclaimable('The source transaction reverted: nothing was sent.')
      }
      const deliveries = bridgeOf({ bridge: slug }).deliveriesIn(outcome.logs, source)
      if (deliveries.length === 0) {
        return unclaimable('The transaction sends nothing over CCTP.')
      }
      const attestations = await attestationsOf(parts, {
        source,
        transactionHash,
        deliveries,
        signal: context.signal,
      })
      const claims = await Promise.all(
        deliveries.map((one, index) => claimOf(one, at(attestations, index), context)),
      )
      return claims.find(({ claimable }) => claimable) ?? at(claims, 0)
    },
  }
}

function unclaimable(reason: string): BridgeClaim {
  return { claimable: false, reason }
}

/** One for each delivery; null where it is not attested, or nobody says. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
export async function attestationsOf(
  { attestationUrl }: Pick<ClaimParts, 'attestationUrl'>,
  of: {
    readonly source: ChainDefinition
    readonly transactionHash: Hex
    readonly deliveries: readonly Delivery[]
    readonly signal: AbortSignal
  },
): Promise<(Attestation | null)[]> {
  const { source, transactionHash, deliveries, signal } = of
  const domain = cctpChain(source)?.domain
  if (attestationUrl === null || domain === undefined) return deliveries.map(() => null)
  const found = await readAttestations(attestationUrl, { domain, transactionHash }, signal)
  return attestationsFor(deliveries, found)
}

/** Deliveries with what is attested of them, as far as somebody says; those of other bridges as they are. */
export async function withAttestations(
  parts: Pick<ClaimParts, 'attestationUrl'>,
  of: Parameters<typeof attestationsOf>[1],
): Promise<readonly Delivery[]> {
  if (!of.deliveries.some(({ bridge }) => bridge === slug)) return of.deliveries
  try {
    const attestations = await attestationsOf(parts, of)
    return of.deliveries.map((delivery, index) => {
      const attestation = at(attestations, index)
      return attestation ? attested(delivery, attestation) : delivery
    })
  } catch (error) {
    // Events tell, too.
    if (error instanceof ForkrouteError) return of.deliveries
    throw error
  }
}

function attested(delivery: Delivery, { message, attestation }: Attestation): Delivery {
  const signed = { nonce: slice(message, 12, 44), attestedMessage: message, attestation }
  return { ...delivery, details: { ...delivery.details, ...signed } }
}
