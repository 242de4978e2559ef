/**
 * Whether a token takes EIP-2612 permits, found out from the token at the block: its separator must be that of a domain
 * which can be told, and a permit that a key of ours really signs must be carried out. Names prove nothing: permits of
 * another form (Dai's `allowed`, signatures as bytes) and fallbacks that accept any call are no EIP-2612.
 */
import {
  type Abi,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  hexToBigInt,
  keccak256,
  parseAbi,
  parseSignature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { unreadable } from '../../domain/common-errors.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { contractAddress } from '../../executor/deployments.js'
import {
  type DomainFacts,
  domainOf,
  type TokenDomain,
  type TokenPermit,
  tokenPermitCall,
  tokenPermitTypedData,
} from '../../executor/eip2612.js'
import type { Task } from '../block/task.js'

const tokenAbi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

export interface TokenPermits {
  readonly domain: TokenDomain
  /** Nonce of the owner's next permit. */
  readonly nonce: bigint
}

/**
 * @param permit - what the owner would sign for the Router.
 * @returns null for a token that has no such permits.
 * @throws ForkrouteError STATE_UNAVAILABLE where that cannot be told.
 */
export async function tokenPermitsOf(
  task: Task,
  permit: Pick<TokenPermit, 'token' | 'amount' | 'owner' | 'deadline'>,
): Promise<TokenPermits | null> {
  const { token, owner } = permit
  // The key is derived from this block and token alone, so that nobody has used it.
  const prober = privateKeyToAccount(keccak256(concatHex([task.pin.hash, token])))
  const proberAddress = toAddress(prober.address)
  const results = await task.reader.call(
    [
      encodeFunctionData({ abi: tokenAbi, functionName: 'nonces', args: [owner] }),
      encodeFunctionData({ abi: tokenAbi, functionName: 'nonces', args: [proberAddress] }),
      ...(['DOMAIN_SEPARATOR', 'name', 'version', 'eip712Domain'] as const).map((functionName) =>
        encodeFunctionData({ abi: tokenAbi, functionName }),
      ),
    ].map((data) => ({ to: token, data })),
  )
  if (results.some((result) => !result.ok && result.reason === 'unreadable'))
    throw cannotTell(token)
  const [ownNonce, proberNonce, separator, name, version, stated] = results
  const nonce = wordOf(ownNonce)
  const probedNonce = wordOf(proberNonce)
  const domainSeparator = wordOf(separator)
  if (nonce === null || probedNonce === null || domainSeparator === null) return null
  const facts: DomainFacts = {
    chainId: task.chain.id,
    token,
    name: decoded<string>(tokenAbi, 'name', name),
    version: decoded<string>(tokenAbi, 'version', version),
    stated: statedDomain(stated),
  }
  const domain = domainOf(facts, domainSeparator)
  if (!domain) return null
  const spender = contractAddress('Router')
  const probe = {
    ...permit,
    owner: proberAddress,
    spender,
    nonce: hexToBigInt(probedNonce),
    domain,
  }
  const message = tokenPermitTypedData(probe)
  const signed = parseSignature(await prober.signTypedData(message as never))
  const call = tokenPermitCall(probe, { ...signed, v: 27 + signed.yParity })
  const asked = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'allowance',
    args: [proberAddress, spender],
  })
  const [allowed] = await task.simulator.simulate(
    [
      {
        from: proberAddress,
        to: token,
        data: asked,
        value: 0n,
        overrides: {},
        before: [{ from: proberAddress, to: token, data: call }],
      },
    ],
    { warms: false },
  )
  if (!allowed || allowed.status === 'unreadable') throw cannotTell(token)
  const isCarriedOut =
    allowed.status === 'success' && hexToBigIntOrZero(allowed.returnData) === permit.amount
  return isCarriedOut ? { domain, nonce: hexToBigInt(nonce) } : null
}

function cannotTell(token: Address) {
  return unreadable(`Whether ${token} takes permits`, { token })
}

/** The one word that a call returns; null for anything else. */
function wordOf(result: ReadResult | undefined): Hex | null {
  return result?.ok && result.value.length === 66 ? result.value : null
}

function hexToBigIntOrZero(data: Hex): bigint {
  return data.length === 66 ? hexToBigInt(data) : 0n
}

/** Undefined where the call fails or returns something else. */
function decoded<T>(abi: Abi, functionName: string, result: ReadResult | undefined): T | undefined {
  if (!result?.ok) return undefined
  try {
    return decodeFunctionResult({ abi, functionName, data: result.value }) as T
  } catch {
    return undefined
  }
}

function statedDomain(result: ReadResult | undefined): DomainFacts['stated'] {
  type Returned = readonly [Hex, string, string, bigint, Hex, Hex]
  const [fields, name, version, chainId, verifyingContract, salt] =
    decoded<Returned>(tokenAbi, 'eip712Domain', result) ?? []
  if (!fields || !verifyingContract || !salt) return undefined
  return {
    fields,
    salt,
    name: name ?? '',
    version: version ?? '',
    chainId: Number(chainId),
    verifyingContract: toAddress(verifyingContract),
  }
}
