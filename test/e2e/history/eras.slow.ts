/** A block under each set of rules since Istanbul, up to the newest that Anvil knows. */
import { afterAll, beforeAll, describe } from 'vitest'
import { loadCodes } from '../../../bench/alternatives/venues.js'
import {
  type EraContext,
  startEra,
  testEra,
  testGasTable,
} from '../../support/eras/describe-era.js'

describe.each([
  { era: 'berlin', older: 'before London' },
  { era: 'london', older: 'London' },
  { era: 'paris', older: 'London' },
  { era: 'shanghai', older: 'Shanghai' },
  { era: 'cancun', older: null },
  { era: 'prague', older: null },
  { era: 'osaka', older: null },
] as const)('a block of $era', ({ era, older }) => {
  let context: EraContext
  beforeAll(async () => {
    context = await startEra(era, await loadCodes())
  })
  afterAll(() => context?.stop())
  testEra(() => context, older)
  testGasTable(() => context, era)
})
