/**
 * Balances of one owner in many tokens at the block, from the node itself in a few calls of Multicall3: a fork of a
 * cold block would fetch code and slots of every token one after the other.
 * `wallet-task.ts` chooses the tokens and values the amounts.
 */
import pLimit from 'p-limit'
import { decodeFunctionResult, encodeFunctionData, erc20Abi, parseAbi } from 'viem'
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
 * Tokens in one call, in the first round and then of those that failed: one token that uses up the gas fails all that
 * follow. The larger call costs some 3 million gas, which every node allows. What fails twice is asked alone.
 */
const tokensPerCall = [200, 20] as const
const callsInFlight = 4

/** Length of a `balanceOf` result in hex: one word. */
const wordLength = 66

export interface BalanceSource {
  readonly reader: StateReader
  /** A call on the node; null when it reverts, or no node supports calls. */
  callNode(to: Address, data: Hex): Promise<Hex | null>
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
  const limit = pLimit(callsInFlight)
  const answers = new Map<Address, Hex>()
  let left = tokens
  for (const size of tokensPerCall) {
    const failed = await Promise.all(
      chunksOf(left, size).map((chunk) =>
        limit(async () => {
          const results = await aggregate(source, chunk, data)
          return chunk.filter((token, index) => {
            const result = results?.[index]
            if (result?.success) answers.set(token, result.returnData)
            return !result?.success
          })
        }),
      ),
    )
    left = failed.flat()
  }
  const alone = await source.reader.call(left.map((to) => ({ to, data })))
  for (const [index, token] of left.entries()) {
    const result = alone[index]
    if (result?.ok) answers.set(token, result.value)
  }
  const balances = new Map<Address, bigint>()
  for (const [token, answer] of answers) {
    const amount = answer.length === wordLength ? BigInt(answer) : 0n
    if (amount > 0n) balances.set(token, amount)
  }
  return balances
}

/** Null where the chain has no Multicall3 at the block, no node supports calls, or the whole call failed. */
async function aggregate(
  source: BalanceSource,
  tokens: readonly Address[],
  callData: Hex,
): Promise<readonly { readonly success: boolean; readonly returnData: Hex }[] | null> {
  const calls = tokens.map((target) => ({ target, allowFailure: true, callData }))
  const data = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
  const answer = await source.callNode(multicall3, data)
  if (!answer || answer === '0x') return null
  try {
    return decodeFunctionResult({ abi, functionName: 'aggregate3', data: answer })
  } catch {
    return null
  }
}

function chunksOf(tokens: readonly Address[], size: number): Address[][] {
  return Array.from({ length: Math.ceil(tokens.length / size) }, (_chunk, index) =>
    tokens.slice(index * size, (index + 1) * size),
  )
}
