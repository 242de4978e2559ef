/** Whether an account can be paid, by a payment that is simulated. */
import { encodeFunctionData, keccak256, parseAbi, stringToHex } from 'viem'
import type { Delivery } from '../../bridges/bridge.js'
import { bridgeOf } from '../../bridges/registry.js'
import { ForkrouteError } from '../../domain/errors.js'
import { type Address, isNative, type TokenAmount } from '../../domain/primitives.js'
import type { SimulationResult, StateOverrides } from '../../domain/state.js'
import type { Task } from '../block/task.js'

const erc20 = parseAbi(['function transfer(address to, uint256 amount)'])
/** Nobody's. */
const payer: Address = `0x${keccak256(stringToHex('forkroute.payer')).slice(-40)}`
const gasMoney = 10n ** 18n

/** What is to be paid to whom. */
export interface Payment extends TokenAmount {
  readonly receiver: Address
}

/** Why the receiver takes no such payment, by whomever; null where it does, or where that cannot be seen. */
export async function whyRefused(task: Task, payment: Payment): Promise<string | null> {
  const { token, amount } = payment
  const overrides = isNative(token)
    ? { [payer]: { balance: amount + gasMoney } }
    : await task.simulator.fund(token, payer, { balance: amount })
  return overrides && failureOf(await pay(task, payer, payment, overrides))
}

/** Why a bridge cannot pay what it delivers out of its pool; null where it has none, or it can. */
export async function whyPoolCannotPay(
  task: Task,
  delivery: Delivery,
  payment: Payment,
): Promise<string | null> {
  const bridge = bridgeOf(delivery)
  const pool = bridge.poolOf?.(delivery, task.chain)
  if (!pool) return null
  const failure = failureOf(await pay(task, pool, payment, {}))
  return failure && `${bridge.name}’s pool ${pool} cannot pay ${payment.amount} of it (${failure})`
}

async function pay(
  task: Task,
  from: Address,
  { token, amount, receiver }: Payment,
  overrides: StateOverrides,
): Promise<SimulationResult | undefined> {
  const call = isNative(token)
    ? ({ to: receiver, data: '0x', value: amount } as const)
    : {
        to: token,
        value: 0n,
        data: encodeFunctionData({
          abi: erc20,
          functionName: 'transfer',
          args: [receiver, amount],
        }),
      }
  const measure = [{ token, owner: receiver }]
  const [result] = await task.simulator.simulate([{ from, ...call, overrides, measure }])
  return result
}

function failureOf(result: SimulationResult | undefined): string | null {
  if (!result || result.status === 'unreadable') return null
  if (result.status === 'reverted') return result.reason
  return (result.deltas[0]?.amount ?? 0n) > 0n ? null : 'a payment adds nothing to its balance'
}

/** What is delivered would be nobody's: the receiver cannot be paid. */
export function notPaid(args: {
  readonly receiver: Address
  readonly token: Address
  readonly chainId: number
  readonly reason: string
  readonly bridge: string
}): ForkrouteError {
  const { receiver, token, chainId, reason, bridge } = args
  const message = `The receiver ${receiver} cannot be paid ${token} on chain ${chainId}: ${reason}.`
  return new ForkrouteError('SIMULATION_REVERTED', message, { bridge, receiver, token, reason })
}
