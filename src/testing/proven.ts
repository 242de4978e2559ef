/** Checks the evidence of an answer as a stranger would. */
import { ForkrouteError } from '../domain/errors.js'
import { runOnAnvil } from '../verify/anvil.js'
import { verifyEvidence } from '../verify/verify.js'

/** What the evidence of an answer has shown. */
export interface ProvenAnswer {
  readonly kind: 'route' | 'quote'
  readonly chainId: number
  readonly blockNumber: bigint
  readonly blockHash: string
  /** That signed, hexadecimal. */
  readonly publicKey: string
  /** Accounts, slots and codes that lead to the block's hash. */
  readonly accounts: number
  readonly slots: number
  readonly codes: number
  /** Words and ether that are not of the chain. */
  readonly assumed: number
}

/** Whether the state of an answer is proven, and by what; else why it is not. */
export type Proof =
  | ({ readonly isProven: true } & ProvenAnswer)
  | { readonly isProven: false; readonly reason: string }

/**
 * @param text - of an answer to a request with evidence=true.
 * @throws ForkrouteError STATE_UNAVAILABLE where it is not proven, with what is wrong.
 */
export async function provenAnswer(
  kind: ProvenAnswer['kind'],
  text: string,
): Promise<ProvenAnswer> {
  const { evidence } = JSON.parse(text) as { evidence?: unknown }
  const content = JSON.stringify(evidence ?? null)
  const { file, header, state, problem } = await verifyEvidence(content, { run: runOnAnvil })
  if (!file || !header || !state || problem) {
    const reason = `${problem?.part}: ${problem?.message}`
    throw new ForkrouteError('STATE_UNAVAILABLE', `The answer is not proven: ${reason}.`)
  }
  const { block, execution } = file.evidence
  return {
    kind,
    chainId: block.chainId,
    blockNumber: header.number,
    blockHash: block.hash,
    publicKey: file.publicKey,
    accounts: state.accounts.size,
    slots: state.slots.size,
    codes: state.codes.size,
    assumed: execution.assumed.length,
  }
}
