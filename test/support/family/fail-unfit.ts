/** Set up in every file of end-to-end tests: an answer that does not fit the interface fails the test that asked. */
import { afterAll, afterEach, expect } from 'vitest'
import { takeUnfit } from './validating-proxy.js'

const none = () => expect(takeUnfit().join('\n\n'), 'answers that do not fit').toBe('')

afterEach(none)
// What was asked after the last test.
afterAll(none)
