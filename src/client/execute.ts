/** Signs and sends the transaction of a route with a wallet of viem, and says what arrived. */
import type { Account, Address, Hash, Hex, TransactionReceipt, TypedDataDefinition } from 'viem'
import { bytesToHex, erc20Abi, hexToBytes, isAddressEqual, parseEventLogs } from 'viem'
import {
  getBalance,
  getChainId,
  getCode,
  getTransactionCount,
  signAuthorization,
} from 'viem/actions'
import { type ApprovalCalls, missingApprovals } from './approvals.js'
import type { InputOf } from './calls.js'
import { ExecutionError } from './errors.js'
import type { ExecutableRoute, Wallet } from './execution.js'
import type { CallOptions } from './transport.js'
import {
  type Carried,
  mined,
  sendTogether,
  takesCallLists,
  type WalletCall,
} from './wallet-calls.js'

type Request = InputOf<'postRoute'>

export interface ExecuteOptions extends CallOptions {
  /** What the route answers; not needed where the same client asked for it. */
  readonly request?: Request | undefined
  /** Gas limit in hundredths of the simulated gas; default 150. */
  readonly gasPercent?: bigint
  /** Called with each transaction as it was sent. */
  readonly onSent?: ((hash: Hash, purpose: 'approval' | 'route') => void) | undefined
}

export interface Executed {
  readonly hash: Hash
  readonly receipt: TransactionReceipt
  /** Approvals that were sent before, as transactions of their own. */
  readonly approvals: readonly Hash[]
  /** Id of the wallet's list of calls (EIP-5792); null unless missing approvals and the route were sent as one. */
  readonly callsId: string | null
  /**
   * What the receiver gained of each tokenOut, in their order: of a token by its Transfer events, of the native token by
   * the balance around the block, fees of the sender added. Null on another chain, and where other transactions of the
   * receiver in that block blur it.
   */
  readonly amountsOut: readonly (bigint | null)[]
  /** What the transaction enforced. */
  readonly minAmountsOut: readonly bigint[]
}

const nativeToken = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const delegation = '0xef0100'

/**
 * Strategies `router`, `router-legacy` and `svcwallet-v2`: gives missing allowances, or the permit that the route asks for,
 * and sends; approvals and route as one where the wallet carries out lists of calls atomically (EIP-5792). `delegate` and
 * `delegate-legacy`: sends to the account itself, with an EIP-7702 authorization unless it has the code already; the
 * wallet must have a local account for that. A Safe takes `safeTransaction` instead.
 *
 * @throws ExecutionError for another chain, another account, or a route whose request is not known.
 * @throws TransactionRevertedError
 */
export async function execute(
  calls: ApprovalCalls,
  wallet: Wallet,
  route: ExecutableRoute,
  options: ExecuteOptions,
): Promise<Executed> {
  const { request, gasPercent = 150n, onSent } = options
  if (!request)
    throw new ExecutionError('The request of the route is not known: give it as `request`.')
  const { tx } = route
  const chainId = await getChainId(wallet)
  if (chainId !== tx.chainId) {
    throw new ExecutionError(`The wallet is on chain ${chainId}, the route on ${tx.chainId}.`)
  }
  const { account } = wallet
  if (!isAddressEqual(account.address, tx.from as Address)) {
    throw new ExecutionError(`The route is for ${tx.from}, the wallet for ${account.address}.`)
  }
  const isDelegate = request.routingStrategy?.startsWith('delegate') ?? false
  if (route.permit) checkPermit(route.permit, spentOf(request, route), request)
  const missing = isDelegate
    ? []
    : await missingApprovals(calls, wallet, {
        route,
        request,
        amounts: spentOf(request, route),
        options,
      })
  const isTogether = missing.length > 0 && (await takesCallLists(wallet, chainId))
  const approvals = isTogether ? [] : await approve(wallet, missing, options)
  const data = route.permit ? await signed(wallet, route.permit, tx.data as Hex) : (tx.data as Hex)
  const call = { to: tx.to as Address, data, value: tx.value }
  const { callsId, receipt, sent } = isTogether
    ? await sendTogether(wallet, chainId, [...missing, call])
    : await sendAlone(wallet, call, { gas: (route.gas * gasPercent) / 100n, isDelegate, onSent })
  if (isTogether) onSent?.(receipt.transactionHash, 'route')
  return {
    hash: receipt.transactionHash,
    receipt,
    approvals,
    callsId,
    amountsOut: await arrived(wallet, receipt, request, sent),
    minAmountsOut: [route.minAmountOut].flat(),
  }
}

async function sendAlone(
  wallet: Wallet,
  { to, ...call }: WalletCall,
  options: Pick<ExecuteOptions, 'onSent'> & { readonly gas: bigint; readonly isDelegate: boolean },
): Promise<Carried> {
  const { account } = wallet
  const common = { account, chain: wallet.chain ?? null, ...call }
  const authorized = options.isDelegate ? await authorization(wallet, to) : {}
  const hash = options.isDelegate
    ? await wallet.sendTransaction({ ...common, to: account.address, ...authorized })
    : await wallet.sendTransaction({ ...common, to, gas: options.gas })
  options.onSent?.(hash, 'route')
  // An authorization of the account counts among its transactions, too.
  const sent = 'authorizationList' in authorized ? 2 : 1
  return { callsId: null, receipt: await mined(wallet, hash), sent }
}

async function approve(
  wallet: Wallet,
  missing: readonly WalletCall[],
  { onSent }: ExecuteOptions,
): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (const call of missing) {
    const { account } = wallet
    const hash = await wallet.sendTransaction({ ...call, account, chain: wallet.chain ?? null })
    onSent?.(hash, 'approval')
    await mined(wallet, hash)
    hashes.push(hash)
  }
  return hashes
}

/** What the route takes of each tokenIn; for an exact output this is the amount that the route found. */
function spentOf({ amountIn }: Request, route: ExecutableRoute): readonly bigint[] {
  return amountIn ? amountIn.map(BigInt) : [route.amountIn ?? 0n]
}

/**
 * A signature gives tokens away without a transaction, so what is signed is compared with what was asked.
 * @throws ExecutionError for another token, another owner or more than the route may take.
 */
function checkPermit(
  { typedData: { domain, message } }: NonNullable<ExecutableRoute['permit']>,
  [most = 0n]: readonly bigint[],
  { tokenIn, fromAddress }: Request,
): void {
  const { owner, value, permitted } = message as {
    readonly owner?: string
    readonly value?: string
    readonly permitted?: { readonly token?: string; readonly amount?: string }
  }
  const token = permitted ? permitted.token : domain.verifyingContract
  const amount = permitted ? permitted.amount : value
  const isOwn = permitted !== undefined || owner?.toLowerCase() === fromAddress.toLowerCase()
  const isToken = String(token).toLowerCase() === tokenIn[0]?.toLowerCase()
  if (!isOwn || !isToken || amount === undefined || BigInt(amount) > most) {
    throw new ExecutionError('The permit of the route is not for what was asked; it is not signed.')
  }
}

/** The call data with the sender's signature in its place. */
async function signed(
  wallet: Wallet,
  { typedData, signature: places }: NonNullable<ExecutableRoute['permit']>,
  data: Hex,
): Promise<Hex> {
  const definition = { ...typedData, account: wallet.account } as unknown as TypedDataDefinition & {
    account: Account
  }
  const signature = hexToBytes(await wallet.signTypedData(definition))
  const bytes = hexToBytes(data)
  bytes.set(signature.slice(0, 32), places.r)
  bytes.set(signature.slice(32, 64), places.s)
  bytes.set(signature.slice(64), places.v)
  return bytesToHex(bytes)
}

/** Nothing when the account has the code already. */
async function authorization(wallet: Wallet, contractAddress: Address) {
  const { account } = wallet
  const code = await getCode(wallet, { address: account.address })
  if (code?.toLowerCase() === `${delegation}${contractAddress.slice(2)}`) return {}
  if (account.type !== 'local') {
    throw new ExecutionError(
      `The account ${account.address} has not the code of ${contractAddress}, and only a local account signs an authorization for it.`,
    )
  }
  const signed = await signAuthorization(wallet, { account, contractAddress, executor: 'self' })
  return { authorizationList: [signed] }
}

function arrived(wallet: Wallet, receipt: TransactionReceipt, request: Request, sent: number) {
  const { destinationChainId, chainId = 1, tokenOut } = request
  const isElsewhere = destinationChainId !== undefined && destinationChainId !== chainId
  const receiver = (request.receiver ?? request.fromAddress) as Address
  return Promise.all(
    tokenOut.map((token) => {
      if (isElsewhere) return null
      return token.toLowerCase() === nativeToken
        ? gainedNative(wallet, receipt, { receiver, sent })
        : gained(receipt, token as Address, receiver)
    }),
  )
}

/** Raw units that the receiver gained, by the token's Transfer events in the receipt. */
function gained(receipt: TransactionReceipt, token: Address, receiver: Address): bigint {
  const logs = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs })
  let sum = 0n
  for (const { address, args } of logs) {
    if (!isAddressEqual(address, token)) continue
    if (isAddressEqual(args.to, receiver)) sum += args.value
    if (isAddressEqual(args.from, receiver)) sum -= args.value
  }
  return sum
}

async function gainedNative(
  wallet: Wallet,
  receipt: TransactionReceipt,
  { receiver, sent }: { readonly receiver: Address; readonly sent: number },
): Promise<bigint | null> {
  const isSender = isAddressEqual(receiver, receipt.from)
  const at = (blockNumber: bigint) =>
    Promise.all([
      getBalance(wallet, { address: receiver, blockNumber }),
      getTransactionCount(wallet, { address: receiver, blockNumber }),
    ])
  const [before, after] = await Promise.all([at(receipt.blockNumber - 1n), at(receipt.blockNumber)])
  if (after[1] - before[1] !== (isSender ? sent : 0)) return null
  const fees = isSender ? receipt.gasUsed * receipt.effectiveGasPrice : 0n
  return after[0] - before[0] + fees
}
