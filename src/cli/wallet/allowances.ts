/** Reads which contracts of ours an owner has allowed to spend its tokens, and says how to take that back. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { unreadable } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import type { Spender } from '../../executor/former-deployments.js'
import { bulkCalls, toAmount } from '../../routing/tasks/bulk-balances.js'
import { createUpstream, type Upstream } from '../../rpc/node/upstream.js'

export interface Allowance {
  readonly token: Address
  readonly spender: Spender
  /** Raw units, above zero. */
  readonly amount: bigint
}

export interface FoundAllowances {
  readonly blockNumber: bigint
  /** In the order in which tokens were asked for, then by spender. */
  readonly allowances: readonly Allowance[]
  /** Tokens that revert or do not answer as tokens do. One without code is not among them. */
  readonly unread: readonly Address[]
  /** Tokens that have no code at the block. */
  readonly absent: readonly Address[]
}

export interface Revocation {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  /** Wei. */
  readonly value: '0'
}

/**
 * At the newest block of the first node that answers.
 *
 * @param args.tokens - distinct.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE; STATE_UNAVAILABLE when not one token could be read.
 */
export async function findAllowances(args: {
  readonly chainId: number
  readonly urls: readonly string[]
  readonly verifyHeaderHash: boolean
  readonly owner: Address
  readonly tokens: readonly Address[]
  readonly spenders: readonly Spender[]
}): Promise<FoundAllowances> {
  const { chainId, urls, verifyHeaderHash, owner, tokens, spenders } = args
  const upstream = createUpstream({ chainId, urls, verifyHeaderHash })
  try {
    const block = await newestBlock(upstream, chainId)
    const pairs = tokens.flatMap((token) => spenders.map((spender) => ({ token, spender })))
    const answers = await bulkCalls(
      sourceOf(upstream, block),
      pairs.map(({ token, spender }) => ({ to: token, data: allowanceCall(owner, spender) })),
    )
    const allowances: Allowance[] = []
    const unread = new Set<Address>()
    const absent = new Set<Address>()
    for (const [index, { token, spender }] of pairs.entries()) {
      const answer = answers[index] ?? null
      const amount = toAmount(answer)
      if (amount) allowances.push({ token, spender, amount })
      else if (answer === '0x') absent.add(token)
      else if (amount === null) unread.add(token)
    }
    if (unread.size > 0 && unread.size === tokens.length) {
      throw unreadable(`What ${owner} allows`, { owner })
    }
    return { blockNumber: block.number, allowances, unread: [...unread], absent: [...absent] }
  } finally {
    await upstream.close()
  }
}

export function revoke(owner: Address, { token, spender }: Allowance): Revocation {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender.address, 0n],
  })
  return { from: owner, to: token, data, value: '0' }
}

function allowanceCall(owner: Address, { address }: Spender): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, address] })
}

async function newestBlock(upstream: Upstream, chainId: number): Promise<BlockPin> {
  for (const index of upstream.nodes().keys()) {
    const newest = await upstream.latestOf(index)
    if (newest) return newest.pin
  }
  const problems = upstream.nodes().map(({ problem }) => problem ?? 'no newest block.')
  throw new ForkrouteError(
    'UPSTREAM_UNAVAILABLE',
    `No node of chain ${chainId} gives an answer: ${problems.join(' ')}`,
    { chainId },
  )
}

function sourceOf(upstream: Upstream, block: BlockPin) {
  const ask = (to: Address, data: Hex) => upstream.call(to, data, block)
  return {
    async callNode(to: Address, data: Hex): Promise<Hex | null> {
      const answer = await ask(to, data)
      return answer.ok ? answer.value : null
    },
    reader: {
      call: (calls: readonly { readonly to: Address; readonly data: Hex }[]) =>
        Promise.all(
          calls.map(async ({ to, data }): Promise<ReadResult> => {
            const answer = await ask(to, data)
            return answer.ok ? answer : { ...answer, reason: 'unreadable' }
          }),
        ),
    },
  }
}
