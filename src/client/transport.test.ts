import { expect, test } from 'vitest'
import { createForkrouteClient } from './client.js'
import { ConnectionError } from './errors.js'

test('a port that fetch refuses is told from a service that does not answer', async () => {
  const answer = createForkrouteClient({ url: 'http://127.0.0.1:6000' }).system()
  await expect(answer).rejects.toBeInstanceOf(ConnectionError)
  await expect(answer).rejects.toThrow(
    'The service at http://127.0.0.1:6000 cannot be asked: fetch refuses this port, which is kept for another protocol. Run the service on another one.',
  )
})
