/**
 * Routes whose input comes by a signature: what the sender signs, and forks that accept the stand-in for the signature,
 * so that the transaction is simulated as it will be sent.
 *
 * The token's own permit (EIP-2612) where it has one, for `execute` alone: it needs no allowance given before. Else
 * Permit2, in a step.
 */
import { concatHex, hexToBigInt, keccak256, toHex } from 'viem'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { at } from '../../domain/lists.js'
import { permit2Address } from '../../domain/primitives.js'
import { runnerAddress } from '../../executor/compile.js'
import { contractAddress } from '../../executor/deployments.js'
import { joinSignature, type SignedPermit, standInSignature } from '../../executor/permit.js'
import type { Task } from '../block/task.js'
import type { Sender } from './sender-state.js'
import { tokenPermitsOf } from './token-permits.js'

/** How long a signature may be used without a `deadline` of the request, seconds after the block. */
const validSeconds = 1_800n

/**
 * @param request - with one input, no native token.
 * @param amount - raw units that are permitted; with a stated output that output's, until the input's is known.
 * @param deadline - of the transaction; undefined: none.
 * @throws ForkrouteError INVALID_REQUEST for a sender whose signatures are not those of its key.
 */
export async function choosePermit(
  task: Task,
  request: RouteRequest,
  amount: bigint,
  deadline: bigint | undefined,
): Promise<SignedPermit> {
  const { fromAddress: owner, inputs } = request
  const { token } = at(inputs, 0)
  if (await task.archive.hasCode(owner)) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `permit must not be given: ${owner} is a contract, and only the contract itself can check its signatures. Approve the amount instead.`,
      {
        next: [{ parameter: 'permit', value: null }, { endpoint: 'GET /api/v1/wallet/approve' }],
      },
    )
  }
  await task.simulator.acceptSignature(joinSignature(standInSignature(owner)), owner)
  const terms = { token, amount, owner, deadline: deadline ?? task.pin.timestamp + validSeconds }
  const tokenPermits = request.strategy === 'router' ? await tokenPermitsOf(task, terms) : null
  if (tokenPermits)
    return { kind: 'eip2612', ...terms, ...tokenPermits, spender: contractAddress('Router') }
  // Permit2's nonces have no order: any that was not used does, and this one is of this transaction alone.
  const seed = concatHex([task.pin.hash, owner, token, toHex(amount, { size: 32 })])
  return {
    kind: 'permit2',
    chainId: request.chainId,
    ...terms,
    spender: runnerAddress(request.strategy, owner),
    nonce: hexToBigInt(keccak256(seed)),
  }
}

/** Whom the sender must have allowed to take the input beforehand, where a permit decides that. */
export function pullerOf(permit: SignedPermit | undefined): Pick<Sender, 'puller'> {
  if (!permit) return {}
  return { puller: permit.kind === 'eip2612' ? null : permit2Address }
}
