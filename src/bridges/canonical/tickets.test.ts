import {
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  encodePacked,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  size,
} from 'viem'
import { expect, test } from 'vitest'
import { chainById } from '../../chains/registry.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { contractAddress } from '../../executor/deployments.js'
import { inboxAbi, inboxOf } from './inbox.js'
import { aliasOf } from './settlement.js'
import { simulateTicket, ticketCall, ticketGas, ticketsIn } from './tickets.js'

const [ethereum, arbitrum] = [1, 42161].map((id) => {
  const chain = chainById(id)
  if (!chain) throw new RangeError(`no chain ${id}`)
  return chain
}) as [NonNullable<ReturnType<typeof chainById>>, NonNullable<ReturnType<typeof chainById>>]
const place = inboxOf(arbitrum)
if (!place) throw new RangeError('no inbox')
const executor: Address = '0x00000000000000000000000000000000000e0e01'
const receiver: Address = '0x00000000000000000000000000000000000cafe1'
const refund: Address = '0x00000000000000000000000000000000000cafe2'
const [value, deposit, submission, price] = [5n * 10n ** 17n, 6n * 10n ** 17n, 10n ** 15n, 3n]
const number = 0x1234n
const baseFee = 7_000_000_000n

function logsOf({
  to,
  data,
  gas,
  kind = 9,
}: {
  to: Address
  data: Hex
  gas: bigint
  kind?: number
}) {
  const packed = concatHex([
    encodeAbiParameters(
      parseAbiParameters('address, uint256, uint256, uint256, address, address, uint256, uint256'),
      [to, value, deposit, submission, refund, executor, gas, price],
    ),
    encodePacked(['uint256', 'bytes'], [BigInt(size(data)), data]),
  ])
  const topicsOf = (eventName: 'MessageDelivered' | 'InboxMessageDelivered', args: object) =>
    encodeEventTopics({ abi: inboxAbi, eventName, args } as never) as Hex[]
  return [
    {
      address: place?.bridge ?? '0x',
      topics: topicsOf('MessageDelivered', {
        messageIndex: number,
        beforeInboxAcc: padHex('0x', { size: 32 }),
      }),
      data: encodeAbiParameters(
        parseAbiParameters('address, uint8, address, bytes32, uint256, uint64'),
        [place?.inbox ?? '0x', kind, aliasOf(executor), keccak256(packed), baseFee, 1n],
      ),
    },
    {
      address: place?.inbox ?? '0x',
      topics: topicsOf('InboxMessageDelivered', { messageNum: number }),
      data: encodeAbiParameters(parseAbiParameters('bytes'), [packed]),
    },
  ]
}

/** By hand: lists and texts of more than 55 bytes have the length of their length in front. */
function rlp(items: readonly Hex[]): Hex {
  const prefixed = (bytes: Hex, short: number): Hex => {
    const length = size(bytes)
    if (length <= 55) return concatHex([numberToHex(short + length, { size: 1 }), bytes])
    const count = length > 255 ? 2 : 1
    const lead = numberToHex(short + 55 + count, { size: 1 })
    return concatHex([lead, numberToHex(length, { size: count }), bytes])
  }
  const isItself = (item: Hex) => size(item) === 1 && Number(item) < 128
  return prefixed(
    concatHex(items.map((item) => (isItself(item) ? item : prefixed(item, 128)))),
    192,
  )
}

test('a payment is told with its sender’s alias, and with the id that the destination gives it', () => {
  const gas = ticketGas(0, 0n)
  const [payment, ...others] = ticketsIn(logsOf({ to: receiver, data: '0x', gas }), ethereum)
  expect(others).toEqual([])
  // @see OffchainLabs/go-ethereum, core/types/arb_types.go, ArbitrumSubmitRetryableTx: the order of its fields.
  const fields: readonly Hex[] = [
    ...(['0xa4b1', numberToHex(number, { size: 32 }), aliasOf(executor), '0x01a13b8600'] as const),
    ...([numberToHex(deposit), '0x03', numberToHex(gas), receiver, numberToHex(value)] as const),
    ...([executor, numberToHex(submission), refund, '0x'] as const),
  ].map((hex): Hex => (hex.length % 2 ? `0x0${hex.slice(2)}` : (hex as Hex)))
  expect(payment).toMatchObject({
    bridge: 'canonical',
    id: keccak256(concatHex(['0x69', rlp(fields)])),
    sourceChainId: 1,
    destinationChainId: 42161,
    token: nativeToken,
    amount: value,
    sender: executor,
    receiver,
    message: '0x',
  })
  if (!payment) throw new RangeError('no ticket')
  const from = aliasOf(executor)
  const call = simulateTicket(payment, 0n)
  expect(call).toMatchObject({ from, to: receiver, value, data: '0x', gasLimit: gas })
  expect(call.overrides).toEqual({ [from]: { balance: value } })
})

test('an order is simulated with the gas that its ticket would have', () => {
  const to = contractAddress('DestinationReceiver')
  const message: Hex = `0x${'ab'.repeat(200)}`
  const data = ticketCall(value, message)
  const [order] = ticketsIn(logsOf({ to, data, gas: 900_000n }), ethereum)
  expect(order).toMatchObject({ message, receiver: to, details: { kind: 'ticket-order' } })
  if (!order) throw new RangeError('no ticket')
  expect(simulateTicket(order, 0n)).toMatchObject({ data, gasLimit: 900_000n })
  const longer: Hex = `0x${'cd'.repeat(300)}`
  const changed = simulateTicket({ ...order, message: longer }, 500_000n)
  const longerData = ticketCall(value, longer)
  const gasLimit = ticketGas(size(longerData), 500_000n)
  expect(changed).toMatchObject({ data: longerData, gasLimit })
  expect(gasLimit).toBe(521_000n + BigInt(size(longerData)) * 16n)
})

test('other messages of the inbox, and those of another chain, are no tickets', () => {
  const logs = logsOf({ to: receiver, data: '0x', gas: 100_000n, kind: 12 })
  expect(ticketsIn(logs, ethereum)).toEqual([])
  const ticket = logsOf({ to: receiver, data: '0x', gas: 100_000n })
  expect(ticketsIn(ticket, arbitrum)).toEqual([])
  expect(ticketsIn(ticket.slice(1), ethereum)).toEqual([])
})
