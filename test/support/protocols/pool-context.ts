/** A bare Anvil with real third-party pool contracts, for differential tests of pool math. */
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { type Address, type BlockPin, type Hex, toAddress } from '../../../src/domain/primitives.js'
import type { ReadResult, StateOverrides, StateReader } from '../../../src/domain/state.js'
import { overridesOnWire } from '../../../src/forks/overrides-on-wire.js'
import { sandboxBytecode } from '../../../src/sandbox/generated/contracts.js'
import { startAnvil, type TestAnvil } from '../anvil.js'

export const erc20Abi = parseAbi([
  'function approve(address, uint256)',
  'function balanceOf(address) view returns (uint256)',
])

interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: readonly {
    readonly address: Hex
    readonly topics: readonly Hex[]
    readonly data: Hex
  }[]
}

/** Below the cap of one transaction (2^24), so that nothing has to be estimated. */
const gas = '0xf42400'

export class PoolContext {
  private constructor(
    private readonly anvil: TestAnvil,
    /** Deploys, provides liquidity and trades; unlocked. */
    readonly trader: Address,
  ) {}

  /** @param flags - of Anvil, such as the chain that it is a fork of. */
  static async start(flags: readonly string[] = []): Promise<PoolContext> {
    const anvil = await startAnvil([
      ...flags,
      ...['--accounts', '1', '--no-mining', '--auto-impersonate'],
      ...['--code-size-limit', '40000'],
    ])
    const [trader] = await anvil.rpc<Hex[]>('eth_accounts')
    return new PoolContext(anvil, toAddress(trader ?? '0x'))
  }

  close(): Promise<void> {
    return this.anvil.stop()
  }

  async deploy(code: Hex, types = '', values: readonly unknown[] = []): Promise<Address> {
    const tail = types ? encodeAbiParameters(parseAbiParameters(types), values).slice(2) : ''
    const receipt = await this.transact({ data: `${code}${tail}` })
    if (receipt?.status !== '0x1' || !receipt.contractAddress) throw new Error('deployment failed')
    return toAddress(receipt.contractAddress)
  }

  /** Where the contract comes that is deployed after so many others. */
  async addressAhead(deployments: number): Promise<Address> {
    const nonce = await this.anvil.rpc<Hex>('eth_getTransactionCount', [this.trader, 'latest'])
    return toAddress(
      getContractAddress({ from: this.trader, nonce: BigInt(nonce) + BigInt(deployments) }),
    )
  }

  /** A standard token whose whole supply the trader holds. */
  token(decimals: number): Promise<Address> {
    const args = ['Token', 'TKN', decimals, 10n ** 45n, this.trader]
    return this.deploy(
      sandboxBytecode.StandardToken,
      'string, string, uint8, uint256, address',
      args,
    )
  }

  /** Tokens in ascending order of address, with these decimals. */
  async sortedTokens(decimals: readonly number[]) {
    const tokens: { readonly address: Address; readonly decimals: number }[] = []
    for (const d of decimals) tokens.push({ address: await this.token(d), decimals: d })
    return tokens.sort((a, b) => (a.address < b.address ? -1 : 1))
  }

  /**
   * Null when the transaction reverts (or is refused because it would).
   * @param from - the trader, unless it is another account.
   */
  async send(
    to: Address,
    abi: Abi,
    functionName: string,
    args: readonly unknown[],
    { from, value }: { readonly from?: Address; readonly value?: bigint } = {},
  ) {
    const data = encodeFunctionData({ abi, functionName, args })
    const receipt = await this.transact({
      to,
      data,
      ...(from && { from }),
      ...(value !== undefined && { value: numberToHex(value) }),
    })
    return receipt?.status === '0x1' ? receipt : null
  }

  /** Runs something and takes the chain back to before it unless it answers true. */
  async attempt(run: () => Promise<boolean>): Promise<boolean> {
    const id = await this.anvil.rpc<Hex>('evm_snapshot')
    const isDone = await run()
    if (!isDone) await this.anvil.rpc('evm_revert', [id])
    return isDone
  }

  async setBalance(account: Address, wei: bigint): Promise<void> {
    await this.anvil.rpc('anvil_setBalance', [account, numberToHex(wei)])
  }

  async etherOf(account: Address): Promise<bigint> {
    return BigInt(await this.anvil.rpc<Hex>('eth_getBalance', [account, 'latest']))
  }

  async balanceOf(token: Address, owner: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
    return BigInt(await this.call(token, data))
  }

  async mineAfter(seconds: number): Promise<void> {
    await this.anvil.rpc('evm_increaseTime', [seconds])
    await this.anvil.rpc('evm_mine')
  }

  /** The block of the next transaction comes these seconds after the last one. */
  async mineNextAfter(seconds: number): Promise<void> {
    const { timestamp } = (await this.reader()).block
    await this.anvil.rpc('evm_setNextBlockTimestamp', [Number(timestamp) + seconds])
  }

  /**
   * @param timestamp - Unix seconds that the call sees; absent: those of the newest block.
   * @param from - absent: nobody.
   * @param overrides - state that is otherwise for the call; absent: none.
   */
  call(
    to: Address,
    data: Hex,
    timestamp?: bigint,
    from?: Address,
    overrides: StateOverrides = {},
  ): Promise<Hex> {
    const changed = overridesOnWire(overrides)
    const later = timestamp === undefined ? [changed] : [changed, { time: numberToHex(timestamp) }]
    return this.anvil.rpc<Hex>('eth_call', [
      { to, data, ...(from && { from }) },
      'latest',
      ...later,
    ])
  }

  /** A contract that answers every call with its storage slot 0, such as a rate that tests set. */
  async answering(value: bigint): Promise<Address> {
    // PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN, behind the code that returns these eight bytes.
    const address = await this.deploy('0x675f545f5260205ff35f5260086018f3')
    await this.setAnswer(address, value)
    return address
  }

  async setAnswer(address: Address, value: bigint): Promise<void> {
    const word = numberToHex(value, { size: 32 })
    await this.anvil.rpc('anvil_setStorageAt', [address, numberToHex(0, { size: 32 }), word])
  }

  /** Reads the chain as it is at the moment. */
  async reader(): Promise<StateReader> {
    const latest = await this.anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    return {
      // The adapters under test ask a reader's block for its time only.
      block: { timestamp: BigInt(latest.timestamp) } as BlockPin,
      storage: (reads) =>
        Promise.all(
          reads.map(async ({ address, slot }): Promise<ReadResult> => {
            const value = await this.anvil.rpc<Hex>('eth_getStorageAt', [address, slot, 'latest'])
            return { ok: true, value }
          }),
        ),
      call: (calls) =>
        Promise.all(
          calls.map(
            async ({ to, data, timestamp, from, overrides }): Promise<ReadResult> =>
              this.call(to, data, timestamp, from, overrides).then(
                (value) => ({ ok: true, value }),
                (error: Error) => ({ ok: false, reason: 'reverted', message: error.message }),
              ),
          ),
        ),
    }
  }

  private async transact(request: {
    to?: Address
    data: Hex
    from?: Address
    value?: Hex
  }): Promise<Receipt | null> {
    // A transaction that reverts is mined too, since gas is given.
    const hash = await this.anvil.rpc<Hex>('eth_sendTransaction', [
      { from: this.trader, gas, ...request },
    ])
    await this.anvil.rpc('evm_mine')
    return await this.anvil.rpc<Receipt | null>('eth_getTransactionReceipt', [hash])
  }
}
