/** The example project as a newcomer has it: the package as it is published, in a folder of its own. */
import { execFile } from 'node:child_process'
import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extract } from 'tar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../support/cli.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const eth = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const noCases = 2

let folder: string
let project: string
let packed: readonly string[]
let recording: Outcome
let types: Outcome

/** Runs a file of Node in the project, away from the environment of the test. */
function run(script: string, args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env
  return new Promise<Outcome>((resolve) => {
    const options = { cwd: project, env: { PATH, HOME, NO_COLOR: '1', ...env } }
    execFile(process.execPath, [script, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const inRoot = (path: string) => join(root, 'node_modules', path)
const runVitest = (env?: Record<string, string>) =>
  run(inRoot('vitest/vitest.mjs'), ['run', '--reporter=json'], env)
const forkroute = (...args: string[]) =>
  run(join(project, 'node_modules/forkroute/dist/src/cli/main.js'), args)

/** As `npm install` of the published package would leave it; the dependencies are those of this repository. */
async function install(): Promise<string[]> {
  const { stdout } = await new Promise<{ stdout: string }>((resolve, reject) => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    execFile('npm', args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout) =>
      error ? reject(error) : resolve({ stdout }),
    )
  })
  const [report] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  await extract({ file: join(folder, report?.filename ?? ''), cwd: folder })
  await mkdir(join(project, 'node_modules'))
  await rename(join(folder, 'package'), join(project, 'node_modules/forkroute'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return report?.files.map(({ path }) => path) ?? []
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-example-'))
  project = join(folder, 'project')
  await cp(join(root, 'examples/regression-tests'), project, { recursive: true })
  packed = await install()
  // The built sandbox, for the recording alone.
  const sandbox = join(project, 'node_modules/forkroute/.cache')
  await symlink(join(root, '.cache'), sandbox)
  const tsc = inRoot('@typescript/native/bin/tsc')
  ;[recording, types] = await Promise.all([
    runVitest({ RECORD: '1' }),
    run(tsc, ['--typeRoots', inRoot('@types'), '-p', project]),
  ])
  await rm(sandbox)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package', () => {
  test('holds the compiled service, its threads and its types, and no tests', () => {
    for (const path of ['src/testing/index.d.ts', 'src/cli/main.js', 'workers/route.js']) {
      expect(packed).toContain(`dist/${path}`)
    }
    expect(packed.filter((path) => /\.test\.|\.map$|tsbuildinfo|^(src|test)\//.test(path))).toEqual(
      [],
    )
  })

  test('its types fit the example', () => {
    expect(types).toMatchObject({ code: 0, out: '' })
  })
})

describe('forkroute/testing', () => {
  test('the tests of the example pass while they are recorded', async () => {
    expect(recording.err).toBe('')
    expect(JSON.parse(recording.out)).toMatchObject({ numPassedTests: 6, numTotalTests: 6 })
    const { size } = await stat(join(project, 'routes.cassette'))
    expect(size).toBeLessThan(1_000_000)
  })

  test.concurrent('and replayed, without a sandbox and without a node', async () => {
    const before = await readFile(join(project, 'routes.cassette'))
    const replay = await runVitest()
    expect(JSON.parse(replay.out)).toMatchObject({ numPassedTests: 6, numTotalTests: 6 })
    expect(await readFile(join(project, 'routes.cassette'))).toEqual(before)
  })
})

describe('forkroute check', () => {
  test.concurrent('the suite of the example passes', async () => {
    const { code, out, err } = await forkroute('check', 'suite.yaml', '--junit', 'report.xml')
    expect({ code, err: err.replace(/^Checking.*\n/gm, '') }).toEqual({
      code: 0,
      err: '',
    })
    expect(out).toMatch(/^ok {4}one ETH to USDC +3006523788 by uniswap-v3 {2}\(\d+ ms\)$/m)
    expect(out).toContain('5 of 5 cases passed (replayed from ')
    const xml = await readFile(join(project, 'report.xml'), 'utf8')
    expect(xml).toContain('<testsuites tests="5" failures="0" errors="0" skipped="0">')
  })

  test.concurrent('what differs is told, on the terminal, in JUnit XML and as JSON', async () => {
    const pair = `tokenIn: ${eth}, tokenOut: ${usdc}`
    const one = `quote: { ${pair}, amountIn: 1000000000000000000 }`
    const cases = [
      `{ name: exact, ${one}, expect: { amountOut: 3006523789 } }`,
      `{ name: least, ${one}, expect: { atLeast: 3006523789 } }`,
      `{ name: near, ${one}, expect: { amountOut: 3006523789, toleranceBps: 1, path: uniswap-v3 } }`,
      `{ name: way, ${one}, expect: { path: [lido] } }`,
      `{ name: error, ${one}, expect: { error: NO_ROUTE } }`,
      `{ name: new amount, quote: { ${pair}, amountIn: 7777777777777777777777 }, expect: { atLeast: 1 } }`,
      `{ name: new block, block: 377, ${one}, expect: { atLeast: 1 } }`,
    ]
    const text = [
      'cassette: routes.cassette',
      'block: 378',
      'cases:',
      ...cases.map((c) => `- ${c}`),
    ]
    await writeFile(join(project, 'failing.yaml'), text.join('\n'))
    const { code, out } = await forkroute('check', 'failing.yaml', '--json', '--junit', 'bad.xml')
    expect(code).toBe(1)
    const report = JSON.parse(out)
    expect(report).toMatchObject({ ok: false, mode: 'replay', passed: 1, failed: 6 })
    const found = Object.fromEntries(
      report.cases.map((c: { name: string; differences: string[] }) => [c.name, c.differences]),
    )
    expect(found).toEqual({
      exact: [`delivers 3006523788 of ${usdc}, 3006523789 was expected: 1 (0 bps) less`],
      least: [`delivers 3006523788 of ${usdc}, at least 3006523789 was expected: 1 (0 bps) less`],
      near: [],
      way: [expect.stringMatching(/^does not pass lido; its path: uniswap-v3 0x[0-9a-f]{40}$/)],
      error: ['answers, the error NO_ROUTE was expected'],
      'new amount': [
        expect.stringMatching(
          /^fails with UPSTREAM_UNAVAILABLE: .*The cassette lacks .*routes\.cassette was recorded without this request\. Run once with RECORD=1/,
        ),
      ],
      'new block': [
        expect.stringMatching(
          /^fails with UNKNOWN_BLOCK: Block 377 is not in the cassette\. .* Run once with RECORD=1/,
        ),
      ],
    })
    expect(report.cases[2].answer).toMatchObject({ amountOut: '3006523788', blockNumber: '378' })
    const xml = await readFile(join(project, 'bad.xml'), 'utf8')
    expect(xml).toContain('<testsuites tests="7" failures="6" errors="0" skipped="0">')
    expect(xml).toContain('<failure message="answers, the error NO_ROUTE was expected"')
  })

  test.concurrent('a suite that is not usable ends with another code, and every mistake', async () => {
    await writeFile(join(project, 'wrong.yaml'), 'cases:\n- name: a\n  expect: { price: no }\n')
    const wrong = await forkroute('check', 'wrong.yaml')
    expect(wrong).toEqual({
      code: noCases,
      out: '',
      err: 'The file is not valid: line 3: cases[0].expect.price must be USD, or a list.\n',
    })
    const absent = `cassette: no.cassette\ncases:\n- { name: a, prices: { addresses: [${usdc}] }, expect: { price: 1 } }\n`
    await writeFile(join(project, 'absent.yaml'), absent)
    const outcome = await forkroute('check', 'absent.yaml', '--json')
    expect(outcome.code).toBe(noCases)
    expect(JSON.parse(outcome.out).message).toMatch(
      /^There is no cassette \/.*\/no\.cassette\. Run once with RECORD=1 to record it from the sandbox/,
    )
    expect((await forkroute('check', 'none.yaml')).err).toContain('cannot be read (ENOENT)')
  })
})
