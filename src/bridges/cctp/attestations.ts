/**
 * What Circle's service says of burns, or a service of the same form: only asked where `CCTP_ATTESTATION_URL` names one.
 * Texts from it are checked, and what it attests the destination's contract verifies.
 */
import { Agent, request } from 'undici'
import { keccak256, parseUnits, size } from 'viem'
import { z } from 'zod'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import type { Delivery } from '../bridge.js'
import { readBurn, unattested } from './message.js'
import type { CctpSettings } from './settings.js'

/** Longest wait for an answer, milliseconds. */
const timeoutMs = 5_000
/** Its answers have at most so many bytes; a longer one is none. */
const service = new Agent({ maxResponseSize: 1_000_000 })
/** Of every token that CCTP carries. */
const tokenDecimals = 6

const hex = z.custom<Hex>((value) => /^0x([0-9a-f]{2})*$/i.test(String(value)))
const messages = z.object({
  messages: z.array(z.object({ message: z.string(), attestation: z.string().nullable() })),
})
const allowances = z.object({ allowance: z.union([z.number(), z.string()]) })

export interface Attestation {
  /** As the attesters have signed it. */
  readonly message: Hex
  readonly attestation: Hex
}

/**
 * The burns of a transaction that are attested, in the order of the service; none while it knows of none.
 * @param domain - Circle's number of the source.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE.
 */
export async function readAttestations(
  url: string,
  { domain, transactionHash }: { readonly domain: number; readonly transactionHash: Hex },
  signal?: AbortSignal,
): Promise<Attestation[]> {
  const body = await ask(`${url}/v2/messages/${domain}?transactionHash=${transactionHash}`, signal)
  if (body === null) return []
  const read = messages.safeParse(body)
  if (!read.success) throw unavailable()
  return read.data.messages.flatMap(({ message, attestation }) => {
    const [known, signed] = [hex.safeParse(message), hex.safeParse(attestation)]
    // Until it is attested, it says so in words, and names no message.
    const isSigned = known.success && signed.success && size(signed.data) > 0
    return isSigned ? [{ message: known.data, attestation: signed.data }] : []
  })
}

/** One for each delivery, in their order: burns that are the same in all they say have each one of its own. */
export function attestationsFor(
  deliveries: readonly Pick<Delivery, 'id'>[],
  found: readonly Attestation[],
): (Attestation | null)[] {
  const left = found.flatMap((one) =>
    readBurn(one.message) ? [{ one, id: keccak256(unattested(one.message)) }] : [],
  )
  return deliveries.map(({ id }) => {
    const index = left.findIndex((each) => each.id === id)
    return index < 0 ? null : (left.splice(index, 1)[0]?.one ?? null)
  })
}

/** Raw units that fast transfers may still take, all together; null: nobody is asked, or nobody says. */
export async function readAllowance(
  { attestationUrl }: CctpSettings,
  symbol: string,
): Promise<bigint | null> {
  if (attestationUrl === null) return null
  try {
    const read = allowances.safeParse(
      await ask(`${attestationUrl}/v2/fastBurn/${symbol}/allowance`),
    )
    if (!read.success) return null
    return parseUnits(Number(read.data.allowance).toFixed(tokenDecimals), tokenDecimals)
  } catch (error) {
    // A quote does without it, and says so.
    if (error instanceof ForkrouteError) return null
    throw error
  }
}

/** Null: there is nothing. */
async function ask(url: string, signal?: AbortSignal): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const { statusCode, body } = await request(url, { dispatcher: service, signal: either })
    if (statusCode === 200) return await body.json()
    await body.dump()
    if (statusCode === 404) return null
    throw unavailable()
  } catch (cause) {
    if (cause instanceof ForkrouteError) throw cause
    signal?.throwIfAborted()
    throw unavailable(cause)
  }
}

function unavailable(cause?: unknown): ForkrouteError {
  return new ForkrouteError(
    'UPSTREAM_UNAVAILABLE',
    'The service of CCTP’s attestations does not answer.',
    undefined,
    { cause },
  )
}
