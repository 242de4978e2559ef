/** A process that asks beside an attack, so that what the attacker has to do holds it up in nothing. Started by `beside.ts`. */
import { once } from 'node:events'
import { type Watched, watch } from './watch.js'

const [watched] = (await once(process, 'message')) as [Watched]
const end = watch(watched)
process.once('message', async () => {
  const noticed = await end()
  process.send?.(noticed, () => process.disconnect())
})
process.send?.('begun')
