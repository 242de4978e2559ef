/** A block under the oldest rules that Uniswap has known. */
import { afterAll, beforeAll, describe } from 'vitest'
import { loadCodes } from '../../../bench/alternatives/venues.js'
import {
  type EraContext,
  startEra,
  testEra,
  testGasTable,
} from '../../support/eras/describe-era.js'

describe('a block of Istanbul', () => {
  let context: EraContext
  beforeAll(async () => {
    context = await startEra('istanbul', await loadCodes())
  })
  afterAll(() => context?.stop())
  testEra(() => context, 'before London')
  testGasTable(() => context, 'istanbul')
})
