/** Bundles asked over HTTP and carried out on an Anvil of their own, as a client would. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { expect } from 'vitest'
import { type Address, isNative, toAddress } from '../../src/domain/primitives.js'
import { asSent, type ExecuteArgs, type Execution, executeOnFork } from './execute.js'
import type { Answer, TestService } from './service/service.js'

export interface Action {
  readonly protocol: string
  readonly action: string
  readonly args: Readonly<Record<string, unknown>>
}

export const output = (useOutputOfCallAt: number, index?: number) => ({
  useOutputOfCallAt,
  ...(index !== undefined && { index }),
})

/** An action of the service itself. */
export const own = (action: string, args: Record<string, unknown>): Action => ({
  protocol: 'svc',
  action,
  args,
})

export const route = (tokenIn: Address, tokenOut: Address, amountIn: unknown, more = {}) =>
  own('route', { tokenIn, tokenOut, amountIn: String(amountIn), ...more })

/** A route of what an earlier action gives. */
export const routeOf = (tokenIn: Address, tokenOut: Address, at: number, index?: number) =>
  own('route', { tokenIn, tokenOut, amountIn: output(at, index) })

export function askBundle(
  service: Pick<TestService, 'post'>,
  query: Readonly<Record<string, string>>,
  actions: readonly Action[],
): Promise<Answer> {
  return service.post(`/api/v1/shortcuts/bundle?${new URLSearchParams(query)}`, actions)
}

/**
 * Sends the answer's transaction after its approvals, from a sender that has been given exactly what the answer
 * says it takes. Watches the balance of every token of amountsOut: the receiver's, and those of whom actions pay.
 */
export async function executeBundle(
  service: Pick<TestService, 'nodeUrl'>,
  body: Answer['body'],
  options: {
    readonly routingStrategy?: string
    readonly receiver?: Address
    readonly watch?: ExecuteArgs['watch']
    readonly prepare?: ExecuteArgs['prepare']
    readonly behind?: ExecuteArgs['behind']
    readonly inspect?: ExecuteArgs['inspect']
    /** False: the sender holds and allows all that it needs. */
    readonly isFunded?: boolean
  } = {},
): Promise<Execution & { readonly gained: Readonly<Record<string, string>> }> {
  const {
    routingStrategy = 'router',
    watch = [],
    prepare,
    behind,
    inspect,
    isFunded = true,
  } = options
  const { tx } = body
  const receiver = options.receiver ?? (tx.from as Address)
  const sent = asSent(tx, routingStrategy, tx.from)
  const tokens = Object.keys(body.amountsOut) as Address[]
  const payments = (body.payments ?? []) as readonly { token: Address; receiver: Address }[]
  const watched = tokens.flatMap((token) => {
    const paid = payments.filter((one) => one.token === token).map((one) => one.receiver)
    return [...new Set([receiver, ...paid])].map((owner) => ({ token, owner }))
  })
  const inputs = Object.entries(body.amountsIn as Record<Address, string>).map(
    ([token, amount]) => ({ token: token as Address, amount: BigInt(amount) }),
  )
  const execution = await executeOnFork({
    nodeUrl: service.nodeUrl,
    blockNumber: body.blockNumber,
    tx: sent.tx,
    ...(behind && { behind }),
    ...(inspect && { inspect }),
    watch: [...watched, ...watch],
    ...(isFunded && { fund: inputs.filter(({ token }) => !isNative(token)), approve: tx.to }),
    first: body.approvals ?? [],
    async prepare(anvil) {
      await sent.prepare?.(anvil)
      await prepare?.(anvil)
    },
  })
  const gained = Object.fromEntries(
    tokens.map((token) => {
      const gains = watched.map(({ token: each, owner }, index) => {
        if (each !== token) return 0n
        const spent = owner === tx.from ? inputs.find((input) => input.token === token) : undefined
        return (execution.deltas[index] ?? 0n) + (spent?.amount ?? 0n)
      })
      return [token, gains.reduce((sum, gain) => sum + gain, 0n).toString()]
    }),
  )
  return { ...execution, gained }
}

/** Asks for the bundle and carries out the answer, which its own transaction keeps to the wei and to the unit of gas. */
export async function proveBundle(
  service: Pick<TestService, 'post' | 'nodeUrl'>,
  query: Readonly<Record<string, string>>,
  actions: readonly Action[],
  options: Parameters<typeof executeBundle>[2] = {},
) {
  const { status, body } = await askBundle(service, query, actions)
  expect(status, JSON.stringify(body)).toBe(200)
  const { routingStrategy, receiver } = query
  const execution = await executeBundle(service, body, {
    ...(routingStrategy && { routingStrategy }),
    ...(receiver && { receiver: toAddress(receiver) }),
    ...options,
  })
  expect(execution.status).toBe('success')
  expect(execution.gained).toEqual(body.amountsOut)
  expect(execution.gasUsed.toString()).toBe(body.gas)
  return { body, execution }
}

/** What a holder has to allow beforehand, beside what is allowed already. */
export async function approveInputs(
  anvil: { rpc<T>(method: string, params: readonly unknown[]): Promise<T> },
  tx: { from: Address; to: Address },
  amountsIn: Readonly<Record<string, string>>,
): Promise<void> {
  await anvil.rpc('anvil_impersonateAccount', [tx.from])
  for (const [token, amount] of Object.entries(amountsIn)) {
    const allowance = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'allowance',
      args: [tx.from, tx.to],
    })
    const call = [{ to: toAddress(token), data: allowance }, 'latest']
    if (BigInt(await anvil.rpc<`0x${string}`>('eth_call', call)) >= BigInt(amount)) continue
    const args = [tx.to, BigInt(amount)] as const
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    await anvil.rpc('anvil_setBalance', [tx.from, '0x56bc75e2d63100000'])
    await anvil.rpc('eth_sendTransaction', [
      { from: tx.from, to: toAddress(token), data: approval, gas: '0x30d40' },
    ])
  }
}
