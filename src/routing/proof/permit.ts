/**
 * Routes whose input comes by a signature: finds out what the token takes, and has the forks accept the stand-in for
 * the signature, so that the transaction is simulated as it will be sent.
 */
import {
  concatHex,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  erc20Abi,
  hexToBigInt,
  keccak256,
  toHex,
} from 'viem'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { OrderInput } from '../../domain/order.js'
import { type Address, type Hex, isNative } from '../../domain/primitives.js'
import { runnerAddress } from '../../executor/compile.js'
import {
  eip2612Abi,
  joinSignature,
  type PermitDomain,
  permitCall,
  type SignedPermit,
  standInSignature,
} from '../../executor/permit.js'
import { permit2Address } from '../../executor/permit2.js'
import type { TaskRun } from '../context/task-context.js'

/** How long a signature may be used without a `deadline` of the request, seconds after the block. */
const validSeconds = 1_800n

/** Who takes the tokens of a permit by an allowance; null: nobody, since the permit is the allowance. */
export function pullerOf({ kind }: SignedPermit): Address | null {
  return kind === 'permit2' ? permit2Address : null
}

/**
 * @param input - the one input of the request.
 * @param deadline - of the transaction; undefined: none.
 * @throws ForkrouteError INVALID_REQUEST where a signature cannot bring the input.
 */
export async function choosePermit(
  run: TaskRun,
  request: RouteRequest,
  { token, amount }: OrderInput,
  deadline: bigint | undefined,
): Promise<SignedPermit> {
  if (isNative(token)) refuse('the native token needs no allowance')
  const owner = request.fromAddress
  if (await run.hasCode(owner)) {
    refuse(`${owner} is a contract, whose signatures only itself can check`)
  }
  const { r, s, v } = standInSignature(owner)
  await run.acceptSignature(joinSignature({ r, s, v }), owner)
  const { chainId } = request
  const runner = runnerAddress(request.strategy, owner)
  const common = {
    ...{ chainId, token, amount, owner, runner },
    deadline: deadline ?? run.pin.timestamp + validSeconds,
  }
  const own = await ofToken(run, common)
  if (own) return { ...common, ...own, kind: 'eip2612' }
  // Unordered: any that was not used, and this one is used by this transaction alone.
  const seed = concatHex([run.pin.hash, owner, token, toHex(amount, { size: 32 })])
  return { ...common, kind: 'permit2', nonce: hexToBigInt(keccak256(seed)) }
}

function refuse(why: string): never {
  throw new ForkrouteError('INVALID_REQUEST', `permit must not be given: ${why}`)
}

type Common = Pick<SignedPermit, 'chainId' | 'token' | 'amount' | 'owner' | 'runner' | 'deadline'>

/** Domain and nonce where the token's own `permit` makes the allowance; null where it has none, or another. */
async function ofToken(
  run: TaskRun,
  common: Common,
): Promise<{ domain: PermitDomain; nonce: bigint } | null> {
  const { chainId, token, owner } = common
  const names = ['DOMAIN_SEPARATOR', 'name', 'version', 'nonces'] as const
  const answers = await run.reader.call(
    names.map((functionName) => ({
      to: token,
      data: encodeFunctionData({
        abi: eip2612Abi,
        functionName,
        ...(functionName === 'nonces' && { args: [owner] }),
      } as never),
    })),
  )
  const [separator, name, version, nonce] = names.map((functionName, index) => {
    const answer = answers[index]
    return answer?.ok ? decoded(functionName, answer.value) : undefined
  })
  if (separator === undefined || typeof name !== 'string' || typeof nonce !== 'bigint') return null
  // Most tokens that do not say their version mean the first.
  const versions = new Set([typeof version === 'string' ? version : '1', '1', '2'])
  const domain = [...versions]
    .map((one): PermitDomain => ({ name, version: one }))
    .find((one) => {
      const full = { ...one, chainId, verifyingContract: token }
      return domainSeparator({ domain: full }) === separator
    })
  if (!domain) return null
  const permit: SignedPermit = { ...common, kind: 'eip2612', domain, nonce }
  return (await makesAllowance(run, permit)) ? { domain, nonce } : null
}

function decoded(functionName: (typeof eip2612Abi)[number]['name'], data: Hex): unknown {
  try {
    return decodeFunctionResult({ abi: eip2612Abi, functionName, data } as never)
  } catch {
    return undefined
  }
}

/** Tries it: some tokens have a permit of the same domain with other arguments. */
async function makesAllowance(run: TaskRun, permit: SignedPermit): Promise<boolean> {
  const { token, owner, runner, amount } = permit
  const { abi, args } = permitCall(permit)
  const [result] = await run.simulate([
    {
      from: owner,
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, runner] }),
      value: 0n,
      overrides: {},
      before: [{ from: runner, to: token, data: encodeFunctionData({ abi: [abi], args }) }],
    },
  ])
  return result?.status === 'success' && BigInt(result.returnData) === amount
}
