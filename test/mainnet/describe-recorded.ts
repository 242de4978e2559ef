import { describe, test } from 'vitest'
import { isRecorded, recordingFolder } from '../support/recorded-mainnet.js'

/**
 * `describe` for tests on recorded mainnet. Where the recording is absent they are skipped and say so; where CI is set
 * they fail, so that nobody takes what did not run for what passed.
 */
export function describeRecorded(name: string, tests: () => void): void {
  if (isRecorded) {
    describe(name, tests)
    return
  }
  const absent = `recorded mainnet is not in ${recordingFolder}; RECORDED_MAINNET_DIR names its folder`
  if (process.env.CI) {
    describe(name, () => {
      test('has its recording', () => {
        throw new Error(absent)
      })
    })
    return
  }
  console.warn(`Skipped: ${name}, since ${absent}.`)
  describe.skip(name, () => {
    test(absent)
  })
}
