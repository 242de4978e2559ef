/** `amountOut` in place of `amountIn`, against bisection over the service's own quotes, for the pairs that exact-output.e2e.ts leaves out. */
import { test } from 'vitest'
import { expectLeastInput, otherTrades } from '../../support/routing/least-input.js'
import { sharedService } from '../../support/service/shared-service.js'

test.each(otherTrades)(
  '%s to %s, what %i gives: at most 1 bps above what bisection over quotes finds',
  async (...trade) => expectLeastInput(await sharedService(), trade),
)
