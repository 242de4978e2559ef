/** Routes by signature, signed with a key and sent on an Anvil of the test's own. */
import { encodeFunctionData, erc20Abi, type Hex, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../src/domain/primitives.js'
import { executorAddress } from '../../../src/executor/deployments.js'
import type { TestAnvil } from '../anvil.js'
import { type AnswerTransaction, type Execution, executeOnFork } from '../execute.js'
import type { Answer } from '../service/service.js'

/** A byte of call data that is zero costs 4 gas in place of 16. */
const zeroByteGas = 12n

export interface Signer {
  readonly address: Address
  readonly privateKey: Hex
}

/** The transaction with a signature in the place of its stand-in, and the gas that it uses. */
export async function signed(
  { body }: Answer,
  owner: Signer,
  signer = owner,
): Promise<{ readonly tx: AnswerTransaction; readonly gas: bigint; readonly signature: Hex }> {
  const { typedData, signature: place } = body.permit
  const signature = await privateKeyToAccount(signer.privateKey).signTypedData(typedData)
  const given = hexToBytes(signature)
  const data = hexToBytes(body.tx.data)
  data.set(given.slice(0, 32), place.r)
  data.set(given.slice(32, 64), place.s)
  data.set(given.slice(64), place.v)
  const zeros = given.filter((byte) => byte === 0).length
  return {
    tx: {
      ...body.tx,
      data: `0x${Buffer.from(data).toString('hex')}`,
      key: owner.privateKey,
    },
    gas: BigInt(body.gas) - BigInt(zeros) * zeroByteGas,
    signature,
  }
}

export interface Carried extends Execution {
  /** What the owner allows afterwards, raw units of tokenIn: the Router, and its Executor. */
  readonly allowed: readonly bigint[]
}

/** Sends it in the block after the answer's; `deltas` are those of tokenIn and tokenOut of the owner, and what stays in between. */
export async function carryOut(
  nodeUrl: string,
  { body }: Answer,
  args: {
    readonly tx: AnswerTransaction
    readonly trade: { readonly tokenIn: Address; readonly tokenOut: Address }
    readonly feeReceiver?: Address
    readonly first?: readonly AnswerTransaction[]
  },
): Promise<Carried> {
  const { tx, trade, feeReceiver, first = [] } = args
  const { tokenIn, tokenOut } = trade
  const { from: owner, to: router } = body.tx as { from: Address; to: Address }
  const allowed: bigint[] = []
  const inspect = async (anvil: TestAnvil) => {
    for (const spender of [router, executorAddress(owner)]) {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'allowance',
        args: [owner, spender],
      })
      allowed.push(BigInt(await anvil.rpc<Hex>('eth_call', [{ to: tokenIn, data }, 'latest'])))
    }
  }
  const done = await executeOnFork({
    nodeUrl,
    blockNumber: body.createdAt,
    tx,
    first,
    inspect,
    watch: [
      { token: tokenIn, owner },
      { token: tokenOut, owner },
      { token: tokenIn, owner: router },
      { token: tokenIn, owner: executorAddress(owner) },
      ...(feeReceiver ? [{ token: tokenIn, owner: feeReceiver }] : []),
    ],
  })
  return { ...done, allowed }
}
