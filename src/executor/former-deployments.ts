/**
 * Where the contracts that users approve have been before: any change of a source changes their addresses, and
 * allowances stay behind. Newest first, each address once. Kept by scripts/build-contracts.mjs, which adds the address
 * that it replaces.
 */
import type { Address } from '../domain/primitives.js'
import { contractAddress } from './deployments.js'

/** A contract of ours that may hold allowances. */
export interface Spender {
  readonly contract: keyof typeof formerDeployments
  readonly address: Address
  /** Day on which another address replaced this one, as 2026-01-31; null: it is in use. */
  readonly replaced: string | null
}

export const formerDeployments = {
  Router: [
    { replaced: '2026-11-24', address: '0xe35118e8d0c2a8a4748f5941696c2a741515d749' },
    { replaced: '2026-11-22', address: '0x759abb42ab39b62aa2f3df711d2c783642c3e26e' },
    { replaced: '2026-11-22', address: '0x9507d767ea85ffe6ac59aac622da4cfbadb4a620' },
    { replaced: '2026-11-22', address: '0xc2c3a257d6bfff5427652b941f750fde9a7b2b7e' },
    { replaced: '2026-11-22', address: '0xb470b3351700b1f2af9c80f177f123b22781ab8e' },
    { replaced: '2026-11-20', address: '0xf147686f640ac895c93f2219e7f9413b0323dbc5' },
  ],
  WalletFactory: [
    { replaced: '2026-11-22', address: '0x31666b88a1da55762e62e1813276cb3e9d2de17d' },
    { replaced: '2026-11-20', address: '0xdae3c58d86f726a60dfd7987e3b4747d7aa64423' },
  ],
} as const

const names = ['Router', 'WalletFactory'] as const

/**
 * Spenders of each contract, newest first. A source that is put back brings its address back: that one is in use, not
 * former.
 */
export function spendersOf(args: { readonly withPresent: boolean }): Spender[] {
  return names.flatMap((contract) => {
    const present = contractAddress(contract)
    const former = formerDeployments[contract]
      .filter(({ address }) => address !== present)
      .map((one) => ({ contract, ...one }))
    return args.withPresent ? [{ contract, address: present, replaced: null }, ...former] : former
  })
}
