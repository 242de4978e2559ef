/**
 * Executes a returned transaction for real on a fork of its own, in the block after the pinned one,
 * and reports what the chain says happened.
 */
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Address, isNative } from '../../src/domain/primitives.js'
import { executorContracts } from '../../src/executor/deployments.js'
import type { TestAnvil } from './anvil.js'
import { baseFeeAfter } from './base-fee.js'
import { type JudgeLease, leaseJudge } from './judges.js'

export interface AnswerTransaction {
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value: string
  /** Of the sender: signs the transaction, which else is sent by impersonation. */
  readonly key?: Hex
  /** With the key: a type-4 transaction in which the sender takes on the code of this contract (EIP-7702). */
  readonly takesCodeOf?: Address
}

export interface Execution {
  readonly status: 'success' | 'reverted'
  readonly gasUsed: bigint
  readonly logs: readonly { address: Address; topics: Hex[]; data: Hex }[]
  /** After minus before, in the order of `watch`; gas is added back for native. */
  readonly deltas: readonly bigint[]
  readonly blockNumber: bigint
}

export interface ExecuteArgs {
  readonly nodeUrl: string
  /** Block at whose end the answer was calculated. */
  readonly blockNumber: number
  readonly blockTimeSeconds?: number
  readonly tx: AnswerTransaction
  /** Balances to watch: native through its constant. */
  readonly watch: readonly { readonly token: Address; readonly owner: Address }[]
  /** Gives the sender this much by Anvil's own means, and approves the spender in a transaction of the same block. */
  readonly fund?: readonly { readonly token: Address; readonly amount: bigint }[]
  readonly approve?: Address
  /** Places our contracts where the chain does not have them. */
  readonly deploy?: boolean
  /** Wei per gas on top of the base fee; default 0. */
  readonly tip?: bigint
  /** Gas limit; default ten million. */
  readonly gas?: bigint
  /** Transactions of the same sender that come before it in the block. */
  readonly first?: readonly AnswerTransaction[]
  /** Anything else before the transaction. */
  readonly prepare?: (anvil: TestAnvil) => Promise<void>
  /** Anything else behind the transaction, in the same block. */
  readonly behind?: ((anvil: TestAnvil) => Promise<void> | undefined) | undefined
  /** Looks at the chain after the transaction of that hash. */
  readonly inspect?: (anvil: TestAnvil, hash: Hex) => Promise<void>
}

const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256)',
])

interface Header {
  readonly number: Hex
  readonly timestamp: Hex
  readonly baseFeePerGas: Hex
  readonly gasUsed: Hex
  readonly gasLimit: Hex
}

/** The chain behind the judge cannot tell what the transaction does. */
export class NotMined extends Error {
  constructor(reason: string) {
    super(`the transaction was not mined: ${reason}`)
  }
}

export async function executeOnFork(args: ExecuteArgs): Promise<Execution> {
  return judge(await leaseJudge(args.nodeUrl, args.blockNumber), args)
}

/** Carries it out on a judge that was leased, and gives that back. */
export async function judge(lease: JudgeLease, args: ExecuteArgs): Promise<Execution> {
  let execution: Execution
  try {
    execution = await execute(lease.anvil, args)
  } catch (error) {
    await lease.end()
    throw error
  }
  await lease.giveBack()
  return execution
}

async function execute(anvil: TestAnvil, args: ExecuteArgs): Promise<Execution> {
  const { tx } = args
  if (args.deploy) await placeContracts(anvil)
  for (const { token, amount } of args.fund ?? []) {
    if (isNative(token)) await anvil.rpc('anvil_setBalance', [tx.from, numberToHex(amount)])
    else await anvil.rpc('anvil_dealERC20', [tx.from, token, numberToHex(amount)])
  }
  await args.prepare?.(anvil)
  await anvil.rpc('anvil_impersonateAccount', [tx.from])
  const gasMoney = 10n ** 20n
  const balance = BigInt(await anvil.rpc<Hex>('eth_getBalance', [tx.from, 'latest']))
  await anvil.rpc('anvil_setBalance', [tx.from, numberToHex(balance + gasMoney)])

  const head = await anvil.rpc<Header>('eth_getBlockByNumber', ['latest', false])
  if (Number(head.number) !== args.blockNumber) throw new Error('the fork is not at the block')
  const baseFee = baseFeeAfter({
    baseFeePerGas: BigInt(head.baseFeePerGas),
    gasUsed: BigInt(head.gasUsed),
    gasLimit: BigInt(head.gasLimit),
  })
  const time = BigInt(head.timestamp) + BigInt(args.blockTimeSeconds ?? 12)
  await anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(time)])
  await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [numberToHex(baseFee)])

  if (args.approve) {
    for (const { token, amount } of args.fund ?? []) {
      if (isNative(token)) continue
      const data = encodeFunctionData({
        abi: erc20,
        functionName: 'approve',
        args: [args.approve, amount],
      })
      await send(anvil, { from: tx.from, to: token, data, value: '0' }, baseFee)
    }
  }
  for (const earlier of args.first ?? []) await send(anvil, earlier, baseFee)
  const before = await balances(anvil, args.watch, 'latest')
  const hash = await send(anvil, tx, baseFee, args)
  await args.behind?.(anvil)
  await anvil.rpc('evm_mine')
  const receipt = await anvil.rpc<{
    status: Hex
    gasUsed: Hex
    effectiveGasPrice: Hex
    blockNumber: Hex
    logs: { address: Address; topics: Hex[]; data: Hex }[]
  } | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) throw new NotMined('it is not valid or met missing state')
  const after = await balances(anvil, args.watch, 'latest')
  await args.inspect?.(anvil, hash)
  const paid = await gasPaid(anvil, receipt.blockNumber, tx.from)
  return {
    status: BigInt(receipt.status) === 1n ? 'success' : 'reverted',
    gasUsed: BigInt(receipt.gasUsed),
    logs: receipt.logs,
    blockNumber: BigInt(receipt.blockNumber),
    deltas: args.watch.map(({ token, owner }, index) => {
      const delta = (after[index] ?? 0n) - (before[index] ?? 0n)
      return isNative(token) && owner === tx.from ? delta + paid : delta
    }),
  }
}

/** Gas that the sender paid for all its transactions of the block. */
async function gasPaid(anvil: TestAnvil, block: Hex, from: Address): Promise<bigint> {
  const receipts = await anvil.rpc<{ from: Address; gasUsed: Hex; effectiveGasPrice: Hex }[]>(
    'eth_getBlockReceipts',
    [block],
  )
  return receipts
    .filter((receipt) => receipt.from === from)
    .reduce((sum, each) => sum + BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice), 0n)
}

/** Of a delegate strategy, as the account runs it: the calldata as its own code, as EIP-7702 accounts do. */
export function asSent(
  tx: AnswerTransaction,
  routingStrategy: string,
  account: Address,
): Pick<ExecuteArgs, 'tx' | 'prepare'> {
  if (!routingStrategy.startsWith('delegate')) return { tx }
  return {
    tx: { ...tx, to: account, value: '0' },
    async prepare(anvil) {
      await anvil.rpc('anvil_setCode', [account, `0xef0100${tx.to.slice(2)}`])
    },
  }
}

/** Our contracts, for a chain that does not have them. */
export async function placeContracts(anvil: TestAnvil): Promise<void> {
  for (const { address, runtimeCode } of Object.values(executorContracts)) {
    await anvil.rpc('anvil_setCode', [address, runtimeCode])
    await anvil.rpc('anvil_setNonce', [address, '0x1'])
  }
}

async function send(
  anvil: TestAnvil,
  tx: AnswerTransaction,
  baseFee: bigint,
  { tip = 0n, gas = 10_000_000n }: Pick<ExecuteArgs, 'tip' | 'gas'> = {},
): Promise<Hex> {
  const { key } = tx
  if (key) {
    const raw = await signTransaction(anvil.rpc, { ...tx, key }, baseFee)
    return anvil.rpc<Hex>('eth_sendRawTransaction', [raw])
  }
  return anvil.rpc<Hex>('eth_sendTransaction', [
    {
      from: tx.from,
      to: tx.to,
      data: tx.data,
      value: numberToHex(BigInt(tx.value)),
      gas: numberToHex(gas),
      maxFeePerGas: numberToHex(baseFee * 2n + tip),
      maxPriorityFeePerGas: numberToHex(tip),
    },
  ])
}

/** The transaction, signed with its key; above twice the base fee it is not mined. */
export async function signTransaction(
  rpc: (method: string, params: readonly unknown[]) => Promise<unknown>,
  tx: AnswerTransaction & { readonly key: Hex },
  baseFee: bigint,
): Promise<Hex> {
  const account = privateKeyToAccount(tx.key)
  const nonce = Number(await rpc('eth_getTransactionCount', [tx.from, 'pending']))
  const common = {
    chainId: 1,
    nonce,
    to: tx.to,
    data: tx.data,
    value: BigInt(tx.value),
    gas: 10_000_000n,
    maxFeePerGas: baseFee * 2n,
    maxPriorityFeePerGas: 0n,
  }
  if (!tx.takesCodeOf) return account.signTransaction(common)
  // Who sends its own authorization has used one nonce by the time it counts.
  const address = tx.takesCodeOf
  const own = await account.signAuthorization({ address, chainId: 1, nonce: nonce + 1 })
  return account.signTransaction({ ...common, type: 'eip7702', authorizationList: [own] })
}

function balances(anvil: TestAnvil, watch: ExecuteArgs['watch'], block: string): Promise<bigint[]> {
  return Promise.all(
    watch.map(async ({ token, owner }) => {
      if (isNative(token)) return BigInt(await anvil.rpc<Hex>('eth_getBalance', [owner, block]))
      const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [owner] })
      return BigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, block]))
    }),
  )
}
