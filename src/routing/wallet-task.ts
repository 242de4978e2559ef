/** Balances and approvals of a wallet at one block. */
import { encodeFunctionData, parseAbi } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import type { Token } from '../domain/primitives.js'
import { spenderOf } from '../executor/strategies.js'
import type { TaskRun } from './task-run.js'
import type { TaskTypes } from './tasks.js'

const erc20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

/** Balances that are not zero, native first, then as listed. A token that cannot be read is left out. */
export async function readBalances(
  run: TaskRun,
  { owner }: TaskTypes['balances']['args'],
): Promise<TaskTypes['balances']['result']> {
  const { id } = run.block.chain
  const tokens = run.settings.tokens.filter(({ chainId }) => chainId === id)
  const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner] })
  const [native, nativeFacts, results] = await Promise.all([
    run.nativeBalance(owner),
    run.block.nativeFacts(),
    run.reader.call(tokens.map(({ address }) => ({ to: address, data }))),
  ])
  const held: { token: Token; amount: bigint }[] = native
    ? [{ token: nativeFacts, amount: native }]
    : []
  for (const [index, token] of tokens.entries()) {
    const result = results[index]
    if (!result?.ok || result.value.length !== 66) continue
    const amount = BigInt(result.value)
    if (amount > 0n) held.push({ token, amount })
  }
  return Promise.all(
    held.map(async ({ token, amount }) => {
      const price = await run.block.price(run.reader, token.address)
      return { token, amount, priceUsd: price?.priceUsd ?? null }
    }),
  )
}

/** The transaction with which the owner allows the strategy's contract to spend its token. */
export async function buildApproval(
  run: TaskRun,
  { owner, token, strategy, amount }: TaskTypes['approval']['args'],
): Promise<TaskTypes['approval']['result']> {
  const spender = spenderOf(strategy, owner)
  if (!spender) {
    throw new ForkrouteError(
      'INVALID_REQUEST',
      'routingStrategy: delegate strategies need no allowance, the account itself spends.',
    )
  }
  // A call to an address without code succeeds and does nothing.
  if (!(await run.hasCode(token))) {
    throw new ForkrouteError('INVALID_REQUEST', `tokenAddress ${token} is no contract.`, { token })
  }
  const data = encodeFunctionData({ abi: erc20, functionName: 'approve', args: [spender, amount] })
  const [result] = await run.simulate([{ from: owner, to: token, data, value: 0n, overrides: {} }])
  if (result?.status === 'success') {
    return { tx: { from: owner, to: token, data, value: 0n }, gas: result.gasUsed, spender }
  }
  if (result?.status === 'reverted') {
    throw new ForkrouteError(
      'SIMULATION_REVERTED',
      `The token refuses the approval: ${result.reason}.`,
      { token, spender, reason: result.reason },
    )
  }
  throw new ForkrouteError('STATE_UNAVAILABLE', `The state of ${token} cannot be read.`, { token })
}
