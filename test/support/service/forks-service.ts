/**
 * A process of its own that holds forks, to be killed by a test: prints their process ids as one JSON line,
 * then waits. Arguments: the node's URL and the pin, its bigints as decimal strings.
 */
import type { BlockPin } from '../../../src/domain/primitives.js'
import { ForkPool } from '../../../src/forks/pool.js'

const [url = '', text = '{}'] = process.argv.slice(2)
const fields = JSON.parse(text)
const pin: BlockPin = {
  ...fields,
  number: BigInt(fields.number),
  timestamp: BigInt(fields.timestamp),
  baseFeePerGas: BigInt(fields.baseFeePerGas),
  gasUsed: BigInt(fields.gasUsed),
  gasLimit: BigInt(fields.gasLimit),
  difficulty: BigInt(fields.difficulty),
}
const pool = new ForkPool({ archiveUrl: () => url })
await pool.warm(pin)
await pool.acquire(pin)
console.log(JSON.stringify(pool.stats().pids))
setInterval(() => undefined, 1_000)
