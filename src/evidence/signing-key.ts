/** The Ed25519 key that signs evidence: a file of the data folder that its owner alone can read, made on first use. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'

const ownerOnly = 0o600
/** What precedes the 32 bytes of a key in its DER form. */
const derPrefixBytes = 12

/** @throws ForkrouteError STORAGE_UNAVAILABLE, on first use, where the file can neither be read nor written. */
export class SigningKey {
  readonly #dataDir: string | null
  #key: KeyObject | null = null

  /** @param dataDir - null: the key lasts as long as the process. */
  constructor(dataDir: string | null) {
    this.#dataDir = dataDir
  }

  /** 32 bytes. */
  publicKey(): Hex {
    const der = createPublicKey(this.#opened()).export({ format: 'der', type: 'spki' })
    return `0x${der.subarray(derPrefixBytes).toString('hex')}`
  }

  /** @returns 64 bytes. */
  sign(bytes: Uint8Array): Hex {
    return `0x${sign(null, bytes, this.#opened()).toString('hex')}`
  }

  #opened(): KeyObject {
    this.#key ??= this.#dataDir === null ? newKey() : keyIn(join(this.#dataDir, 'evidence-key.pem'))
    return this.#key
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey
}

function keyIn(file: string): KeyObject {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const pem = newKey().export({ format: 'pem', type: 'pkcs8' })
    try {
      // Never over another one: a process beside this one may have made it meanwhile.
      writeFileSync(file, pem, { flag: 'wx', mode: ownerOnly })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return createPrivateKey(readFileSync(file))
  } catch (cause) {
    const message = `The key that signs evidence cannot be kept in ${file}.`
    throw new ForkrouteError('STORAGE_UNAVAILABLE', message, undefined, { cause })
  }
}
