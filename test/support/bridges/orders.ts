/** Orders between two plain chains: their messages, and the deliveries that carry them out. */
import { createAcross } from '../../../src/bridges/across/index.js'
import type { BridgeAdapter, DeliveryTerms, Lane } from '../../../src/bridges/bridge.js'
import { nativeToken } from '../../../src/domain/primitives.js'
import { buildDeliveryMessage } from '../../../src/executor/compile.js'
import { fallbackReceiver, type Mined } from './chain.js'
import { compose, fill, receive } from './relay.js'
import type { Connected } from './two-chains.js'

export const across = createAcross({ feeBps: 5n, costBps: 15_000n })
const minimumGas = 400_000n
/** With what the landing and the DestinationReceiver take around the order. */
export const gas = 800_000n

/** All of it into the destination's market, or, of ether, to the receiver. */
export function orderTerms(
  destination: Connected,
  lane: Lane,
  minAmountOut: bigint,
): DeliveryTerms {
  const isEther = lane.tokenOut === nativeToken
  const swap = destination.swapOrder(isEther ? destination.weth : lane.tokenOut, minAmountOut)
  const order = isEther
    ? {
        ...swap,
        steps: [],
        outputsPaidBySteps: false,
        inputs: [{ token: nativeToken, amount: 0n }],
        outputs: [{ token: nativeToken, minAmountOut }],
      }
    : swap
  const message = buildDeliveryMessage({ order, fallbackReceiver, minimumGas })
  const costs = { gasPrice: 1n, deliveryCost: 1_234n, plainDeliveryCost: 1_000n }
  return { receiver: lane.orderReceiver, message, gas, ...costs }
}

export function decimalsOf(chain: Connected, symbol: string): bigint {
  return symbol === 'USDC' ? BigInt(chain.usdcDecimals) : 18n
}

export async function arrive(
  adapter: BridgeAdapter,
  [source, destination]: readonly [Connected, Connected],
  mined: Mined,
  hasMessage: boolean,
): Promise<Mined> {
  if (adapter === across) return await fill(mined, source, destination)
  const paid = await receive(mined, destination, destination.library)
  if (!paid.ok) throw new Error('the message was not received')
  return hasMessage ? await compose(paid, destination) : paid
}
