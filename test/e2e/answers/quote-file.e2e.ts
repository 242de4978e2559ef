/** The commands on files of docs/reference/command-line.md, run as they stand there, on the file that the page shows. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../support/cli.js'
import { startService, type TestService } from '../../support/service/service.js'

let service: TestService

beforeAll(async () => {
  // Open: the id of an account in the transaction costs gas, and the page shows that of a command without one.
  service = await startService({ AUTH_MODE: 'open' })
})
afterAll(() => service?.stop())

describe('docs/reference/command-line.md', () => {
  const page = readFileSync(
    new URL('../../../docs/reference/command-line.md', import.meta.url),
    'utf8',
  )
  const block = (kind: string) =>
    new RegExp(`\`\`\`${kind}\n([\\s\\S]+?)\`\`\``).exec(page)?.[1] ?? ''
  const commands = [...page.matchAll(/```sh\nforkroute (quote --file .+)\n```/g)].map(
    ([, line = '']) => line,
  )

  test.each(commands)('%s', async (line) => {
    const folder = mkdtempSync(join(tmpdir(), 'forkroute-documented-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const words = line.split(' ').map((word) => (word.includes('.') ? join(folder, word) : word))
    const [asked = '', ...written] = words.filter((word) => word.startsWith(folder))
    writeFileSync(asked, block('csv'))
    const { code, err } = await runCli([...words, '--url', service.url])
    expect(code, err).toBe(0)
    expect(err).toContain('2 of 2 trades are quoted.')
    for (const file of written) {
      expect(statSync(file).size).toBeGreaterThan(0)
      if (file.endsWith('.json')) expect(readFileSync(file, 'utf8')).toBe(block('json'))
    }
  })

  test('one of them writes what the page shows', () => {
    expect(commands.filter((line) => line.endsWith('.json'))).toHaveLength(1)
  })
})
