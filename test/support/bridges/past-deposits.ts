/** Deposits of Across as others make them, by nothing of the product, and a relayer that fills what is worth it to it. */
import { encodeFunctionData, type Hex, numberToHex, pad, parseAbi, parseEventLogs } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'
import type { SeededRandom } from '../../../src/sandbox/seeded-random.js'
import type { TestAnvil } from '../anvil.js'

const abi = parseAbi([
  'function depositV3Now(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 fillDeadlineOffset, uint32 exclusivityParameter, bytes message)',
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
])

const zero: Address = '0x0000000000000000000000000000000000000000'
const depositor: Address = '0x00000000000000000000000000000000000de905'
const relayer: Address = '0x000000000000000000000000000000000be1a4e4'
const plenty = numberToHex(10n ** 30n)

export interface SideOfAcross {
  readonly chainId: number
  readonly anvil: TestAnvil
  readonly spokePool: Address
}

export interface LaneOfAcross {
  readonly source: SideOfAcross
  readonly destination: SideOfAcross
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units that the relayer wants of an amount. */
  wanted(amount: bigint): bigint
}

/** Gives depositor and relayer all that they need. */
export async function prepare({ source, destination, tokenIn, tokenOut }: LaneOfAcross) {
  const gives = [
    [source, depositor, tokenIn],
    [destination, relayer, tokenOut],
  ] as const
  for (const [{ anvil, spokePool }, owner, token] of gives) {
    await anvil.rpc('anvil_autoImpersonateAccount', [true])
    await anvil.rpc('anvil_setBalance', [owner, plenty])
    await anvil.rpc('anvil_dealERC20', [owner, token, plenty])
    await anvil.rpc('anvil_setERC20Allowance', [owner, spokePool, token, plenty])
  }
}

export type Deposit = ReturnType<typeof depositsIn>[number]

export function depositsIn(logs: readonly unknown[]) {
  const found = parseEventLogs({ abi, logs: logs as never, eventName: 'FundsDeposited' })
  return found.map(({ args }) => args)
}

interface Receipt {
  readonly status: Hex
  readonly logs: readonly unknown[]
}

/** Mines one transaction in a block of that time, on an Anvil that mines nothing by itself. */
export async function mined({ anvil }: SideOfAcross, at: number, tx: object): Promise<Receipt> {
  await anvil.rpc('evm_setNextBlockTimestamp', [at])
  const hash = await anvil.rpc('eth_sendTransaction', [tx])
  await anvil.rpc('evm_mine', [])
  return anvil.rpc('eth_getTransactionReceipt', [hash])
}

export async function deposit(
  lane: LaneOfAcross,
  amount: bigint,
  fee: bigint,
  at: number,
): Promise<Deposit> {
  const { source, destination, tokenIn, tokenOut } = lane
  const there = BigInt(destination.chainId)
  const data = encodeFunctionData({
    abi,
    functionName: 'depositV3Now',
    args: [
      ...([depositor, depositor, tokenIn, tokenOut, amount, amount - fee, there, zero] as const),
      ...([18_000, 0, '0x'] as const),
    ],
  })
  const tx = { from: depositor, to: source.spokePool, data, gas: '0x100000' }
  const [found] = depositsIn((await mined(source, at, tx)).logs)
  if (!found) throw new Error('The SpokePool took no deposit.')
  return found
}

/** Whether the relayer fills it, which is up to the fee and to what the SpokePool lets it do. */
export async function fill(lane: LaneOfAcross, deposit: Deposit, at: number): Promise<boolean> {
  const { source, destination } = lane
  const { inputAmount, outputAmount, destinationChainId: _, quoteTimestamp: __, ...rest } = deposit
  if (inputAmount - outputAmount < lane.wanted(inputAmount)) return false
  const relay = { ...rest, inputAmount, outputAmount, originChainId: BigInt(source.chainId) }
  const data = encodeFunctionData({
    abi,
    functionName: 'fillRelay',
    args: [relay, BigInt(source.chainId), pad(relayer)],
  })
  const tx = { from: relayer, to: destination.spokePool, data, gas: '0x400000' }
  return (await mined(destination, at, tx)).status === '0x1'
}

/** From 0 to below 1. */
export const partOf = (random: SeededRandom) => random(2 ** 32) / 2 ** 32

/** What depositors leave, as a part of what the relayer wants: about that much, too little at times, at times a lot. */
export function usualPart(random: SeededRandom): number {
  const kind = random(10)
  const one = () => partOf(random)
  if (kind < 2) return 0.3 + 0.7 * one()
  if (kind === 2) return 1 + 3 * one()
  return 1.15 + 0.25 * (one() + one() + one() - 1.5)
}

/** Most are filled within some ten seconds, some take minutes. */
export function usualSeconds(random: SeededRandom): number {
  return Math.round(4 + 8 * Math.exp(1.6 * (partOf(random) + partOf(random) - 1)))
}

/** Mines blocks until it is behind the end of a range of so many blocks, and nothing of that can be replaced. */
export async function mineBehind({ anvil }: SideOfAcross, range: number, blockSeconds: number) {
  const number = Number(await anvil.rpc<Hex>('eth_blockNumber'))
  const end = Math.ceil((number + 1) / range) * range + 200
  await anvil.rpc('anvil_mine', [numberToHex(end - number), numberToHex(blockSeconds)])
}
