/** Accounts on a chain of the sandbox that cannot be paid. */
import { encodeFunctionData, numberToHex, parseAbi, slice } from 'viem'
import type { Address, Hex } from '../../../src/domain/primitives.js'

type Rpc = <T>(method: string, ...params: readonly unknown[]) => Promise<T>

const abi = parseAbi([
  'function blacklister() view returns (address)',
  'function blacklist(address account)',
])

/** A contract that reverts whatever it is sent. */
export const refuser: Address = '0x00000000000000000000000000000000000bad01'
const revertAlways: Hex = '0x5f5ffd'

export async function placeRefuser(rpc: Rpc): Promise<void> {
  await rpc('anvil_setCode', refuser, revertAlways)
  await rpc('evm_mine')
}

/** As who may do it in the sandbox's USDC. */
export async function blacklistUsdc(
  rpc: Rpc,
  { usdc, account }: { readonly usdc: Address; readonly account: Address },
): Promise<void> {
  const read = encodeFunctionData({ abi, functionName: 'blacklister' })
  const from = slice(await rpc<Hex>('eth_call', { to: usdc, data: read }, 'latest'), 12)
  await rpc('anvil_impersonateAccount', from)
  await rpc('anvil_setBalance', from, numberToHex(10n ** 18n))
  const data = encodeFunctionData({ abi, functionName: 'blacklist', args: [account] })
  await rpc('eth_sendTransaction', { from, to: usdc, data })
  await rpc('evm_mine')
}
