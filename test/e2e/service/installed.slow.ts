/**
 * The package that `npm pack` makes, installed for all by `npm install -g` and used by somebody who cannot write where it
 * lies, from an empty folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxToken } from '../../../src/sandbox/tokens.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Of Debian, without rights. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

let folder: string
let home: string
let entry: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-installed-'))
  const npm = (...args: string[]) => run('npm', args, { cwd: root, maxBuffer: 2 ** 26 })
  const { stdout } = await npm('pack', '--json', '--pack-destination', folder)
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: object[] }]
  expect(files.length).toBeGreaterThan(100)
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
  await npm('install', '-g', '--prefix', join(folder, 'prefix'), ...quiet, join(folder, filename))
  entry = join(folder, 'prefix', 'bin', 'forkroute')
  // What exports traces is read by nobody who does not ask for them: without it, all else works.
  const tracer = join(
    folder,
    'prefix',
    'lib/node_modules/forkroute/dist/src/telemetry/opentelemetry.js',
  )
  await rename(tracer, join(folder, 'opentelemetry.js'))
  home = join(folder, 'home')
  // The chain is there, as after a first start, which takes a minute.
  await mkdir(join(home, '.cache', 'forkroute'), { recursive: true })
  await cp(join(root, '.cache', 'sandbox'), join(home, '.cache', 'forkroute', 'sandbox'), {
    recursive: true,
  })
  await run('chmod', ['-R', 'a+rX', folder])
  await chmod(folder, 0o755)
  if (isRoot) await run('chown', ['-R', String(nobody), home])
  else await run('chmod', ['-R', 'a-w', join(folder, 'prefix')])
  await mkdir(join(home, 'empty'))
  if (isRoot) await chown(join(home, 'empty'), nobody, nobody)
}, 600_000)
afterAll(async () => {
  if (!isRoot) await run('chmod', ['-R', 'u+w', folder])
  await rm(folder, { recursive: true, force: true })
})

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    cwd: join(home, 'empty'),
    env: { PATH: process.env.PATH, HOME: home, SANDBOX_CHAINS: '1', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
}

/** Address and key, as they are printed; the key by the first start alone. */
async function printed({ stdout }: ChildProcess): Promise<{ url: string; key: string | null }> {
  let [url, key] = ['', null as string | null]
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    url ||= /http:\/\/[\d.:]+(?=\/api\/v1$)/.exec(line)?.[0] ?? ''
    key ??= /fr_\S+/.exec(line)?.[0] ?? null
    if (line.startsWith('curl')) return { url, key }
  }
  throw new Error('It ended before it listened.')
}

/** Its file is a whole: no package of OpenTelemetry is installed, but the one that prom-client needs. */
test('what exports traces loads without packages', async () => {
  const packages = join(folder, 'prefix', 'lib/node_modules/forkroute/node_modules/@opentelemetry')
  expect(await readdir(packages)).toEqual(['api'])
  const { createCollectingTracer } = await import(join(folder, 'opentelemetry.js'))
  const tracer = createCollectingTracer()
  await tracer.inTrace('one', async () => {}, {})
  expect(tracer.finished()).toMatchObject([{ name: 'one' }])
})

test('says its version', async () => {
  const child = start('--version')
  const [line] = (await once(createInterface({ input: child.stdout as never }), 'line')) as string[]
  expect(line).toMatch(/^\d+\.\d+\.\d+/)
})

test('serves quotes from an empty folder, stops in order, and starts again on what it kept', async () => {
  const [tokenIn, tokenOut] = ['WETH', 'USDC'].map((symbol) => sandboxToken(symbol).address)
  const path = `/api/v1/shortcuts/quote?tokenIn=${tokenIn}&tokenOut=${tokenOut}&amountIn=${10n ** 18n}`
  const answers: string[] = []
  let known: string | null = null
  for (const isFirst of [true, false]) {
    const child = start('serve', '--port', '0')
    const ended = once(child, 'exit')
    const { url, key } = await printed(child)
    known ??= key
    if (isFirst) expect(key).toMatch(/^fr_/)
    else expect(key).toBeNull()
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${known}` } })
    expect(answer.status).toBe(200)
    answers.push(await answer.text())
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }
  expect(answers[1]).toBe(answers[0])
})
