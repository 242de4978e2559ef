/**
 * Balances of one owner in many tokens, or any reads of many contracts, at the block, from the node itself in a few
 * calls of Multicall3: a fork of a cold block would fetch code and slots of every token one after the other.
 * `wallet-task.ts` chooses the tokens and values the amounts.
 */
import pLimit from 'p-limit'
import { decodeFunctionResult, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { chunksOf } from '../../domain/lists.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'

/** Address of Multicall3 on every chain that has it. */
const multicall3: Address = '0xca11bde05977b3631167028862be2a173976ca11'
const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
/**
 * Reads in one call, in the first round and then of those that failed: one token that uses up the gas fails all that
 * follow. The larger call costs some 3 million gas, which every node allows. What fails twice is asked alone.
 */
const callsTogether = [200, 20] as const
const callsInFlight = 4

/** Length of one word in hex. */
const wordLength = 66

/** A read of one contract. */
export interface BulkCall {
  readonly to: Address
  readonly data: Hex
}

export interface CallSource {
  readonly reader: Pick<StateReader, 'call'>
  /** A call on the node; null when it reverts, or no node supports calls. */
  callNode(to: Address, data: Hex): Promise<Hex | null>
}

export interface BalanceSource extends CallSource {
  readonly reader: StateReader
}

/**
 * @param tokens - distinct, without the native token.
 * @returns raw units that are above zero, by token. What reverts, is no token or cannot be read has none.
 */
export async function bulkBalances(
  source: BalanceSource,
  owner: Address,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, bigint>> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
  const answers = await bulkCalls(
    source,
    tokens.map((to) => ({ to, data })),
  )
  const balances = new Map<Address, bigint>()
  for (const [index, token] of tokens.entries()) {
    const amount = toAmount(answers[index] ?? null) ?? 0n
    if (amount > 0n) balances.set(token, amount)
  }
  return balances
}

/** Raw units in the answer of an ERC-20; null when it is not one word. */
export function toAmount(answer: Hex | null): bigint | null {
  return answer?.length === wordLength ? BigInt(answer) : null
}

/** What each call returns, in the order asked; null for one that reverts or that the node does not make. */
export async function bulkCalls(
  source: CallSource,
  calls: readonly BulkCall[],
): Promise<(Hex | null)[]> {
  const limit = pLimit(callsInFlight)
  const answers = new Map<BulkCall, Hex>()
  let left = calls
  for (const size of callsTogether) {
    const failed = await Promise.all(
      chunksOf(left, size).map((chunk) =>
        limit(async () => {
          const results = await aggregate(source, chunk)
          return chunk.filter((call, index) => {
            const result = results?.[index]
            if (result?.success) answers.set(call, result.returnData)
            return !result?.success
          })
        }),
      ),
    )
    left = failed.flat()
  }
  const alone = await source.reader.call(left)
  for (const [index, call] of left.entries()) {
    const result = alone[index]
    if (result?.ok) answers.set(call, result.value)
  }
  return calls.map((call) => answers.get(call) ?? null)
}

/** Null where the chain has no Multicall3 at the block, no node supports calls, or the whole call failed. */
async function aggregate(
  source: CallSource,
  calls: readonly BulkCall[],
): Promise<readonly { readonly success: boolean; readonly returnData: Hex }[] | null> {
  const inner = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [inner] })
  const answer = await source.callNode(multicall3, data)
  if (!answer || answer === '0x') return null
  try {
    return decodeFunctionResult({ abi, functionName: 'aggregate3', data: answer })
  } catch {
    return null
  }
}
