import type { Hex } from '../../domain/primitives.js'

/** Scopes and items of the cache. */
export const layout = {
  /** State and block of one block. */
  blockScope: (chainId: number, hash: Hex) => `${chainId}:${hash}`,
  /** Code by its id (`codeIdOf`), of all chains. */
  codeScope: 'code',
  /** Code id by address, and from which block on. */
  codeAtScope: (chainId: number) => `${chainId}/code`,
  /** Learned keys. */
  hotScope: (chainId: number) => `${chainId}/hot`,
  /** Facts about contracts by topic. */
  learnedScope: (chainId: number) => `${chainId}/learned`,
  block: 'block',
}
