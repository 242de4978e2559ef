/**
 * Routes whose input comes by a signature: what the sender signs, and forks that accept the stand-in for the signature,
 * so that the transaction is simulated as it will be sent.
 *
 * Always Permit2. A token's own permit (EIP-2612) would make an allowance of the Executor, and the Executor refuses to
 * take tokens of others by an allowance.
 */
import { concatHex, hexToBigInt, keccak256, toHex } from 'viem'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { OrderInput } from '../../domain/order.js'
import { runnerAddress } from '../../executor/compile.js'
import { joinSignature, type SignedPermit, standInSignature } from '../../executor/permit.js'
import type { TaskRun } from '../context/task-context.js'

/** How long a signature may be used without a `deadline` of the request, seconds after the block. */
const validSeconds = 1_800n

/**
 * @param input - the one input of the request, no native token.
 * @param deadline - of the transaction; undefined: none.
 * @throws ForkrouteError INVALID_REQUEST for a sender whose signatures are not those of its key.
 */
export async function choosePermit(
  run: TaskRun,
  request: RouteRequest,
  { token, amount }: OrderInput,
  deadline: bigint | undefined,
): Promise<SignedPermit> {
  const owner = request.fromAddress
  if (await run.hasCode(owner)) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      `permit must not be given: ${owner} is a contract, whose signatures only itself can check`,
    )
  }
  await run.acceptSignature(joinSignature(standInSignature(owner)), owner)
  // Permit2's nonces have no order: any that was not used does, and this one is of this transaction alone.
  const seed = concatHex([run.pin.hash, owner, token, toHex(amount, { size: 32 })])
  return {
    chainId: request.chainId,
    token,
    amount,
    owner,
    runner: runnerAddress(request.strategy, owner),
    nonce: hexToBigInt(keccak256(seed)),
    deadline: deadline ?? run.pin.timestamp + validSeconds,
  }
}
