/** What transfers are made of: transactions of the service's answers, over all bridges, directions and modes. Seeded. */
import pLimit from 'p-limit'
import { cctpChain } from '../../../../src/bridges/cctp/chain.js'
import type { Address, Hex } from '../../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { sandboxPlans } from '../../../../src/sandbox/plans/registry.js'
import { createSeededRandom, pick } from '../../../../src/sandbox/seeded-random.js'
import type { Answer, TestService } from '../../service/service.js'
import { allBut } from '../all-but.js'
import { randomRoutes, taker } from '../random-routes.js'
import { definitionOf, directions } from '../relayed-sandboxes.js'

export const bridgesHere = ['across', 'stargate', 'cctp', 'canonical', 'oft'] as const
export type BridgeHere = (typeof bridgesHere)[number]

export const alice = sandboxAccount('alice')
/** Of amounts that random routes ask for: so that thousands of transfers empty nothing. */
const part = 20n
const atOnce = 2

export interface Form {
  readonly bridge: BridgeHere
  readonly from: number
  readonly to: number
  readonly mode: string
  readonly receiver: Address
  readonly tokensIn: readonly Address[]
  readonly tx: { readonly to: Address; readonly data: Hex; readonly value: string }
}

/** Those of `count` requests that the service answers with a transaction. @throws where it fails otherwise than by a 422. */
export async function askedForms(
  service: TestService,
  count: number,
  seed: number,
): Promise<Form[]> {
  const random = createSeededRandom(BigInt(seed) + 1_000n)
  const receiverOf = (index: number): Address =>
    pick([alice.address, sandboxAccount('bob').address, taker, freshAddress(index)], random)
  const limit = pLimit(atOnce)
  const routes = randomRoutes(6 * count, seed)
    .filter(({ isTaxed }) => !isTaxed)
    .slice(0, count)
  const asked = routes.map((route, index) => {
    const [from, to] = [route.from.market.chain.id, route.to.market.chain.id]
    const bridge = pick(
      bridgesHere.filter((one) => leads(one, from, to)),
      random,
    )
    const receiver = receiverOf(index)
    const amounts = String(route.query.amountIn).split(',')
    const query = {
      ...route.query,
      receiver,
      amountIn: amounts.map((amount) => String(BigInt(amount) / part + 1n)).join(','),
      slippage: '3000',
      ignoreBridges: allBut(bridge),
    }
    return limit(async (): Promise<Form[]> => {
      const answer = await service.get('/api/v1/shortcuts/route', query)
      const tokensIn = String(route.query.tokenIn).split(',') as Address[]
      return formsOf(answer, { bridge, from, to, mode: route.mode, receiver, tokensIn })
    })
  })
  const fast = directions.map(({ from, to }, index) => {
    const receiver = receiverOf(count + index)
    return limit(() => fastForm(service, { from, to, receiver }))
  })
  return (await Promise.all([...asked, ...fast])).flat()
}

/** Of the canonical bridge the deposits for Base alone, whose ether the books explain. */
function leads(bridge: BridgeHere, from: number, to: number): boolean {
  if (bridge === 'canonical') return from === 1 && to === 8453
  return bridge !== 'oft' || (from !== 8453 && to !== 8453)
}

/** A fast transfer of CCTP is asked for by an action. */
async function fastForm(
  service: TestService,
  { from, to, receiver }: { from: number; to: number; receiver: Address },
): Promise<Form[]> {
  const plan = sandboxPlans.find(({ market }) => market.chain.id === from)
  const tokenIn = plan?.market.token('USDC').address ?? alice.address
  const answer = await service.post(
    `/api/v1/shortcuts/bundle?chainId=${from}&fromAddress=${alice.address}`,
    [
      {
        protocol: 'svc',
        action: 'bridge',
        args: {
          tokenIn,
          amountIn: '123456789',
          primaryAddress: cctpChain(definitionOf(from))?.messenger,
          destinationChainId: to,
          receiver,
          protocolArgs: { transferType: 'fast' },
        },
      },
    ],
  )
  return formsOf(answer, { bridge: 'cctp', from, to, mode: 'fast', receiver, tokensIn: [tokenIn] })
}

function formsOf({ status, text, body }: Answer, form: Omit<Form, 'tx'>): Form[] {
  if (status === 422) return []
  if (status !== 200) throw new Error(`${status} ${text}`)
  return [{ ...form, tx: body.tx }]
}

function freshAddress(index: number): Address {
  return `0x${(0xc0de_0000 + index).toString(16).padStart(40, '0')}`
}
